import { expect, test } from "vitest";
import type { EdmType } from "../../../src/index.ts";
import type { FilterNode, StoredValue } from "../../../src/storage.ts";
import { printFilter, printLiteral } from "../../../src/values/filter/print-filter.ts";

test.each<[EdmType, StoredValue, string]>([
  ["Edm.String", "it's", "'it''s'"],
  ["Edm.String", "zz' or PartitionKey ne '", "'zz'' or PartitionKey ne '''"],
  ["Edm.Int32", 30, "30"],
  ["Edm.Int64", "30", "30L"],
  ["Edm.Double", 3, "3.0"],
  ["Edm.Double", 100.25, "100.25"],
  ["Edm.Double", 1e21, "1e+21"],
  ["Edm.Boolean", true, "true"],
  ["Edm.DateTime", "2008-07-10T00:00:00Z", "datetime'2008-07-10T00:00:00Z'"],
  ["Edm.Guid", "a455c695-df98-5678-aaaa-81d3367e5a34", "guid'a455c695-df98-5678-aaaa-81d3367e5a34'"],
  ["Edm.Binary", "Cv8=", "X'0AFF'"],
])("prints %s %j as %s", (edm, value, text) => {
  expect(printLiteral({ edm, value })).toBe(text);
});

test("prints a constant as its word", () => {
  const isA: FilterNode = { op: "eq", name: "A", literal: { edm: "Edm.Int32", value: 1 } };
  const none: FilterNode = { op: "constant", value: false };

  expect(printFilter({ op: "or", nodes: [none, isA] })).toBe("false or A eq 1");
  expect(printFilter({ op: "not", node: none })).toBe("not (false)");
});

test("parenthesises lists inside lists", () => {
  const leaf = (name: string): FilterNode => ({ op: "eq", name, literal: { edm: "Edm.Int32", value: 1 } });
  const node: FilterNode = {
    op: "and",
    nodes: [leaf("A"), { op: "or", nodes: [leaf("B"), { op: "not", node: leaf("C") }] }],
  };

  expect(printFilter(node)).toBe("A eq 1 and (B eq 1 or not (C eq 1))");
});
