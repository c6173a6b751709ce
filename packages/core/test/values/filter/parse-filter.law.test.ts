import { isLong } from "@partita/test-support/effort";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { filterNode } from "@partita/testing/arbitraries";
import { expect, test } from "vitest";
import { odata } from "../../../src/index.ts";
import type { FilterNode } from "../../../src/storage.ts";
import { parseFilter } from "../../../src/values/filter/parse-filter.ts";
import { printFilter } from "../../../src/values/filter/print-filter.ts";

const runs = isLong ? 100_000 : 20_000;

propertyTest.prop([filterNode()], { numRuns: runs })("what was printed reads back the same", (node) => {
  expect(parseFilter(printFilter(node))).toEqual(node);
});

propertyTest.prop([filterNode()], { numRuns: runs })("constants inside it read back the same", (node) => {
  const filter = withConstants(node);

  expect(parseFilter(printFilter(filter))).toEqual(filter);
});

/** The filter with `true` or `false` for each comparison with one of them. */
function withConstants(node: FilterNode): FilterNode {
  if ("nodes" in node) return { op: node.op, nodes: node.nodes.map(withConstants) };
  if ("node" in node) return { op: node.op, node: withConstants(node.node) };
  const value = "literal" in node ? node.literal.value : node.value;
  return typeof value === "boolean" ? { op: "constant", value } : node;
}

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
});

test.each([
  "",
  "A eq",
  "true false",
  "not",
  "'true'",
  "true(",
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
  "A eq 5454161346626",
  "A eq -2147483649",
  `A${"a".repeat(300)} eq 1`,
  `${"(".repeat(100_000)}A eq 1`,
  `A eq '${"x".repeat(20_000_000)}'`,
  `A eq '${"''".repeat(8_000_000)}'`,
  `${"not ".repeat(100_000)}A eq 1`,
])("refuses %#", (text) => {
  expect(() => parseFilter(text)).toThrow(expect.objectContaining({ code: "query.filter-syntax" }) as Error);
});

test.each([
  ['A eq "x"', 5, "text needs single quotation marks"],
  ["A eq 'x", 5, "text needs single quotation marks"],
  ["A = 1", 2, "operators are words: eq, ne, gt, ge, lt, le, and, or, not"],
  ["A eq 1 && B eq 2", 7, "operators are words"],
])("the message for %s names the syntax of filters", (text, at, problem) => {
  expect(() => parseFilter(text)).toThrow(`The filter cannot be read at character ${at}: ${problem}`);
});

test("a property alone is a Boolean that is true", () => {
  const isTrue = { op: "eq", name: "A", literal: { edm: "Edm.Boolean", value: true } };

  expect(parseFilter("A")).toEqual(isTrue);
  expect(parseFilter("not A")).toEqual({ op: "not", node: isTrue });
  expect(parseFilter("(A) and B eq 1")).toMatchObject({ op: "and", nodes: [isTrue, { name: "B" }] });
});

test("true and false stand alone as constants, in any case", () => {
  const all = { op: "constant", value: true };
  const none = { op: "constant", value: false };

  for (const text of ["true", "True", "TRUE", "(tRuE)"]) expect(parseFilter(text)).toEqual(all);
  for (const text of ["false", "False", "FALSE"]) expect(parseFilter(text)).toEqual(none);
  expect(parseFilter("not false")).toEqual({ op: "not", node: none });
  expect(parseFilter("true and RowKey eq 'r'")).toMatchObject({
    op: "and",
    nodes: [all, { name: "RowKey" }],
  });
  expect(odata`A eq 1 or ${false}`.node).toMatchObject({ op: "or", nodes: [{ name: "A" }, none] });
});

test("true and false are constants beside a property in any case, and a property of that name compares", () => {
  const isTrue = { edm: "Edm.Boolean", value: true };

  expect(parseFilter("A eq True")).toEqual({ op: "eq", name: "A", literal: isTrue });
  expect(parseFilter("TRUE ne A")).toEqual({ op: "ne", name: "A", literal: isTrue });
  expect(parseFilter("True eq 'x'")).toMatchObject({ name: "True", literal: { value: "x" } });
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
  const values = [
    2 ** 31,
    -(2 ** 62),
    1e300,
    1.5,
    odata.double(3),
    5n,
    true,
    new Date(0),
    new Uint8Array([10, 255]),
    odata.guid(id),
  ];
  expect(values.map((value) => printFilter(odata`P eq ${value}`.node))).toEqual([
    "P eq 2147483648L",
    "P eq -4611686018427387904L",
    "P eq 1e+300",
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

test("text of a filter with a lone surrogate, or a number beyond Double, is refused", () => {
  const strings = (text: string): TemplateStringsArray => Object.assign([text], { raw: [text] });
  for (const text of ["P eq '\ud800'", "P eq 'a\udc00b'", "P eq 1e999", "P eq -1e999", "P gt 1e999d"])
    for (const read of [(): unknown => parseFilter(text), (): unknown => odata(strings(text))])
      expect(read).toThrow(expect.objectContaining({ code: "query.filter-syntax" }) as Error);
});

test("a value between quotes, or as part of a name, is refused", () => {
  expect(() => odata`P eq '${"x"}'`).toThrow(/cannot be read/);
  expect(() => odata`P${"x"} eq 1`).toThrow(/cannot be read/);
  expect(() => odata.guid("x' or 1 eq 1 or P eq guid'y")).toThrow(
    expect.objectContaining({ code: "query.odata-value" }) as Error,
  );
});
