import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { ContinuationToken, FilterNode } from "@partita/core/storage";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterNode, randomClass, storedEntity } from "../src/arbitraries.ts";
import { startTableServer } from "@partita/server";
import { assertRequests, entityFactory, virtualClock } from "../src/index.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { n: int32(), title: text().default("untitled") },
}) {}

const notes = entityFactory(Note, (n) => ({ book: "b", id: String(n).padStart(4, "0"), n }));

describe("assertRequests", () => {
  test("tells which requests a piece of work sent", async () => {
    const storage = await openStorage("memory:");
    await createTables(storage, [Note]);
    const context = new TableContext(storage);

    const stored = await assertRequests(["transact Notes 3"], () => notes.store(context, 3));
    expect(stored).toHaveLength(3);
    await assertRequests([], () => context.saveChanges());
    await assertRequests(["write Notes", "query Notes"], async () => {
      (stored[0] as Note).n = 9;
      await context.saveChanges();
      await context.query(Note).where({ book: "b" }).toArray();
    });
    await assertRequests(
      ["get Notes", "get Notes"],
      async () => {
        const other = new TableContext(storage);
        await Promise.all(stored.slice(0, 2).map(({ book, id }) => other.find(Note, { book, id })));
      },
      { inOrder: false },
    );
  });

  test("fails with both lists, and counts only the work it was given", async () => {
    const storage = await openStorage("memory:");
    await createTables(storage, [Note]);
    const find = (): Promise<unknown> => new TableContext(storage).find(Note, { book: "b", id: "1" });
    const beside = find();

    await expect(assertRequests([], find)).rejects.toThrow(/sent 1 requests: get Notes/);
    await assertRequests(["get Notes"], find);
    await beside;
  });
});

test("a factory numbers its entities, and takes values in place of its own", async () => {
  const factory = entityFactory(Note, (n) => ({ book: "b", id: `${n}`, n }));

  expect([factory.build(), factory.build()]).toMatchObject([
    { id: "1", n: 1, title: "untitled" },
    { id: "2", n: 2 },
  ]);
  expect(factory.build({ title: "x" })).toMatchObject({ id: "3", title: "x" });
  const context = new TableContext(await openStorage("memory:"));
  expect(context.entry(factory.add(context)).state).toBe("added");
});

test("a virtual clock moves when somebody waits, side by side", async () => {
  const clock = virtualClock(1000);
  await Promise.all([clock.wait(500), clock.wait(300)]);
  expect(clock.now()).toBe(1500);
  clock.advance(10);
  expect([clock.now(), clock.waits]).toEqual([1510, [500, 300]]);
});

/** A number with a fraction is a Double whether it says so or not. */
const withoutNeedlessTypes = (entity: object): unknown[] => {
  const members = Object.entries(entity) as [string, unknown][];
  const isFraction = (name: string): boolean => {
    const value = members.find(([other]) => `${other}@odata.type` === name)?.[1];
    return typeof value === "number" && !Number.isInteger(value);
  };
  return members.filter(([name]) => !isFraction(name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
};

test("random entities are stored as they are, in a file and over every format of the wire", async () => {
  await using server = await startTableServer();
  const inner = await openStorage("memory:");
  const storages = [
    inner,
    await openStorage(server.connectionString),
    await openStorage(server.connectionString, { format: "atom", tablePrefix: "Atom" }),
    await openStorage(server.connectionString, { metadata: "full", tablePrefix: "Full" }),
  ];
  for (const storage of storages) await storage.createTable("Things");
  await fc.assert(
    fc.asyncProperty(storedEntity(), async (entity) => {
      for (const storage of storages) {
        await storage.write("Things", { type: "upsert-replace", entity });
        const key = { partitionKey: entity.PartitionKey, rowKey: entity.RowKey };
        const { Timestamp: _time, "odata.etag": _etag, ...found } = (await storage.get("Things", key)) ?? {};
        expect(withoutNeedlessTypes(found)).toEqual(withoutNeedlessTypes(entity));
      }
    }),
    { numRuns: 150 },
  );
});

test("entities of random classes come back as they were", async () => {
  const storage = await openStorage("memory:");
  await storage.createTable("Things");
  const one = randomClass("Things").chain((random) => random.values.map((values) => ({ ...random, values })));
  await fc.assert(
    fc.asyncProperty(one, async ({ entityClass, values }) => {
      const [writer, reader] = [new TableContext(storage), new TableContext(storage)];
      const entity = new (entityClass as new (values: object) => object)(values);
      writer.upsert(entity, "replace");
      await writer.saveChanges();
      const { pk, rk } = values;
      expect(await reader.find(entityClass, { pk, rk } as never)).toEqual(entity);
    }),
    { numRuns: 200 },
  );
});

test("random filters find the same over the wire as in the store", async () => {
  const inner = await openStorage("memory:");
  await using server = await startTableServer({ storage: inner });
  const remote = await openStorage(server.connectionString);
  await inner.createTable("Things");
  for (const entity of fc.sample(storedEntity(), { numRuns: 60, seed: 3 }))
    await inner.write("Things", { type: "upsert-replace", entity: { ...entity, Rating: 3, X: "x" } });
  await fc.assert(
    fc.asyncProperty(filterNode(), async (filter) => {
      expect(await allKeys(remote, filter)).toEqual(await allKeys(inner, filter));
    }),
    { numRuns: 300 },
  );
});

/** The keys on all pages: a store may end a page early when it has taken long. */
async function allKeys(storage: TableStorage, filter: FilterNode): Promise<string[][]> {
  const keys: string[][] = [];
  for (let after: ContinuationToken | undefined, isOver = false; !isOver;) {
    const page = await storage.query("Things", { filter, ...(after !== undefined && { after }) });
    keys.push(...page.entities.map(({ PartitionKey, RowKey }) => [PartitionKey, RowKey]));
    after = page.next;
    isOver = after === undefined;
  }
  return keys;
}
