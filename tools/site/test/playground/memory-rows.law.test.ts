import { openStorage } from "@partita/core";
import type { StoredQuery } from "@partita/core/internal/planner";
import type { FilterNode, StoredEntity, TableStorage } from "@partita/core/storage";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MemoryRows } from "../../src/playground/engine/memory-rows.ts";

// The memory of the playground against the embedded storage, with the same rows and queries.

const texts = ["", "a", "A", "aa", "b", "é"];
const rows: StoredEntity[] = texts.flatMap((PartitionKey, p) =>
  texts.map((RowKey, r) => ({ PartitionKey, RowKey, n: (7 * p + 3 * r) % 10, text: `${RowKey}${p}` })),
);
const memory = new MemoryRows();
let storage: TableStorage;

beforeAll(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Rows");
  for (const entity of rows) {
    memory.add("Rows", entity);
    await storage.write("Rows", { type: "insert", entity });
  }
});
afterAll(() => storage.close());

const comparison = fc.oneof(
  fc.record({
    op: fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"),
    name: fc.constantFrom("PartitionKey", "RowKey", "text"),
    literal: fc.record({ edm: fc.constant("Edm.String" as const), value: fc.constantFrom(...texts) }),
  }),
  fc.record({
    op: fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"),
    name: fc.constantFrom("n", "absent"),
    literal: fc.record({ edm: fc.constant("Edm.Int32" as const), value: fc.integer({ min: 0, max: 9 }) }),
  }),
) as fc.Arbitrary<FilterNode>;
const filter: fc.Arbitrary<FilterNode> = fc.oneof(
  comparison,
  fc.record({
    op: fc.constantFrom("and", "or"),
    nodes: fc.array(comparison, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ op: fc.constant("not"), node: comparison }),
) as fc.Arbitrary<FilterNode>;

/** The keys and values of all pages. */
async function read(
  pages: (query: StoredQuery) => Promise<{ rows: readonly object[]; next?: unknown }>,
  query: StoredQuery,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: StoredQuery["after"];
  do {
    const page = await pages({ ...query, ...(after !== undefined && { after }) });
    for (const row of page.rows as readonly StoredEntity[])
      found.push([row.PartitionKey, row.RowKey, row["n"], row["text"]]);
    after = page.next as StoredQuery["after"];
  } while (after !== undefined);
  return found;
}

test("reads the rows of a query as the embedded storage does, in any pages", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        { filter, top: fc.integer({ min: 1, max: 50 }), select: fc.constant(["n"]) },
        { requiredKeys: [] },
      ),
      async (query) => {
        const stored = await read(async (page) => {
          const { entities, next } = await storage.query("Rows", page);
          return { rows: entities, next };
        }, query);

        expect(await read((page) => memory.port.readRows("Rows", page, undefined), query)).toEqual(stored);
      },
    ),
  );
});

test("refuses a second row with a key", () => {
  expect(memory.add("Rows", rows[4] as StoredEntity)).toBe(false);
});
