import { join } from "node:path";
import type { Plugin } from "vitest/config";
import type { Bug } from "./bug.ts";
import { bugs } from "./bugs/index.ts";
import { plant } from "./plant.ts";

const workspace = join(import.meta.dirname, "../../..");

/** The bug that `PARTITA_BUG` names. */
export function bugNamed(name: string): Bug {
  const bug = bugs.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`PARTITA_BUG names no bug: ${name}`);
  return bug;
}

/** Plants the bug that `PARTITA_BUG` names, in what tests load: the file itself is never written. */
export function plantedBug(name: string): Plugin {
  const bug = bugNamed(name);
  const path = join(workspace, bug.file);
  return {
    name: "partita:planted-bug",
    enforce: "pre",
    // The changed file is not cached; all others are, for the next bug.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (id === path ? false : undefined)),
    transform: (code, id) => (id === path ? { code: plant(bug, code), map: null } : undefined),
  };
}
