import type { Bug, Suite } from "../bug.ts";

/** Random deeds of a validator, by every way that an entity comes to a save. */
const judging: Suite = {
  project: "laws: core",
  files: ["packages/core/test/features/validation/judging.law.test.ts"],
};

const judged = { file: "packages/core/src/work/save/judged-entity.ts", caughtBy: judging };
const validator = { file: "packages/core/src/work/save/validator.ts", caughtBy: judging };

/** What goes wrong when validators judge entities. */
export const validationBugs: readonly Bug[] = [
  {
    ...judged,
    name: "judge the entity itself",
    function: "copy",
    find: `new Copies().entity(this.#taken, this.notLoaded)`,
    replace: `this.entry.entity`,
  },
  {
    ...judged,
    name: "take for an edit what a validator fills in for a property that was not loaded",
    find: `new Set([...missing, ...$STORED, ...$CHILDREN, $ETAG, $TIMESTAMP])`,
    replace: `new Set([...$STORED, ...$CHILDREN, $ETAG, $TIMESTAMP])`,
  },
  {
    ...judged,
    name: "share an edit with the validator that made it",
    function: "apply",
    find: `new Copies().entity(this.entity) as Values`,
    replace: `this.entity as Values`,
  },
  {
    ...validator,
    name: "count violations of what was not loaded",
    find: `!isOfAny($NAMES, $PATH)`,
    replace: `true`,
  },
  {
    ...validator,
    name: "take edits that nobody asked for",
    find: `$VALIDATE.applyTransforms !== true`,
    replace: `false`,
  },
];
