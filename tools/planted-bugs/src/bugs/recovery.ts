import type { Bug, Suite } from "../bug.ts";

const unitOfWork = "packages/core/test/features/unit-of-work";
/** Histories of two saves, by name. */
const twoSaves: Suite = {
  project: "unit: core",
  files: [`${unitOfWork}/lost-responses/refused-second-save.test.ts`],
};
/** Histories that were once reported incorrectly. */
const requestedAgain: Suite = {
  project: "unit: core",
  files: [`${unitOfWork}/lost-responses/requested-again.test.ts`],
};
const oneSave: Suite = { project: "unit: core", files: [`${unitOfWork}/lost-responses/one-save.test.ts`] };
const amongOthers: Suite = {
  project: "unit: core",
  files: [`${unitOfWork}/lost-responses/among-other-changes.test.ts`],
};
const atomicSaves: Suite = { project: "unit: core", files: [`${unitOfWork}/atomic-saves.test.ts`] };
/** Several writes with unknown outcomes and shared entities. */
const overlapping: Suite = {
  project: "unit: core",
  files: [`${unitOfWork}/lost-responses/overlapping-transactions.test.ts`],
};
const markers: Suite = { project: "unit: core", files: [`${unitOfWork}/markers.test.ts`] };
/** Values that a delayed upsert overwrites. */
const lateUpserts: Suite = {
  project: "unit: core",
  files: [`${unitOfWork}/lost-responses/upsert-that-arrives-late.test.ts`],
};
/** Deletes of missing rows, by `removeMissing`. */
const removals: Suite = { project: "unit: core", files: [`${unitOfWork}/remove-missing.test.ts`] };
/** Random histories of two contexts, compared with a reference model. */
const model: Suite = {
  project: "laws: core",
  files: [`${unitOfWork}/model/model.law.test.ts`],
  env: { PARTITA_MODEL_RUNS: "2000", PARTITA_MODEL_SEED: "2" },
};
const upgradeWrites: Suite = {
  project: "unit: core",
  files: [
    "packages/core/test/features/upgrade-writes.test.ts",
    "packages/core/test/features/upgrades.test.ts",
  ],
};

/** Bugs in the conclusions about a write's outcome: over two saves, with markers, in upgrades. */
export const recoveryBugs: readonly Bug[] = [
  {
    caughtBy: twoSaves,
    name: "a second save's refusal disproves the first",
    find: `return conclude($ATTEMPTS) === "clear" ? $RESULT : $UNKNOWN;`,
    replace: `return $RESULT;`,
  },
  {
    caughtBy: removals,
    name: "equal values of its siblings prove a delete",
    find: `$CHANGE.after === undefined && $EVIDENCE === "content"`,
    replace: `false`,
  },
  {
    caughtBy: lateUpserts,
    name: "a stored upsert cannot arrive once more",
    find: `$STATE === "open" && conditionOf($OPERATION) === undefined`,
    replace: `false`,
  },
  {
    caughtBy: lateUpserts,
    name: "a row stored again by a delayed upsert stays",
    function: "deleted",
    find: `if ($ROW !== undefined) $ROW.deleted = $ENTRY;`,
  },
  {
    caughtBy: twoSaves,
    name: "equal values prove a rewrite",
    find: `$OPERATION.type === "delete" || isRewrite($CHANGE)`,
    replace: `$OPERATION.type === "delete"`,
  },
  {
    caughtBy: overlapping,
    name: "an insert that succeeds disproves an earlier one",
    find: `if ($ETAG === undefined || this.isEmpty) return [];`,
  },
  {
    caughtBy: overlapping,
    name: "a delete does not wait for the newest insert",
    find: `if (entry.isInDoubt) return this.#block(entry, $NEWEST);`,
  },
  {
    caughtBy: model,
    name: "a newer row counts as evidence for its old transaction",
    find: `if (!this.#hasLeft($ATTEMPT, $FOUND)) return this.#accept($ATTEMPT, $FOUND);`,
    replace: `return this.#accept($ATTEMPT, $FOUND);`,
  },
  {
    caughtBy: oneSave,
    name: "members wait for their complete transaction",
    find: `$FOUND.finding === "not yet" && $ATTEMPT.isAtomic !== true && $CONDITIONAL`,
    replace: `false`,
  },
  {
    caughtBy: twoSaves,
    name: "unknown writes are timed with the wall clock",
    function: "monotonicTime",
    find: `$CLOCK.monotonic?.() ?? $CLOCK.now()`,
    replace: `$CLOCK.now()`,
  },
  {
    caughtBy: markers,
    name: "a marker that was swept disproves its write",
    find: `Math.max($MONOTONIC, $DATE) > markerLifeMs - latestMs`,
    replace: `false`,
  },
  {
    caughtBy: markers,
    name: "a closed marker counts as a written one",
    find: `isClosedMarker($ROW) ? "never" : "applied"`,
    replace: `"applied"`,
  },
  {
    caughtBy: markers,
    name: "an existing marker counts as a refusal",
    find: `if ($STATE === "applied") return { finding: "marker", members: [], rows: $ROWS };`,
  },
  {
    caughtBy: markers,
    name: "a marker does not count in its transaction's limit",
    function: "splitOperations",
    find: `$MAX - (needsMarker($GROUP) ? 1 : 0)`,
    replace: `$MAX`,
  },
  {
    caughtBy: markers,
    name: "markers are entities",
    find: `isEntityRow($ROW) ? $CLASS : undefined`,
    replace: `$CLASS`,
  },
  {
    caughtBy: upgradeWrites,
    name: "an upgrade overwrites any stored version",
    function: "upgradeOf",
    find: `{ type: "replace", entity: $ENTITY, etag: $ETAG }`,
    replace: `{ type: "replace", entity: $ENTITY, etag: "*" }`,
  },
  {
    caughtBy: requestedAgain,
    name: "an altered change is the same as before",
    function: "asksForSame",
    find: `return $REQUESTED.every($ISSAME);`,
    replace: `return true;`,
  },
  {
    caughtBy: amongOthers,
    name: "a complete row is a different change than a part of it",
    find: `!InitialValue.is($VALUE) && !hasSameProperty($BEFORE, $WANTED, $NAME)`,
    replace: `true`,
  },
  {
    caughtBy: requestedAgain,
    name: "a row that is absent disproves an insert",
    find: `return $OVER || $OPERATIONS.some(isConditional) ? "closed" : "open";`,
    replace: `return $OVER && members.includes("absent") ? "never" : "closed";`,
  },
  {
    caughtBy: amongOthers,
    name: "an atomic group is sent without a member with an unknown outcome",
    function: "groupsInDoubt",
    find: `if ($ALL) continue;`,
    replace: `continue;`,
  },
  {
    caughtBy: atomicSaves,
    name: "a delete in an atomic group is decided alone",
    find: `isAtomic === true && $CHANGES.length > 1 && $MISSING === "error"`,
    replace: `false`,
  },
  {
    caughtBy: requestedAgain,
    name: "the marker of an abandoned write stays open",
    find: `late.filter(({ marker }) => marker !== undefined)`,
    replace: `late.slice(0, 0)`,
  },
  {
    caughtBy: requestedAgain,
    name: "a row read under edits ends their unknown outcomes",
    find: `if (!keepsAttempts) entry.tookOver(row);`,
    replace: `entry.tookOver(row);`,
  },
];
