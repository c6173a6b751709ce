// pnpm api: compares each front door with its report in etc/; `--local` writes the reports anew.
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { spawnSync } from "node:child_process";
import { bundlePackages } from "./bundle-packages.mjs";

// Packages take the types of each other from what is published.
await bundlePackages();
const others = process.argv.slice(2);
let failed = 0;
for (const config of globSync("packages/*/api-extractor*.json").toSorted()) {
  const args = ["run", "-c", basename(config), ...others];
  if (spawnSync("api-extractor", args, { cwd: dirname(config), stdio: "inherit" }).status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
