import { fc, test as propertyTest } from "@fast-check/vitest";
import { filterLiteral, filterNode, hostileText, storedEntity } from "@partita/testing/arbitraries";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  type EntityKey,
  type FilterNode,
  type Literal,
  openStorage,
  type StoredEntity,
  type TableStorage,
  type WriteOperation,
} from "../../../src/index.ts";
import { testsOf } from "../../../src/adapters/embedded/row-test.ts";
import { families, member, type Value } from "./equal-values.ts";
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

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constant("n") },
  { weight: 1, arbitrary: fc.constantFrom("m", "N", "__proto__", "x_y", "Übergröße") },
);
const keyText = fc.oneof(
  hostileText(3).map((text) => text.replaceAll(/[/\\#?\p{Cc}]/gu, "")),
  fc.constantFrom("a", "b", "\ue000", "\u{10000}"),
);

type WriteType = WriteOperation["type"];

/** A row's key, and what is done to it, one after the other. */
type RowCase = readonly [
  partitionKey: string,
  rowKey: string,
  writes: readonly (readonly [type: WriteType, properties: object])[],
];

function operationOf(type: WriteType, key: EntityKey, properties: object): WriteOperation {
  if (type === "delete") return { type, key, etag: "*" };
  // Spreading keeps a member called __proto__.
  const entity: StoredEntity = { ...properties, PartitionKey: key.partitionKey, RowKey: key.rowKey };
  return type === "merge" || type === "replace" ? { type, entity, etag: "*" } : { type, entity };
}

const writeType: fc.Arbitrary<WriteType> = fc.oneof(
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
      // Some are refused, for what is there already or is not.
      await Promise.allSettled(
        rows.flatMap(([partitionKey, rowKey, writes]) =>
          writes.map(([type, properties]) =>
            storage.write("Things", operationOf(type, { partitionKey, rowKey }, properties)),
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
