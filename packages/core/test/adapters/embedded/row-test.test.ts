import { fc, test as propertyTest } from "@fast-check/vitest";
import { filterLiteral, filterNode, hostileText, storedEntity } from "@partita/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  type FilterNode,
  type Literal,
  openStorage,
  type StoredValue,
  type TableStorage,
} from "../../../src/index.ts";
import { testsOf } from "../../../src/adapters/embedded/row-test.ts";
import { evaluateFilter, lookupIn } from "../../../src/filter/evaluate-filter.ts";

let folder = "";
let memory: TableStorage;
let file: TableStorage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  memory = await openStorage("memory:");
  file = await openStorage(`file:${join(folder, "scan.db")}`, { durability: "normal" });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await memory.close();
  await file.close();
  await rm(folder, { recursive: true });
});

type Value = readonly [edm: Literal["edm"], value: StoredValue];

const of = (edm: Literal["edm"], ...values: readonly StoredValue[]): Value[] =>
  values.map((value) => [edm, value] as const);

const second = "2024-01-01T00:00:00";
const guid = "c9da6455-213d-42c9-9a79-3e9149a57833";

/** Values that are equal though they are written in other ways, or that begin as another one does. */
const families: readonly (readonly Value[])[] = [
  [...of("Edm.Int32", 0), ...of("Edm.Int64", "0", "-0", "00"), ...of("Edm.Double", 0, "-0.0", "0e5", ".0")],
  [
    ...of("Edm.Int32", 5, 50, 51),
    ...of("Edm.Int64", "5", "005", "50"),
    ...of("Edm.Double", 5, 5.5, 50, "5.0", "+5", "0.5e1", "50E-1", "5."),
  ],
  [...of("Edm.Int32", -5), ...of("Edm.Int64", "-5", "-05"), ...of("Edm.Double", -5, "-5.0", -0.5)],
  [
    ...of("Edm.Int64", "9223372036854775807", "9223372036854775806", "9007199254740993"),
    ...of("Edm.Double", 2 ** 63, 9_007_199_254_740_992, "9223372036854775808"),
  ],
  of("Edm.Double", 5e-7, "0.0000005", 1e21, "1e21", "1000000000000000000000", 0.1, ".1"),
  of("Edm.Double", "NaN", "Infinity", "INF", "-Infinity", "-INF"),
  [
    ...of("Edm.DateTime", `${second}Z`, second, `${second}.0Z`, `${second}.0000000Z`, "2024-01-01T00:00:10Z"),
    ...of("Edm.DateTime", `${second}.1Z`, `${second}.100`, `${second}.1000000Z`, `${second}.1000001Z`),
    ...of("Edm.String", second),
  ],
  [...of("Edm.Guid", guid, guid.toUpperCase()), ...of("Edm.String", guid)],
  // Unused bits of the last character may be set.
  of("Edm.Binary", "", "QQ==", "QR==", "QUI=", "QUJ=", "QUJD", "QUJDRA==", "QUJDRB==", "+/+/"),
  [...of("Edm.Boolean", true, false), ...of("Edm.String", "true")],
  of(
    "Edm.String",
    "",
    "5",
    "*",
    "?",
    "[a]",
    "a",
    "]",
    "[",
    '"',
    '"n":5',
    "\\",
    "\\u0000",
    "\0",
    "\n",
    "\u2028",
    "é",
  ),
  [493, 494, 495, 496].flatMap((length) =>
    of("Edm.String", ...["x", "y", "😀x", "😀y"].map((end) => "a".repeat(length) + end)),
  ),
];

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constant("n") },
  { weight: 1, arbitrary: fc.constantFrom("m", "N", "__proto__", "x_y", "Übergröße") },
);
const keyText = fc.oneof(
  hostileText(3).map((text) => text.replaceAll(/[/\\#?\p{Cc}]/gu, "")),
  fc.constantFrom("a", "b", "\ue000", "\u{10000}"),
);

/** A property as it is stored. */
function member(key: string, [edm, value]: Value): [string, StoredValue][] {
  const isPlain = edm === "Edm.String" || edm === "Edm.Int32" || edm === "Edm.Boolean";
  return isPlain
    ? [[key, value]]
    : [
        [`${key}@odata.type`, edm],
        [key, value],
      ];
}

type RowCase = readonly [partitionKey: string, rowKey: string, first: object, second: object | undefined];

const rowOf = (value: fc.Arbitrary<Value>): fc.Arbitrary<RowCase> => {
  const properties = fc
    .uniqueArray(fc.tuple(name, value), { maxLength: 4, selector: ([key]) => key })
    .map((drawn) => Object.fromEntries(drawn.flatMap(([key, each]) => member(key, each))));
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(keyText, keyText, properties, fc.option(properties, { nil: undefined })),
    },
    {
      weight: 1,
      arbitrary: storedEntity().map(
        ({ PartitionKey, RowKey, ...rest }) => [PartitionKey, RowKey, rest, undefined] as const,
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

const scanCase = fc.constantFrom(...families).chain((family) => {
  const value = fc.constantFrom(...family);
  return fc.tuple(
    fc.array(rowOf(value), { maxLength: 20 }),
    fc.array(filterOf(value), { minLength: 10, maxLength: 20 }),
  );
});

propertyTest.prop([scanCase], {
  numRuns: 150,
})(
  "a scan returns exactly the rows that satisfy its filter, from memory and from a file",
  async ([rows, filters]) => {
    for (const storage of [memory, file]) {
      await storage.deleteTable("Things").catch(() => undefined);
      await storage.createTable("Things");
      await Promise.all(
        rows.flatMap(([PartitionKey, RowKey, first, second]) =>
          [first, second].flatMap((each) =>
            each === undefined
              ? []
              : [
                  storage.write("Things", {
                    type: "upsert-merge",
                    // Spreading keeps a member called __proto__.
                    entity: { ...each, PartitionKey, RowKey },
                  }),
                ],
          ),
        ),
      );
      const { entities: all } = await storage.query("Things", {});
      for (const each of filters) {
        const { entities, next } = await storage.query("Things", { filter: each });

        expect(next).toBeUndefined();
        expect(entities).toEqual(all.filter((entity) => evaluateFilter(each, lookupIn(entity))));
      }
    }
  },
);

const eq = (key: string, literal: Literal): FilterNode => ({ op: "eq", name: key, literal });
const five: Literal = { edm: "Edm.Int32", value: 5 };

test.each<[name: string, literal: Literal, hits: number]>([
  ["a whole number", { edm: "Edm.Int32", value: 299 }, 1],
  ["an Int64", { edm: "Edm.Int64", value: "299" }, 0],
  ["text", { edm: "Edm.String", value: "nothing has it" }, 0],
])("a scan for %s parses only rows that may match", async (_name, literal, hits) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  for (let from = 0; from < 300; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert",
        entity: { PartitionKey: "p", RowKey: `${from + i}`, n: from + i },
      })),
    );
  const parse = vi.spyOn(JSON, "parse");

  const { entities } = await storage.query("Things", { filter: eq("n", literal) });

  expect(entities).toHaveLength(hits);
  expect(parse.mock.calls.length).toBeLessThanOrEqual(1);
});

test("a filter of which nothing is known of the stored text has no test", () => {
  const not: FilterNode = { op: "not", node: eq("n", five) };

  expect(testsOf(not)).toEqual({});
  expect(testsOf({ op: "or", nodes: [eq("n", five), not] })).toEqual({});
  expect(testsOf({ op: "and", nodes: [eq("n", five), not] })).toEqual(testsOf(eq("n", five)));
});

test.each([50, 5000])("a filter of %d constants finds what one of them finds", async (count) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 5 } });
  const nodes = Array.from({ length: count }, (_, value) => eq("n", { edm: "Edm.Int32", value }));

  expect((await storage.query("Things", { filter: { op: "or", nodes } })).entities).toHaveLength(1);
});
