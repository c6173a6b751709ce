import type { Bug, Suite } from "../bug.ts";

/** A validator with random effects, for every way in which an entity can get into a save. */
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
    name: "take for an edit what a validator fills in for a property that was not loaded",
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
    name: "count violations of what was not loaded",
    find: `!isOfAny($NAMES, $PATH)`,
    replace: `true`,
  },
  {
    caughtBy: judging,
    name: "take edits that nobody asked for",
    find: `$VALIDATE.applyTransforms !== true`,
    replace: `false`,
  },
];
