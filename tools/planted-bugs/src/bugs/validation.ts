import type { Bug, Suite } from "../bug.ts";

/** A validator with random effects, for every path of an entity into a save. */
const judging: Suite = {
  project: "laws: core",
  files: ["packages/core/test/features/validation/judging.law.test.ts"],
};

/** Bugs in the validation of entities. */
export const validationBugs: readonly Bug[] = [
  {
    caughtBy: judging,
    name: "judge the entity itself",
    find: `new Copies().entity(entry.entity, missing)`,
    replace: `entry.entity`,
  },
  {
    caughtBy: judging,
    name: "a value that a validator sets for an unloaded property counts as an edit",
    find: `new Set([...missing, ...$STORED, ...$CHILDREN, $ETAG, $TIMESTAMP])`,
    replace: `new Set([...$STORED, ...$CHILDREN, $ETAG, $TIMESTAMP])`,
  },
  {
    caughtBy: judging,
    name: "share an edit with the validator that made it",
    function: "apply",
    find: `new Copies().entity(this.entity) as Values`,
    replace: `this.entity as Values`,
  },
  {
    caughtBy: judging,
    name: "count violations of unloaded properties",
    find: `!isOfAny($NAMES, $PATH)`,
    replace: `true`,
  },
  {
    caughtBy: judging,
    name: "accept edits of a validator without applyTransforms",
    find: `$VALIDATE.applyTransforms !== true`,
    replace: `false`,
  },
];
