import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkInput } from "../disk/named-file.ts";
import { findPackage } from "./find-package.ts";

/**
 * Loads an entry of a package that a module imports. If this command is installed elsewhere, its own copy of
 * the package does not know the module's classes, so that copy is loaded only if the module finds none.
 *
 * @param path - of the module
 * @param entry - such as `@partita/core/models`
 */
export async function loadPackageOf<Entry>(path: string, entry: string): Promise<Entry> {
  checkInput(path);
  const name = entry.split("/", 2).join("/");
  const folder = findPackage(name, dirname(realpathSync(path)));
  return (await import(folder === undefined ? import.meta.resolve(entry) : urlIn(folder, entry))) as Entry;
}

/** The URL of a package's entry, resolved from inside the package. */
const urlIn = (folder: string, entry: string): string =>
  pathToFileURL(createRequire(join(folder, "package.json")).resolve(entry)).href;
