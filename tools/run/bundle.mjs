// pnpm bundle [core …]: makes what is published of the packages, or of those named, unless it is there already.
import { join } from "node:path";
import { bundlePackages } from "./bundle-packages.mjs";

// npm runs it from a package's own folder before it packs that.
process.chdir(join(import.meta.dirname, "../.."));
const names = process.argv.slice(2);
await bundlePackages(names.length === 0 ? undefined : names);
