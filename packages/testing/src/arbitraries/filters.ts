import { Ticks } from "@partita/core";
import type { FilterNode, Literal } from "@partita/core/storage";
import fc from "fast-check";
import { hostileText, int64Value, storableDate } from "./values.ts";

/** Constants of every type. */
export const filterLiteral = (): fc.Arbitrary<Literal> =>
  fc.oneof(
    hostileText(8).map((value): Literal => ({ edm: "Edm.String", value })),
    fc.integer().map((value): Literal => ({ edm: "Edm.Int32", value })),
    int64Value().map((value): Literal => ({ edm: "Edm.Int64", value: String(value) })),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value): Literal => ({ edm: "Edm.Double", value })),
    fc.boolean().map((value): Literal => ({ edm: "Edm.Boolean", value })),
    storableDate().map((value): Literal => ({
      edm: "Edm.DateTime",
      value: Ticks.fromDate(value).toString(),
    })),
    fc.uuid().map((value): Literal => ({ edm: "Edm.Guid", value })),
    fc
      .uint8Array({ maxLength: 8 })
      .map((value): Literal => ({ edm: "Edm.Binary", value: Buffer.from(value).toString("base64") })),
  );

/**
 * Filters of comparisons, negations and lists, without the constants `true` and `false`, which Azurite refuses to
 * negate.
 *
 * @param name - stored names to compare; by default keys, and names that look like operators
 */
export function filterNode(name: fc.Arbitrary<string> = anyName): fc.Arbitrary<FilterNode> {
  const { tree } = fc.letrec<{ tree: FilterNode }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.record({
        op: fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
        name,
        literal: filterLiteral(),
      }) as fc.Arbitrary<FilterNode>,
      fc.record({
        op: fc.constantFrom("and", "or"),
        nodes: fc.array(tie("tree"), { minLength: 2, maxLength: 3 }),
      }) as fc.Arbitrary<FilterNode>,
      fc.record({ op: fc.constant("not"), node: tie("tree") }) as fc.Arbitrary<FilterNode>,
    ),
  }));
  return tree;
}

const anyName = fc.constantFrom(
  "PartitionKey",
  "RowKey",
  "Timestamp",
  "Rating",
  "not",
  "and",
  "or",
  "eq",
  "true",
  "X",
  "guid",
  "datetime",
  "Übergröße",
  "_m",
  "a1",
  "ﬁ",
  "x\u0301",
);
