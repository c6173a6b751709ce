import { sizeOfBase64 } from "../../edm/base64.ts";
import { canonicalDateTime } from "../../edm/date-time-text.ts";
import { parseDouble } from "../../edm/double.ts";
import { packedLength, packedMark } from "../../edm/packed-bytes.ts";
import { annotationOf } from "../../edm/stored-entity.ts";
import type { Comparison, FilterNode, Literal } from "../../filter/filter-node.ts";
import type { KeyName } from "../../keys/key-rules.ts";

/**
 * A condition on a row's columns that SQLite can test without the row being parsed. It is necessary for a filter, never
 * sufficient: each row that satisfies the filter satisfies its test; the filter itself still decides on the others.
 */
export type RowTest =
  /** The stored text holds this text, and right behind it one of these characters, or this text in capitals or not. */
  | { readonly contains: string; readonly nextOf?: string; readonly anyCase?: string }
  | { readonly key: KeyName; readonly op: Comparison["op"]; readonly text: string }
  | { readonly every: readonly RowTest[] }
  | { readonly some: readonly RowTest[] };

/** What is known of each row that satisfies a filter; undefined when nothing is. */
export interface RowTests {
  /** What the index holds of it, so that rows that fail are not even read. */
  readonly indexTest?: RowTest;
  /** What its stored text holds too. */
  readonly rowTest?: RowTest;
}

/**
 * The tests for a filter. Stored text is what `JSON.stringify` makes of the properties: without spaces, each value in one
 * form only.
 */
export function testsOf(filter: FilterNode): RowTests {
  const rowTest = testOf(filter);
  const indexTest = rowTest && indexPartOf(rowTest);
  return {
    ...(isShort(indexTest) && { indexTest }),
    ...(isShort(rowTest) && { rowTest }),
  };
}

/** SQLite limits the depth of an expression, and so many tests cost as much as parsing. */
const maxTests = 100;

const isShort = (test: RowTest | undefined): test is RowTest =>
  test !== undefined && countTests(test) <= maxTests;

/** The part of a test that the index decides. */
function indexPartOf(test: RowTest): RowTest | undefined {
  if ("every" in test) return every(test.every.map(indexPartOf));
  if ("some" in test) return some(test.some.map(indexPartOf));
  return "contains" in test ? undefined : test;
}

function testOf(node: FilterNode): RowTest | undefined {
  switch (node.op) {
    case "and":
      return every(node.nodes.map(testOf));
    case "or":
      return some(node.nodes.map(testOf));
    case "not":
    case "constant":
      return undefined;
    case "eq":
    case "ne":
    case "gt":
    case "ge":
    case "lt":
    case "le":
      return testOfComparison(node);
    default:
      return node satisfies never;
  }
}

function testOfComparison({ op, name, literal }: Comparison): RowTest | undefined {
  if (name === "PartitionKey" || name === "RowKey")
    return literal.edm === "Edm.String" ? { key: name, op, text: String(literal.value) } : undefined;
  if (name === "Timestamp") return undefined;
  // Every comparison with an absent property is false.
  if (op !== "eq") return { contains: member(name) };
  return testOfText(name, literal);
}

/** What the text of a row holds where a property equals a constant. */
function testOfText(name: string, { edm, value }: Literal): RowTest | undefined {
  switch (edm) {
    case "Edm.String":
    case "Edm.Boolean":
      return { contains: member(name) + JSON.stringify(value) };
    case "Edm.Int32":
    case "Edm.Int64":
      return testOfWhole(name, BigInt(value as string | number));
    case "Edm.Double": {
      const number = parseDouble(value) ?? Number.NaN;
      const asText = every([doubleAnnotation(name), { contains: `${member(name)}"` }]);
      return Number.isFinite(number)
        ? some([{ contains: member(name) + JSON.stringify(number) }, asText])
        : asText;
    }
    case "Edm.DateTime":
      return { contains: `${member(name)}"${commonDateTime(String(value))}` };
    case "Edm.Guid":
      return { contains: `${member(name)}"`, anyCase: String(value) };
    case "Edm.Binary": {
      const asBase64 = { contains: `${member(name)}"${commonBase64(String(value))}` };
      const asPacked = { contains: `${member(name)}"${packedMark}` };
      return sizeOfBase64(String(value)) < packedLength ? asBase64 : some([asBase64, asPacked]);
    }
    default:
      return edm satisfies never;
  }
}

/** An Int32, an Int64, which is text, or a Double of either form. */
function testOfWhole(name: string, value: bigint): RowTest | undefined {
  const number = JSON.stringify(Number(value));
  return every([
    // One look for both forms turns most rows away.
    { contains: member(name), nextOf: `${number.slice(0, 1)}"` },
    some([
      { contains: member(name) + number },
      every([
        { contains: member(name), nextOf: '"' },
        some([
          { contains: `${member(name)}"${value}"` },
          // An Int64 may have been written with zeros before it.
          { contains: `${member(name)}"0` },
          { contains: `${member(name)}"-0` },
          doubleAnnotation(name),
        ]),
      ]),
    ]),
  ]);
}

/** How a property begins in stored text. Quotation marks within values are escaped, so that few values look like it. */
const member = (name: string): string => `${JSON.stringify(name)}:`;

/** A Double that is text may be written in many ways. */
const doubleAnnotation = (name: string): RowTest => ({
  contains: `${member(annotationOf(name))}"Edm.Double"`,
});

/** What all texts of one time begin with: the seconds, and the fraction without the zeros at its end. */
const commonDateTime = (text: string): string =>
  (canonicalDateTime(text) ?? "")
    .slice(0, -1)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

/** What all base64 texts of the same bytes begin with: the last, incomplete group may have unused bits. */
function commonBase64(text: string): string {
  const bytes = Buffer.from(text, "base64");
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
}

/** Those that are known; undefined when none is. */
function every(tests: readonly (RowTest | undefined)[]): RowTest | undefined {
  const known = tests.filter((test) => test !== undefined);
  return known.length < 2 ? known[0] : { every: known };
}

/** Undefined when one of them is not known: it may hold for any row. */
function some(tests: readonly (RowTest | undefined)[]): RowTest | undefined {
  const known = tests.filter((test) => test !== undefined);
  if (known.length < tests.length) return undefined;
  return known.length < 2 ? known[0] : { some: known };
}

function countTests(test: RowTest): number {
  const tests = "every" in test ? test.every : "some" in test ? test.some : undefined;
  return tests === undefined ? 1 : tests.reduce((sum, each) => sum + countTests(each), 0);
}
