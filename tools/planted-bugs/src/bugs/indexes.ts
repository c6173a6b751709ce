import type { Bug, Suite } from "../bug.ts";

/**
 * Random histories of classes with indexes. Index rows must follow the entities' own rows, and queries must
 * find the right entities.
 */
const law: Suite = {
  project: "laws: core",
  files: ["packages/core/test/features/indexes/index-rows.law.test.ts"],
  env: { PARTITA_INDEX_RUNS: "1000", PARTITA_INDEX_SEED: "1" },
};

/** Writes of index rows, with another program's changes just before them. */
const writes: Suite = {
  project: "unit: core",
  files: ["packages/core/test/features/indexes/index-writes.test.ts"],
};

/** States of indexes as storage records them, and two releases with one table. */
const states: Suite = {
  project: "unit: core",
  files: ["packages/core/test/features/indexes/index-states.test.ts"],
};

/** Bugs in index rows and unique values. */
export const indexBugs: readonly Bug[] = [
  {
    caughtBy: states,
    name: "an unrecorded index counts as ready",
    find: `($INHERITED ? $STATE : undefined) ?? "unrecorded"`,
    replace: `"ready"`,
  },
  {
    name: "a build mistakes changed rows for those that it wrote",
    function: "unchanged",
    find: `!$FOUND.equals($VERSIONS)`,
    replace: `false`,
    caughtBy: {
      project: "unit: maintenance",
      files: ["packages/maintenance/test/indexes/build-index.test.ts"],
    },
  },
  {
    caughtBy: states,
    name: "an index is built for unknown kinds",
    find: `$UNCHANGED === undefined ? $VERIFYING.knowsAllKinds : $BUILD.knowsAllKinds`,
    replace: `true`,
  },
  {
    caughtBy: states,
    name: "the indexes of an earlier table stay recorded",
    find: `if ($CREATED) await clearIndexStates($STORAGE, $TABLE, $OPTIONS);`,
  },
  {
    caughtBy: states,
    name: "an upgrade leaves unbuilt unique indexes without rows",
    function: "indexRowsOf",
    find: `!$INDEX.isUnique || (!$INDEX.isOverTable && $STATE !== "ready")`,
    replace: `!$INDEX.isUnique`,
  },
  {
    caughtBy: law,
    name: "an index row's old key is not deleted",
    function: "indexRowsIn",
    find: `$OLD !== undefined && $OLD !== $NOW`,
    replace: `false`,
  },
  {
    caughtBy: law,
    name: "a row of a unique index is an upsert",
    function: "indexRowsIn",
    find: `$INDEX.isUnique ? "insert" : "upsert-replace"`,
    replace: `"upsert-replace"`,
  },
  {
    caughtBy: writes,
    name: "a write of any version that found no row has no condition",
    function: "underVersion",
    find: `{ ...$ASKED, etag: $ETAG ?? noVersion }`,
    replace: `{ ...$ASKED, etag: $ETAG ?? "*" }`,
  },
  {
    caughtBy: law,
    name: "the values of an attached entity are indexed without a read",
    function: "mergedOver",
    find: `$ENTITY[$NAME] === undefined ? $BEFORE : $AFTER`,
    replace: `$AFTER ?? $BEFORE`,
  },
  {
    caughtBy: law,
    name: "copies have the kind of entities",
    function: "indexRowWith",
    find: `$ROWS.kind?.name`,
    replace: `kind?.name`,
  },
  {
    caughtBy: law,
    name: "an upgrade does not change index copies",
    function: "groupsOf",
    find: `$MODEL.indexes.length === 0 ? none : $COPIES`,
    replace: `none`,
  },
  {
    caughtBy: law,
    name: "an index is chosen that lacks entities, or has them in another order",
    function: "choosePath",
    find: `fixesAll($QUERY, $OTHER)`,
    replace: `true`,
  },
  {
    caughtBy: { project: "unit: core", files: ["packages/core/test/features/indexes/index-queries.test.ts"] },
    name: "a base class is read beyond its index",
    function: "rowFormsOf",
    find: `$MODEL.index === undefined && $MODEL.kind === undefined && $KINDS > 0`,
    replace: `$MODEL.kind === undefined && $KINDS > 0`,
  },
];
