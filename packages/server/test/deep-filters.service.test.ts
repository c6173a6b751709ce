import { defineEntity, int32, openStorage, TableContext, type TableStorage, text } from "@partita/core";
import { type FilterNode, parseFilter, printFilter } from "@partita/core/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { type Ask, asker, codeIn } from "./ask.ts";

// Filters that are nested as deep as one may: each door takes them, or refuses them with a code.

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { n: int32() },
}) {}

let server: TableServer;
let ask: Ask;
let memory: TableStorage;
let client: TableStorage;
beforeAll(async () => {
  memory = await openStorage("memory:");
  await memory.createTable("Things");
  await memory.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 1 } });
  server = await startTableServer({ storage: memory });
  client = await openStorage(server.connectionString);
  ask = asker(server);
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const leaf = (n: number): FilterNode => ({ op: "eq", name: "n", literal: { edm: "Edm.Int32", value: n } });

/** Nodes inside each other, each of which is true for the row. */
const shapes: Readonly<Record<string, (inner: FilterNode, level: number) => FilterNode>> = {
  and: (inner) => ({ op: "and", nodes: [inner] }),
  or: (inner) => ({ op: "or", nodes: [leaf(2), inner] }),
  "and and or": (inner, level) =>
    level % 2 === 0 ? { op: "and", nodes: [leaf(1), inner] } : { op: "or", nodes: [inner, leaf(2)] },
  "not twice": (inner, level) =>
    level % 2 === 0 ? { op: "not", node: inner } : { op: "and", nodes: [inner, leaf(1)] },
};

const nested = (shape: string, levels: number): FilterNode => {
  let node = leaf(1);
  for (let level = 1; level < levels; level++) node = (shapes[shape] as (typeof shapes)[string])(node, level);
  return node;
};

describe.each(Object.keys(shapes))("a filter of %s", (shape) => {
  test.each([1, 50, 99, 100])("of %i levels is taken by memory, over REST and as text", async (levels) => {
    const filter = nested(shape, levels);
    const found = (await memory.query("Things", { filter })).entities.length;

    expect((await client.query("Things", { filter })).entities).toHaveLength(found);
    expect(parseFilter(printFilter(filter))).toBeDefined();
    const { status } = await ask(`/Things()?$filter=${encodeURIComponent(printFilter(filter))}`);
    expect(status).toBe(200);
  });

  test.each([101, 500, 5000, 100_000])(
    "of %i levels is refused by both with the same code",
    async (levels) => {
      const filter = nested(shape, levels);
      const refused = { code: "storage.invalid-input", applied: "no", status: 400 };

      await expect(memory.query("Things", { filter })).rejects.toMatchObject(refused);
      await expect(client.query("Things", { filter })).rejects.toMatchObject(refused);
    },
  );
});

test.each(["(".repeat(300), "not ".repeat(300), "not (".repeat(2000)])(
  "text that is nested too deep is a refusal: %#",
  async (start) => {
    const { status, text: body } = await ask(`/Things()?$filter=${encodeURIComponent(`${start}n eq 1`)}`);

    expect([status, codeIn(body)]).toEqual([400, "InvalidInput"]);
  },
);

/** Alternatives and negations inside each other, through where(). */
const count = (storage: TableStorage, levels: number): Promise<number> =>
  new TableContext(storage)
    .query(Thing)
    .where((thing) => {
      let condition = thing.n.eq(1);
      for (let level = 0; level < levels; level++)
        condition =
          level % 2 === 0 ? condition.and(thing.n.ne(2 + level)) : condition.or(thing.n.eq(2)).not().not();
      return condition;
    })
    .scan()
    .count();

test.each([1, 10, 24])(
  "conditions of where() with %i steps are taken by memory and over REST",
  async (steps) => {
    expect(await count(memory, steps)).toBe(await count(client, steps));
  },
);

test.each([60, 500, 5000])(
  "conditions of where() with %i steps are refused before a request",
  async (steps) => {
    for (const storage of [memory, client])
      await expect(async () => count(storage, steps)).rejects.toMatchObject({ code: "query.too-deep" });
  },
);
