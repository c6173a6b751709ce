import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, parse } from "./find-code.ts";

/** The folder that paths of bugs and tests start from. */
export const workspace = join(import.meta.dirname, "../../..");

/** A source file of a package. */
export interface Source {
  /** As a path of the workspace. */
  readonly file: string;
  readonly text: string;
  readonly program: Node;
}

/** A source that is parsed when its tree is asked for, once. */
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

/** Every source file of every package, wherever it was moved to. */
export function readSources(): Source[] {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: workspace });
  return files.map((file) => sourceOf(file, readFileSync(join(workspace, file), "utf8")));
}
