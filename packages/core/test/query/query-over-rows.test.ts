import { rowsOf } from "@partita/test-support/rows";
import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  fromPlain,
  openStorage,
  owned,
  TableContext,
  text,
  toPlain,
} from "../../src/index.ts";
import { queryOverRows, type ReadableRows, rowsOfNew } from "../../src/internal-planner.ts";
import { constant, padded } from "../../src/keys.ts";
import type { StoredEntity, TableStorage } from "../../src/storage.ts";

class Base extends defineEntity({
  table: "Orders",
  partitionKey: { tenant: text() },
  rowKey: { id: constant("ID:", text()) },
  properties: {},
}) {}
class Order extends defineKind(Base, {
  kind: "Order",
  properties: { state: text() },
  indexes: { byState: { rowKey: { state: constant("STATE:", text()), id: text() } } },
  children: { lines: owned(() => Line) },
}) {}
class Line extends defineKind(Base, { kind: "Line", rowKey: { no: padded(4) } }) {}

const orders = (): Order[] =>
  ["7", "8", "9"].map((id, i) =>
    fromPlain(Order, { tenant: "acme", id, state: i === 1 ? "paid" : "open", lines: [{ no: 1 }] }),
  );

async function savedRows(storage: TableStorage): Promise<StoredEntity[]> {
  await createTables(storage, [Order, Line]);
  await using context = new TableContext(storage);
  for (const order of orders()) context.add(order);
  await context.saveChanges();
  return await rowsOf(storage, "Orders");
}

test("rowsOfNew() returns the rows that a save inserts, with those of indexes and children", async () => {
  await using storage = await openStorage("memory:");

  const saved = await savedRows(storage);

  const rows = orders()
    .flatMap((order) => rowsOfNew(order))
    .flatMap((each) => each.rows.map(({ row }) => row));
  expect(rows).toHaveLength(9);
  const byKey = (a: StoredEntity, b: StoredEntity): number => (a.RowKey < b.RowKey ? -1 : 1);
  expect(rows.toSorted(byKey)).toEqual(saved);
});

describe("a query over rows", () => {
  const notWritten = (): never => {
    throw new Error("not written");
  };
  const portOf = (storage: TableStorage): ReadableRows => ({
    get: (table, key) => storage.get(table, key),
    async readRows(table, query) {
      const { entities, next } = await storage.query(table, query);
      return { rows: entities, ...(next !== undefined && { next }) };
    },
  });

  test("returns the entities of a context's query, and reports the row of each", async () => {
    await using storage = await openStorage("memory:");
    await savedRows(storage);
    const reported: string[] = [];
    const onEntity = (_entity: object, { RowKey }: StoredEntity): void => void reported.push(RowKey);
    const query = queryOverRows([Order], portOf(storage), { onEntity, notWritten });
    const byContext = new TableContext(storage).query(Order).where({ tenant: "acme", state: "open" });

    const found = await query.where({ tenant: "acme", state: "open" } as object).toArray();

    expect(found.map((order) => toPlain(order))).toEqual(
      (await byContext.toArray()).map((order) => toPlain(order)),
    );
    expect(reported).toEqual(["ID:7", "ID:9"]);
  });

  test("loads children", async () => {
    await using storage = await openStorage("memory:");
    await savedRows(storage);
    const query = queryOverRows([Order], portOf(storage), { onEntity: () => undefined, notWritten });

    const [order] = await query
      .where({ tenant: "acme", id: "8" } as object)
      .include(() => ({ relation: "lines" }) as never)
      .toArray();

    expect(toPlain(order as Order)).toMatchObject({ id: "8", lines: [{ id: "8", no: 1 }] });
  });

  test("refuses to write", async () => {
    await using storage = await openStorage("memory:");
    const query = queryOverRows([Order, Line], portOf(storage), { onEntity: () => undefined, notWritten });

    await expect(query.where({ tenant: "acme" } as object).removeAll()).rejects.toThrow("not written");
  });
});
