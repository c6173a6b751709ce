import { join } from "node:path";
import type { Plugin } from "vitest/config";
import type { Bug } from "./bug.ts";
import { bugs } from "./bugs/index.ts";
import { plant } from "./plant.ts";
import { readSources, type Source, workspace } from "./sources.ts";

/** The bugs with these names, one per line. */
export function bugsNamed(names: string): Bug[] {
  return names.split("\n").map((name) => {
    const bug = bugs.find((one) => one.name === name);
    if (bug === undefined) throw new Error(`There is no bug with this name: ${name}`);
    return bug;
  });
}

/** Read once for all bugs of a run. */
let sources: readonly Source[] | undefined;

/** Plants a bug in the code that tests load. The file itself is never written. */
export function plantedBug(bug: Bug): Plugin {
  const { file, text } = plant(bug, (sources ??= readSources()));
  const path = join(workspace, file);
  return {
    name: "partita:planted-bug",
    enforce: "pre",
    // The changed file is not cached, but all others are cached for the next bug.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (id === path ? false : undefined)),
    transform: (_, id) => (id === path ? { code: text, map: null } : undefined),
  };
}
