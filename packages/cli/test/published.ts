import { join } from "node:path";

const packages = join(import.meta.dirname, "../..");

/** The program as it is published: Node starts it in a third of the time that it takes for the sources. */
export const main = join(packages, "cli/dist/main.js");

/** An entry of a published package, for modules that a test writes: they share it with the program. */
export const published = (name: string, entry = "index"): string => join(packages, name, `dist/${entry}.js`);
