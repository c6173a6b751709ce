// Random rows and filters for the laws of stores that evaluate filters in SQL.

import type { EntityKey, TableStorage } from "@partita/core";
import type { FilterNode, Literal, StoredEntity, WriteOperation } from "@partita/core/storage";
import { filterLiteral, filterNode, hostileText, storedEntity } from "@partita/testing/arbitraries";
import fc from "fast-check";
import { families, member, type Value } from "./equal-values.ts";

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constant("n") },
  { weight: 1, arbitrary: fc.constantFrom("m", "N", "__proto__", "x_y", "Übergröße") },
);
/** Texts of keys, with those that sort differently by code points and by UTF-16 units. */
export const keyText: fc.Arbitrary<string> = fc.oneof(
  hostileText(3).map((text) => text.replaceAll(/[/\\#?\p{Cc}]/gu, "")),
  fc.constantFrom("a", "b", "\ue000", "\u{10000}"),
);

export type WriteType = WriteOperation["type"];

/** A row's key, and what is done to it, one after the other. */
export type RowCase = readonly [
  partitionKey: string,
  rowKey: string,
  writes: readonly (readonly [type: WriteType, properties: object])[],
];

export function operationOf(type: WriteType, key: EntityKey, properties: object): WriteOperation {
  if (type === "delete") return { type, key, etag: "*" };
  // Spreading keeps a member called __proto__.
  const entity: StoredEntity = { ...properties, PartitionKey: key.partitionKey, RowKey: key.rowKey };
  return type === "merge" || type === "replace" ? { type, entity, etag: "*" } : { type, entity };
}

export const writeType: fc.Arbitrary<WriteType> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("insert" as const, "upsert-merge" as const, "upsert-replace" as const),
  },
  { weight: 4, arbitrary: fc.constantFrom("merge" as const, "replace" as const) },
  { weight: 1, arbitrary: fc.constant("delete" as const) },
);

const rowOf = (value: fc.Arbitrary<Value>): fc.Arbitrary<RowCase> => {
  const properties = fc
    .uniqueArray(fc.tuple(name, value), { maxLength: 4, selector: ([key]) => key })
    .map((drawn) => Object.fromEntries(drawn.flatMap(([key, each]) => member(key, each))));
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(
        keyText,
        keyText,
        fc.array(fc.tuple(writeType, properties), { minLength: 1, maxLength: 4 }),
      ),
    },
    {
      weight: 1,
      arbitrary: storedEntity().map(
        ({ PartitionKey, RowKey, ...rest }) => [PartitionKey, RowKey, [["insert", rest]]] as const,
      ),
    },
  );
};

function filterOf(value: fc.Arbitrary<Value>): fc.Arbitrary<FilterNode> {
  const comparison: fc.Arbitrary<FilterNode> = fc.record({
    op: fc.oneof(
      { weight: 4, arbitrary: fc.constant("eq" as const) },
      { weight: 1, arbitrary: fc.constantFrom("ne", "gt", "ge", "lt", "le") },
    ),
    name: fc.oneof({ weight: 9, arbitrary: name }, { weight: 1, arbitrary: fc.constant("Timestamp") }),
    literal: fc.oneof(
      { weight: 9, arbitrary: value.map(([edm, each]): Literal => ({ edm, value: each })) },
      { weight: 1, arbitrary: filterLiteral() },
    ),
  });
  const keyComparison: fc.Arbitrary<FilterNode> = fc.record({
    op: fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
    name: fc.constantFrom("PartitionKey", "RowKey"),
    literal: fc.oneof(
      { weight: 5, arbitrary: keyText.map((each): Literal => ({ edm: "Edm.String", value: each })) },
      { weight: 1, arbitrary: filterLiteral() },
    ),
  });
  const { filter } = fc.letrec<{ filter: FilterNode }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      { weight: 5, arbitrary: comparison },
      { weight: 1, arbitrary: keyComparison },
      {
        weight: 2,
        arbitrary: fc.record({
          op: fc.constantFrom("and" as const, "or" as const),
          nodes: fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ op: fc.constant("not" as const), node: tie("filter") }) },
      { weight: 1, arbitrary: filterNode() },
    ),
  }));
  return filter;
}

/** Rows of a table with values of one family, and filters on them. */
export const scanCase: fc.Arbitrary<[RowCase[], FilterNode[]]> = fc
  .constantFrom(...families)
  .chain((family) => {
    const value = fc.constantFrom(...family);
    return fc.tuple(
      fc.array(rowOf(value), { maxLength: 20 }),
      fc.array(filterOf(value), { minLength: 10, maxLength: 20 }),
    );
  });

/** Applies the writes of each row in turn. Some are refused, because of what is stored already or is not. */
export async function writeRows(
  storage: TableStorage,
  table: string,
  rows: readonly RowCase[],
): Promise<void> {
  for (const [partitionKey, rowKey, writes] of rows)
    for (const [type, properties] of writes)
      await storage
        .write(table, operationOf(type, { partitionKey, rowKey }, properties))
        .catch(() => undefined);
}
