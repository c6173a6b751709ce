import { fc, test as propertyTest } from "@fast-check/vitest";
import { hostileText, int64Value, storableDate } from "@partita/testing";
import { expect, test } from "vitest";
import { type FilterNode, type Literal, odata, Ticks } from "../../src/index.ts";
import { parseFilter } from "../../src/filter/parse-filter.ts";
import { printFilter } from "../../src/filter/print-filter.ts";

const runs = process.env["PARTITA_LONG"] === undefined ? 20_000 : 100_000;

const name = fc.oneof(
  fc.constantFrom(
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
  ),
  fc.constantFrom("Übergröße", "_m", "a1", "ﬁ", "x\u0301"),
);
const literal: fc.Arbitrary<Literal> = fc.oneof(
  hostileText(8).map((value): Literal => ({ edm: "Edm.String", value })),
  fc.integer().map((value): Literal => ({ edm: "Edm.Int32", value })),
  int64Value().map((value): Literal => ({ edm: "Edm.Int64", value: String(value) })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value): Literal => ({ edm: "Edm.Double", value })),
  fc.boolean().map((value): Literal => ({ edm: "Edm.Boolean", value })),
  storableDate().map((value): Literal => ({ edm: "Edm.DateTime", value: Ticks.fromDate(value).toString() })),
  fc.uuid().map((value): Literal => ({ edm: "Edm.Guid", value })),
  fc
    .uint8Array({ maxLength: 8 })
    .map((value): Literal => ({ edm: "Edm.Binary", value: Buffer.from(value).toString("base64") })),
);
const { tree } = fc.letrec<{ tree: FilterNode }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.record({
      op: fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
      name,
      literal,
    }) as fc.Arbitrary<FilterNode>,
    fc.record({
      op: fc.constantFrom("and", "or"),
      nodes: fc.array(tie("tree"), { minLength: 2, maxLength: 3 }),
    }) as fc.Arbitrary<FilterNode>,
    fc.record({ op: fc.constant("not"), node: tie("tree") }) as fc.Arbitrary<FilterNode>,
  ),
}));

propertyTest.prop([tree], { numRuns: runs })("what was printed reads back the same", (node) => {
  expect(parseFilter(printFilter(node))).toEqual(node);
});

propertyTest.prop([fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[ ()'aeqnd19.LX-]{0,20}$/))], {
  numRuns: runs,
})("any text is a filter or a typed error", (text) => {
  try {
    parseFilter(text);
  } catch (error) {
    expect(error).toMatchObject({ code: "query.filter-syntax" });
    if (text.length > 3) expect((error as Error).message.slice(0, 60)).not.toContain(text);
  }
});

test("or binds weaker than and, and a constant may stand on the left", () => {
  expect(printFilter(parseFilter("A eq 1 or B eq 2 and 'x' lt C"))).toBe("A eq 1 or (B eq 2 and C gt 'x')");
  expect(printFilter(parseFilter("not(A eq 1)and(B ge 2.5d)"))).toBe("not (A eq 1) and B ge 2.5");
  expect(parseFilter("A eq 3000000000")).toMatchObject({
    literal: { edm: "Edm.Int64", value: "3000000000" },
  });
});

test.each([
  "",
  "A eq",
  "true",
  "A eq 1 B eq 2",
  "A eq B",
  "1 eq 1",
  "(A eq 1",
  "A eq 1)",
  "A == 1",
  "A eq 'x",
  "A eq datetime'yesterday'",
  "A eq guid'1'",
  "A eq X'0'",
  "A eq 9223372036854775808L",
  "A eq 1e400",
  "startswith(A, 'x')",
  "A eq 1x",
  `A${"a".repeat(300)} eq 1`,
  `${"(".repeat(100_000)}A eq 1`,
  `${"not ".repeat(100_000)}A eq 1`,
])("refuses %#", (text) => {
  expect(() => parseFilter(text)).toThrow(expect.objectContaining({ code: "query.filter-syntax" }) as Error);
});

test("a property alone is a Boolean that is true", () => {
  const isTrue = { op: "eq", name: "A", literal: { edm: "Edm.Boolean", value: true } };

  expect(parseFilter("A")).toEqual(isTrue);
  expect(parseFilter("not A")).toEqual({ op: "not", node: isTrue });
  expect(parseFilter("(A) and B eq 1")).toMatchObject({ op: "and", nodes: [isTrue, { name: "B" }] });
});

test("values in odata`…` are constants of their type and never text", () => {
  const hostile = "zz' or PartitionKey ne '";

  expect(odata`Name eq ${hostile} and Rating ge ${3}`.node).toEqual({
    op: "and",
    nodes: [
      { op: "eq", name: "Name", literal: { edm: "Edm.String", value: hostile } },
      { op: "ge", name: "Rating", literal: { edm: "Edm.Int32", value: 3 } },
    ],
  });
  const id = "a455c695-df98-5678-aaaa-81d3367e5a34";
  const values = [1.5, odata.double(3), 5n, true, new Date(0), new Uint8Array([10, 255]), odata.guid(id)];
  expect(values.map((value) => printFilter(odata`P eq ${value}`.node))).toEqual([
    "P eq 1.5",
    "P eq 3.0",
    "P eq 5L",
    "P eq true",
    "P eq datetime'1970-01-01T00:00:00.0000000Z'",
    "P eq X'0AFF'",
    `P eq guid'${id}'`,
  ]);
});

test.each([
  { toString: () => "1 or 1 eq 1" },
  Object("text") as unknown,
  ["a"],
  null,
  undefined,
  () => 1,
  Symbol("x"),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2n ** 63n,
  "\ud800",
  new Date(Number.NaN),
])("refuses odd values: %#", (value) => {
  expect(() => odata`P eq ${value as string}`).toThrow(
    expect.objectContaining({ code: "query.odata-value" }) as Error,
  );
});

test("a value between quotes, or as part of a name, is refused", () => {
  expect(() => odata`P eq '${"x"}'`).toThrow(/cannot be read/);
  expect(() => odata`P${"x"} eq 1`).toThrow(/cannot be read/);
  expect(() => odata.guid("x' or 1 eq 1 or P eq guid'y")).toThrow(
    expect.objectContaining({ code: "query.odata-value" }) as Error,
  );
});
