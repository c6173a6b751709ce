import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredQuery } from "../../src/storage.ts";
import { followPages, TokenWatch } from "../../src/storage/follow-pages.ts";
import { forwardStorage } from "../../src/storage/forward-storage.ts";
import { rename, upgrades } from "../../src/upgrades.ts";
import { census, upgradeTable } from "@partita/maintenance";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  version: upgrades({ A: int32() }).to(2, rename("A", "B")),
  properties: { B: int32() },
}) {}

const repeated = { name: "QueryError", code: "query.token-repeated" };

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The tokens of these pages, and how many requests a store may get before somebody has to notice. */
interface Circle {
  readonly start: number;
  readonly length: number;
}

const circles: readonly Circle[] = [
  { start: 0, length: 1 },
  { start: 1, length: 2 },
  { start: 5, length: 3 },
  { start: 20, length: 7 },
];

/** A store of one table whose pages never end: after `start` of them, the same `length` come again and again. */
async function circling(
  { start, length }: Circle,
  table: string,
  rows: "empty" | "full" = "full",
): Promise<TableStorage> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Order]);
  let asked = 0;
  const query = async (asking: string, stored: StoredQuery): ReturnType<TableStorage["query"]> => {
    if (asking !== table) return inner.query(asking, stored);
    if (++asked > 10 * (start + length) + 20) throw new Error("Nobody noticed.");
    const page = stored.after === undefined ? 0 : Number(stored.after);
    const next = String(page + 1 < start + length ? page + 1 : start) as never;
    const row = { PartitionKey: "s", RowKey: String(page).padStart(5, "0"), A: page, "odata.etag": 'W/"1"' };
    return { entities: rows === "full" ? [row] : [], next };
  };
  return forwardStorage(inner, { query });
}

describe.each(circles)("tokens that repeat after $start pages, $length at a time", (circle) => {
  test("are noticed by a query, its pages and a count", async () => {
    const orders = async () =>
      new TableContext(await circling(circle, "Orders")).query(Order).where({ shop: "s" });

    await expect((await orders()).toArray()).rejects.toMatchObject(repeated);
    await expect((await orders()).count()).rejects.toMatchObject(repeated);
    await expect(collect((await orders()).pages({ size: 1 }))).rejects.toMatchObject(repeated);
  });

  test("are noticed by a census, and by an upgrade of a table and its job", async () => {
    await expect(census(await circling(circle, "Orders"), [Order])).rejects.toMatchObject(repeated);
    await expect(upgradeTable(await circling(circle, "Orders"), [Order])).rejects.toMatchObject(repeated);
    await expect(upgradeTable(await circling(circle, "PartitaJobs", "empty"), [Order])).rejects.toMatchObject(
      repeated,
    );
  });
});

test("pages are followed to their end, each token once", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  for (let i = 0; i < 5; i++)
    await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: String(i) } });

  const pages = await collect(followPages(storage, "Things", { top: 2 }));

  expect(pages.map(({ entities }) => entities.map(({ RowKey }) => RowKey))).toEqual([
    ["0", "1"],
    ["2", "3"],
    ["4"],
  ]);
});

test("a watch finds a circle after three times its length at the latest, behind any beginning", () => {
  for (let start = 0; start < 12; start++)
    for (let length = 1; length < 12; length++) {
      const watch = new TokenWatch();
      let asked = 0;
      const token = (): string => String(asked < start ? `start ${asked}` : (asked - start) % length);
      while (!watch.repeats(token())) asked++;
      expect(asked).toBeLessThanOrEqual(3 * (start + length));
    }
});
