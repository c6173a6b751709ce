import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a package lets out, by its manifest alone: adding an entry there is all it takes to publish it.
 *
 * @typedef {object} Entry
 * @property {string} name - of the published file, without extension: `index`, `cli/main`
 * @property {string} source - the file in `src`, from the package's folder
 * @property {boolean} hasTypes - programs have no declarations
 * @property {boolean} hasModules - whether bundlers get it module by module
 */

/** The folders of the packages; one without a manifest is what a branch with another package left behind. */
export const packageNames = () => readdirSync("packages").filter((name) => existsSync(manifestFile(name)));

export const manifestOf = (name) => JSON.parse(readFileSync(manifestFile(name), "utf8"));

const manifestFile = (name) => join("packages", name, "package.json");

/**
 * The entries of a package: each of `exports` with a condition `@partita/source`, and each program of `bin`.
 *
 * @returns {Entry[]}
 * @throws {Error} when the fields of the manifest disagree
 */
export function entriesOf({ name, exports = {}, bin = {}, typesVersions = {} }) {
  const conditional = Object.entries(exports).filter(([, target]) => typeof target === "object");
  const doors = conditional.map(([subpath, target]) => {
    const entry = {
      name: entryName(target.default),
      source: target["@partita/source"],
      hasTypes: true,
      hasModules: target.module !== undefined,
    };
    const declarations = `./dist/${entry.name}.d.ts`;
    const modules = entry.hasModules ? `./dist/modules/${entry.name}.js` : undefined;
    const older = typesVersions["*"]?.[subpath.slice("./".length)]?.[0];
    if (
      sourceOf(target.default) !== entry.source ||
      target.types !== declarations ||
      target.module !== modules
    )
      throw new Error(`${name}: the conditions of "${subpath}" name different files.`);
    if (subpath !== "." && older !== declarations)
      throw new Error(`${name}: typesVersions needs "${subpath.slice(2)}": ["${declarations}"].`);
    return entry;
  });
  const programs = Object.values(bin).map((file) => ({
    name: entryName(file),
    source: sourceOf(file),
    hasTypes: false,
    hasModules: false,
  }));
  return [...doors, ...programs];
}

/** `./dist/cli/main.js` is made of `./src/cli/main.ts`. */
const sourceOf = (file) => `./src/${entryName(file)}.ts`;
const entryName = (file) => file.replace(/^(\.\/)?dist\//, "").replace(/\.js$/, "");
