import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, parse } from "./find-code.ts";

/** The root folder for paths of bugs and tests. */
export const workspace = join(import.meta.dirname, "../../..");

/** A source file of a package. */
export interface Source {
  /** Its path in the workspace. */
  readonly file: string;
  readonly text: string;
  readonly program: Node;
}

/** A source that is parsed once, when its tree is first used. */
export function sourceOf(file: string, text: string): Source {
  let program: Node | undefined;
  return {
    file,
    text,
    get program() {
      return (program ??= parse(text, file));
    },
  };
}

/** Every source file of every package. */
export function readSources(): Source[] {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: workspace });
  return files.map((file) => sourceOf(file, readFileSync(join(workspace, file), "utf8")));
}
