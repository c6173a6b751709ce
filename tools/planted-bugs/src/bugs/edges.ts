import type { Bug, Suite } from "../bug.ts";

const unit = (file: string): Suite => ({ project: "unit: core", files: [`packages/core/test/${file}`] });

/** Bugs at the edges of a store: its responses, its pages, its values. */
export const edgeBugs: readonly Bug[] = [
  {
    name: "a bare 204 of a proxy counts as success",
    function: "checkSuccess",
    find: `$WRITE && !isOfService($ANSWER)`,
    replace: `false`,
    caughtBy: {
      project: "services: core",
      files: ["packages/core/test/stores/azure/failures.service.test.ts"],
    },
  },
  {
    name: "pages with repeating tokens are followed forever",
    function: "followQuery",
    find: `$NEXT !== undefined && ($NEXT === $AFTER || $TOKENS.repeats($NEXT))`,
    replace: `$NEXT !== undefined && $NEXT === $AFTER`,
    caughtBy: unit("storage/follow-pages.test.ts"),
  },
  {
    name: "1e999 in a response is read as Infinity",
    function: "checkNumbers",
    find: `typeof $VALUE === "number" && !Number.isFinite($VALUE)`,
    replace: `typeof $VALUE === "number" && Number.isNaN($VALUE)`,
    caughtBy: { project: "laws: core", files: ["packages/core/test/stores/azure/entity-json.law.test.ts"] },
  },
  {
    name: "first() returns nothing if its row is deleted during its upgrade",
    function: "firstRows",
    find: `$AT < $ROWS.length && $PREPARED.length < $COUNT`,
    replace: `$AT === 0 && $PREPARED.length < $COUNT`,
    caughtBy: unit("features/upgrade-writes.test.ts"),
  },
  {
    name: "an import accepts a row with two values under one name",
    function: "rowOfJson",
    find: `if ($COUNT !== Object.keys($MEMBERS).length) throw $ERROR;`,
    caughtBy: { project: "unit: transfer", files: ["packages/transfer/test/import-table.test.ts"] },
  },
];
