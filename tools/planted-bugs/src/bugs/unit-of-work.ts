import type { Bug, Suite } from "../bug.ts";

/** The rules for lost responses. */
const rules: Suite = {
  project: "unit: core",
  files: ["packages/core/test/work/recovery/lost-response-rules.test.ts"],
};
/**
 * Random histories of two contexts, compared with a reference model. It catches a bug here within 1,000
 * histories.
 */
const model: Suite = {
  project: "laws: core",
  files: ["packages/core/test/features/unit-of-work/model/model.law.test.ts"],
  env: { PARTITA_MODEL_RUNS: "2000", PARTITA_MODEL_SEED: "2" },
};

/** The same without generated code: classes are read and written with loops. */
const modelByLoops: Suite = { ...model, env: { ...model.env, PARTITA_LOOPS: "1" } };

/** Bugs in detecting, sending and accepting changes. */
export const unitOfWorkBugs: readonly Bug[] = [
  {
    caughtBy: model,
    name: "drop If-Match from merges",
    function: "updateOf",
    find: `{ type: "merge", entity: $BODY, etag: $ETAG }`,
    replace: `{ type: "merge", entity: $BODY, etag: "*" }`,
  },
  {
    caughtBy: model,
    name: "delete any stored version",
    function: "plainChangeOf",
    find: `{ type: "delete", key: $KEY, etag: $ETAG }`,
    replace: `{ type: "delete", key: $KEY, etag: "*" }`,
  },
  {
    caughtBy: model,
    name: "adopt the ETag on appendOnly",
    find: `$ENTRY.isStale = $ETAG !== $ENTRY.etag`,
    replace: `$ENTRY.etag = $ETAG`,
  },
  {
    caughtBy: model,
    name: "lose the image that was sent",
    function: "acceptCommitted",
    find: `$ENTRY.snapshot = $AFTER;`,
  },
  {
    caughtBy: model,
    name: "keep the old ETag after a save",
    function: "acceptCommitted",
    find: `$ENTRY.etag = $ETAG;`,
  },
  {
    caughtBy: model,
    name: "preserveChanges drops edits",
    find: `$OPTION === "preserveChanges" && $INTENT !== "remove"`,
    replace: `$OPTION !== "preserveChanges" && $INTENT !== "remove"`,
  },
  {
    caughtBy: model,
    name: "a projected row makes an entity complete",
    function: "combine",
    find: `$OLD.isComplete && $SAME`,
    replace: `true`,
  },
  {
    caughtBy: model,
    name: "a projected row of another version leaves an entity complete",
    function: "combine",
    find: `$OLD.isComplete && $SAME`,
    replace: `$OLD.isComplete`,
  },
  {
    caughtBy: model,
    name: "clearing merges instead of replacing",
    find: `$CLEARED.length > 0 || $WHOLE || $SNAPSHOT.age === "older"`,
    replace: `$WHOLE`,
  },
  {
    caughtBy: modelByLoops,
    name: "replace without undeclared properties",
    function: "rowOfValues",
    find: `for (const $NAME in $UNDECLARED) $STATEMENT;`,
  },
  {
    caughtBy: model,
    name: "a conflict after a lost response counts as a refusal",
    find: `$LOST === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $PROOF`,
    replace: `$FAILURE.applied === "no" ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $PROOF`,
  },
  {
    caughtBy: model,
    name: "repeat unconditional writes",
    find: `$MARKER === undefined ? appliesAtMostOnce($BATCH) : $YOUNG`,
    replace: `true`,
  },
  {
    caughtBy: model,
    name: "a lost response means success",
    find: `$LOST === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $PROOF`,
    given: `$CHANGES.map(($CHANGE, $I) => committed($CHANGE, $ETAG, $ATTEMPT, "response"))`,
    replace: `$LOST === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $ATTEMPT) : $CHANGES.map(($CHANGE) => committed($CHANGE, undefined, $ATTEMPT, "response"))`,
  },
  {
    caughtBy: model,
    name: "a lost response means failure",
    find: `if ($FAILURE.applied === "maybe") $LOST = $FAILURE;`,
  },
  {
    caughtBy: rules,
    name: "one equal row proves a transaction",
    find: `$MEMBERS.includes("equal") && $MEMBERS.every($ISASSENT)`,
    replace: `$MEMBERS.includes("equal")`,
  },
  {
    caughtBy: model,
    name: "lose unknown outcomes",
    find: `if ($LOST !== undefined) ledger.add($LOST.attempt, $CHANGE, $LOST.state);`,
  },
  {
    caughtBy: model,
    name: "send a possibly stored write again",
    find: `if (!$MAYSEND) this.#block(entry, $NEWEST);`,
  },
  {
    caughtBy: model,
    name: "an unknown write is not kept out",
    function: "rewriteInDoubt",
    find: `if ($STORED !== undefined) $ENTRY.explicitlyModified = $PROPERTIES;`,
  },
  {
    caughtBy: model,
    name: "adopt the ETag of a projected row",
    find: `$LOADED !== undefined && !$SAME && $KNOWSMORE($OLD, $LOADED)`,
    replace: `false`,
  },
  {
    caughtBy: model,
    name: "a deleted entity's key is lost to its successor",
    find: `if ($TRACKED.replaced !== undefined) $MAP.add($TRACKED.replaced);`,
  },
  {
    caughtBy: model,
    name: "remove and add under one key inserts",
    find: `{ type: "add", ...($ETAG !== undefined && { replaces: $ETAG }) } as const`,
    replace: `{ type: "add" } as const`,
  },
  { caughtBy: model, name: "discard keeps the values", find: `restoreValues($TRACKED);` },
  {
    caughtBy: model,
    name: "a property that was not loaded never counts as changed",
    find: `if ($KEPT === notLoaded) return $VALUE === undefined || $PROPERTY.serializer.isEmpty?.($VALUE) === true;`,
    replace: `if ($KEPT === notLoaded) return true;`,
  },
  {
    caughtBy: model,
    name: "two instances under one key",
    find: `if ($REPLACED.intent.type !== "remove") throw duplicateKey($MODEL, $KEY, $REPLACED.model);`,
  },
];
