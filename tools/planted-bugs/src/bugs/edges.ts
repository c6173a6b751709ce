import type { Bug, Suite } from "../bug.ts";

const unit = (file: string): Suite => ({ project: "unit: core", files: [`packages/core/test/${file}`] });

/** Bugs at the edges of a store: its responses, its pages, its values. */
export const edgeBugs: readonly Bug[] = [
  {
    name: "a bare 204 of a proxy is a success",
    function: "checkSuccess",
    find: `$WRITE && !isOfService($ANSWER)`,
    replace: `false`,
    caughtBy: {
      project: "services: core",
      files: ["packages/core/test/stores/azure/failures.service.test.ts"],
    },
  },
  {
    name: "pages whose tokens repeat are followed for ever",
    function: "followQuery",
    find: `$NEXT !== undefined && ($NEXT === $AFTER || $TOKENS.repeats($NEXT))`,
    replace: `$NEXT !== undefined && $NEXT === $AFTER`,
    caughtBy: unit("storage/follow-pages.test.ts"),
  },
  {
    name: "1e999 of an answer is Infinity",
    function: "checkNumbers",
    find: `typeof $VALUE === "number" && !Number.isFinite($VALUE)`,
    replace: `typeof $VALUE === "number" && Number.isNaN($VALUE)`,
    caughtBy: { project: "laws: core", files: ["packages/core/test/stores/azure/entity-json.law.test.ts"] },
  },
  {
    name: "first() is not filled up where its row is removed during its upgrade",
    function: "firstRows",
    find: `$AT < $ROWS.length && $PREPARED.length < $COUNT`,
    replace: `$AT === 0 && $PREPARED.length < $COUNT`,
    caughtBy: unit("features/upgrade-writes.test.ts"),
  },
  {
    name: "of two values under one name, an import keeps the last",
    function: "rowOfJson",
    find: `if ($COUNT !== Object.keys($MEMBERS).length) throw $ERROR;`,
    caughtBy: { project: "unit: transfer", files: ["packages/transfer/test/import-table.test.ts"] },
  },
];
