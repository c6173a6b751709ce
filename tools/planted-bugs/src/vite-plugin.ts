import { join } from "node:path";
import type { Plugin } from "vitest/config";
import type { Bug } from "./bug.ts";
import { bugs } from "./bugs/index.ts";
import { plant } from "./plant.ts";
import { readSources, workspace } from "./sources.ts";

/** The bug that `PARTITA_BUG` names. */
export function bugNamed(name: string): Bug {
  const bug = bugs.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`PARTITA_BUG names no bug: ${name}`);
  return bug;
}

/** Plants the bug that `PARTITA_BUG` names, in what tests load: the file itself is never written. */
export function plantedBug(name: string): Plugin {
  const { file, text } = plant(bugNamed(name), readSources());
  const path = join(workspace, file);
  return {
    name: "partita:planted-bug",
    enforce: "pre",
    // The changed file is not cached; all others are, for the next bug.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (id === path ? false : undefined)),
    transform: (_, id) => (id === path ? { code: text, map: null } : undefined),
  };
}
