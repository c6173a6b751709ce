import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder of the package that ES modules in a folder import: from `node_modules` there or in a parent
 * folder. NODE_PATH is ignored. Undefined if there is none.
 */
export function findPackage(name: string, folder: string): string | undefined {
  const found = join(folder, "node_modules", name);
  if (existsSync(join(found, "package.json"))) return found;
  return dirname(folder) === folder ? undefined : findPackage(name, dirname(folder));
}
