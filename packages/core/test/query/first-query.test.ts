import { beforeEach, expect, test, vi } from "vitest";
import type * as Core from "../../src/index.ts";
import type * as Stores from "../../src/storage.ts";

// A program may bring a storage of its own and open none. Each test is such a program, in which nothing has run yet.

let core: typeof Core;
let requests: number;

beforeEach(async () => {
  vi.resetModules();
  core = await import("../../src/index.ts");
  requests = 0;
});

function things() {
  const rows = ["1", "2", "3"].map((RowKey): Stores.StoredEntity => ({ PartitionKey: "p", RowKey, n: 1 }));
  const storage: Partial<Core.TableStorage> = {
    description: "own:",
    query: (_table, { top = 3 }) => {
      requests++;
      return Promise.resolve({ entities: rows.slice(0, top) });
    },
    get: () => Promise.resolve(rows[0]),
  };
  class Thing extends core.defineEntity({
    table: "Things",
    partitionKey: { part: core.text() },
    rowKey: { id: core.text() },
    properties: { n: core.int32() },
  }) {}
  const context = new core.TableContext(storage as Core.TableStorage);
  return { Thing, context, query: context.query(Thing).where({ part: "p" }) };
}

test("a first query is answered", async () => {
  await expect(things().query.toArray()).resolves.toHaveLength(3);
});

test("a first query is streamed", async () => {
  const found: string[] = [];
  for await (const { id } of things().query) found.push(id);
  expect(found).toEqual(["1", "2", "3"]);
});

test("several first queries at once are each answered", async () => {
  const { query } = things();
  const [count, first, page] = await Promise.all([query.count(), query.first(), query.page({ size: 2 })]);
  expect([count, first?.id, page.entities.length]).toEqual([3, "1", 2]);
});

test("a first query that would scan is refused, and nothing is sent", async () => {
  const { context, Thing } = things();
  await expect(context.query(Thing).toArray()).rejects.toBeInstanceOf(core.ScanRefused);
  expect(requests).toBe(0);
});

test("a first query is explained, and nothing is sent", () => {
  expect(things().query.explain()).toMatchObject({ type: "partition scan" });
  expect(requests).toBe(0);
});

test("a first query meets what its context has found and edited meanwhile", async () => {
  const { context, query, Thing } = things();
  const reading = query.toArray();
  const thing = await context.find(Thing, { part: "p", id: "1" });
  if (thing !== undefined) thing.n = 2;
  const [first] = await reading;
  expect(first).toBe(thing);
  expect(first?.n).toBe(2);
});

test("a first query that was cancelled before sends nothing", async () => {
  const { query } = things();
  const reading = query.toArray({ signal: AbortSignal.abort() });
  await expect(reading).rejects.toMatchObject({ code: "storage.cancelled" });
  expect(requests).toBe(0);
});

test("a stream that is never stepped sends nothing, and ends", async () => {
  const stream = things().query.stream();
  await expect(stream.return(undefined)).resolves.toEqual({ done: true, value: undefined });
  expect(requests).toBe(0);
});

test("a page is of the options that the call had", async () => {
  const { query } = things();
  const options = { size: 1 };
  const page = query.page(options);
  options.size = 3;
  expect((await page).entities).toHaveLength(1);
});

test("a first query is sent at the call", async () => {
  const { query } = things();
  const reading = query.toArray();
  expect(requests).toBe(1);
  await reading;
});
