import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { wrongResults } from "./first-results.ts";

/**
 * Searches the index of a built site, the reference included.
 *
 * @throws {Error} if another page comes first
 */
export async function checkIndex(outDir: string, pages: ReadonlySet<string>, base: string): Promise<void> {
  const [file] = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: outDir });
  if (file === undefined) throw new Error("The site has no index to search.");
  const { default: index } = (await import(pathToFileURL(join(outDir, file)).href)) as {
    readonly default: string;
  };
  const wrong = wrongResults(index, pages, base);
  if (wrong.length > 0) throw new Error(`The search has another page first:\n${wrong.join("\n")}`);
}
