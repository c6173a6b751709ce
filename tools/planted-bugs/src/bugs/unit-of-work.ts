import type { Bug, Suite } from "../bug.ts";

/** The rules for lost responses. */
const rules: Suite = { project: "unit: core", files: ["packages/core/test/work/recovery/rules.test.ts"] };
/** Random histories of two contexts against a reference model. A bug here is caught within 1,000 of them. */
const model: Suite = {
  project: "laws: core",
  files: ["packages/core/test/features/unit-of-work/model/model.law.test.ts"],
  env: { PARTITA_MODEL_RUNS: "2000", PARTITA_MODEL_SEED: "2" },
};

/** The same where code cannot be made of text: classes are read and written by loops. */
const modelByLoops: Suite = { ...model, env: { ...model.env, PARTITA_LOOPS: "1" } };

const src = "packages/core/src";
const changeSet = { file: `${src}/work/unit-of-work/change-set.ts`, caughtBy: model };
const mergeRow = { file: `${src}/work/unit-of-work/merge-row.ts`, caughtBy: model };
const accept = { file: `${src}/work/unit-of-work/accept.ts`, caughtBy: model };
const tracker = { file: `${src}/work/unit-of-work/change-tracker.ts`, caughtBy: model };
const sendBatches = { file: `${src}/work/save/send-batches.ts`, caughtBy: model };

/** What goes wrong when changes are found, sent and accepted. */
export const unitOfWorkBugs: readonly Bug[] = [
  {
    ...changeSet,
    name: "drop If-Match from merges",
    function: "updateOf",
    find: `{ type: "merge", entity: $BODY, etag: $ETAG }`,
    replace: `{ type: "merge", entity: $BODY, etag: "*" }`,
  },
  {
    ...changeSet,
    name: "delete whatever version is stored",
    find: `{ type: "delete", key: $KEY, etag: $ETAG }`,
    replace: `{ type: "delete", key: $KEY, etag: "*" }`,
  },
  {
    ...mergeRow,
    name: "adopt the ETag on appendOnly",
    find: `$ENTRY.isStale = $ETAG !== $ENTRY.etag`,
    replace: `$ENTRY.etag = $ETAG`,
  },
  {
    ...accept,
    name: "lose the image that was sent",
    function: "acceptCommitted",
    find: `$ENTRY.snapshot = $AFTER;`,
  },
  {
    ...accept,
    name: "keep the old ETag after a save",
    function: "acceptCommitted",
    find: `$ENTRY.etag = $ETAG;`,
  },
  {
    ...mergeRow,
    name: "preserveChanges drops edits",
    find: `$OPTION === "preserveChanges" && $INTENT !== "remove"`,
    replace: `$OPTION !== "preserveChanges" && $INTENT !== "remove"`,
  },
  {
    ...mergeRow,
    name: "a projected row makes an entity whole",
    find: `$OLD.isWhole && $SAME`,
    replace: `true`,
  },
  {
    ...mergeRow,
    name: "a projected row of another version keeps an entity whole",
    find: `$OLD.isWhole && $SAME`,
    replace: `$OLD.isWhole`,
  },
  {
    ...changeSet,
    name: "clearing merges instead of replacing",
    find: `$CLEARED.length > 0 || $WHOLE || $SNAPSHOT.age === "older"`,
    replace: `$WHOLE`,
  },
  {
    caughtBy: modelByLoops,
    file: `${src}/model/codec/snapshot.ts`,
    name: "replace without undeclared properties",
    function: "restoreStored",
    find: `for (const $NAME in $UNDECLARED) $STATEMENT;`,
  },
  {
    ...sendBatches,
    name: "a conflict after a lost answer is an answer",
    find: `$LOST === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $PROOF`,
    replace: `$FAILURE.applied === "no" ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $PROOF`,
  },
  {
    ...sendBatches,
    name: "repeat unconditional writes",
    find: `$MARKER === undefined ? maySendAgain($BATCH) : $YOUNG`,
    replace: `true`,
  },
  {
    ...sendBatches,
    name: "a lost answer means success",
    find: `$LOST === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $PROOF`,
    given: `$CHANGES.map(($CHANGE, $I) => committed($CHANGE, $ETAG, $ATTEMPT, "response"))`,
    replace: `$LOST === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $CHANGES.map(($CHANGE) => committed($CHANGE, undefined, $ATTEMPT, "response"))`,
  },
  {
    ...sendBatches,
    name: "a lost answer means failure",
    find: `if ($FAILURE.applied === "maybe") $LOST = $FAILURE;`,
  },
  {
    caughtBy: rules,
    file: `${src}/work/recovery/rules.ts`,
    name: "one equal row proves a transaction",
    find: `$MEMBERS.includes("equal") && $MEMBERS.every($ISASSENT)`,
    replace: `$MEMBERS.includes("equal")`,
  },
  {
    ...accept,
    file: `${src}/work/recovery/outcome.ts`,
    name: "lose unknown outcomes",
    find: `if ($LOST !== undefined) ledger.add($LOST.attempt, $CHANGE, $LOST.state);`,
  },
  {
    caughtBy: model,
    file: `${src}/work/recovery/resolve-attempts.ts`,
    name: "send again what may be stored",
    find: `if (!$MAYSEND) this.#block(entry, $NEWEST);`,
  },
  {
    caughtBy: model,
    file: `${src}/work/save/lost-responses.ts`,
    name: "an in-doubt write is not kept out",
    find: `if ($STORED !== undefined) $ENTRY.explicitlyModified = $PROPERTIES;`,
  },
  {
    ...mergeRow,
    name: "adopt the ETag of a projected row",
    find: `$LOADED !== undefined && !$SAME && $KNOWSMORE($OLD, $LOADED)`,
    replace: `false`,
  },
  {
    ...tracker,
    name: "a removed entity's key is lost to its successor",
    find: `if ($TRACKED.replaced !== undefined) $MAP.add($TRACKED.replaced);`,
  },
  {
    ...tracker,
    name: "remove and add under one key inserts",
    find: `{ type: "add", ...($ETAG !== undefined && { replaces: $ETAG }) } as const`,
    replace: `{ type: "add" } as const`,
  },
  { ...tracker, name: "discard keeps the values", find: `restoreValues($TRACKED);` },
  {
    caughtBy: model,
    file: `${src}/model/codec/comparison.ts`,
    name: "what was not loaded is never changed",
    find: `if ($KEPT === notLoaded) return $VALUE === undefined;`,
    replace: `if ($KEPT === notLoaded) return true;`,
  },
  {
    ...tracker,
    name: "two instances under one key",
    find: `if ($REPLACED.intent.type !== "remove") throw duplicateKey($MODEL, $KEY);`,
  },
];
