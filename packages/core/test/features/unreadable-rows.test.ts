import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  enumOf,
  int32,
  openStorage,
  type Query,
  TableContext,
  type TableStorage,
  text,
  UnreadableRow,
} from "../../src/index.ts";
import type { QueryEvent } from "../../src/observe.ts";
import { padded } from "../../src/keys.ts";
import { retype, upgrades } from "../../src/upgrades.ts";

// One row in the middle of a list that cannot be read, for each reason there is.

class Task extends defineEntity({
  table: "Tasks",
  partitionKey: { list: text() },
  rowKey: { id: padded(2) },
  properties: { state: enumOf(["open", "done"]), size: int32(), note: text().optional() },
}) {}

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { list: text() },
  rowKey: { id: padded(2) },
  properties: { size: int32() },
  version: upgrades({ Size: text() }).to(
    2,
    retype("Size", "size", int32(), (value: string) => {
      if (value === "bad") throw new Error("bad");
      return Number(value);
    }),
  ),
}) {}

class Shape extends defineEntity({
  table: "Shapes",
  partitionKey: { list: text() },
  rowKey: { id: padded(2) },
  properties: { size: int32() },
}) {}
class Circle extends defineKind(Shape, { kind: "Circle" }) {}

type Members = Readonly<Record<string, string | number | boolean>>;

interface Reason {
  readonly name: string;
  readonly entityClass: typeof Task | typeof Order | typeof Shape;
  readonly usual: Members;
  readonly odd: Members;
  readonly rowKey?: string;
  readonly code: string;
  readonly property?: string;
}

const task = { state: "open", size: 1 };
const reasons: readonly Reason[] = [
  {
    name: "an unknown value of an enum",
    entityClass: Task,
    usual: task,
    odd: { ...task, state: "later" },
    code: "edm.malformed",
    property: "state",
  },
  {
    name: "another EDM type",
    entityClass: Task,
    usual: task,
    odd: { ...task, size: "1" },
    code: "edm.mismatch",
    property: "size",
  },
  {
    name: "a missing value",
    entityClass: Task,
    usual: task,
    odd: { state: "open" },
    code: "property.absent",
    property: "size",
  },
  {
    name: "an upgrade that fails",
    entityClass: Order,
    usual: { Size: "1" },
    odd: { Size: "bad" },
    code: "upgrade.step-failed",
  },
  {
    name: "a version that is none",
    entityClass: Order,
    usual: { Size: "1" },
    odd: { Size: "1", SchemaVersion: "two" },
    code: "upgrade.version",
    property: "SchemaVersion",
  },
  {
    name: "an unknown kind",
    entityClass: Shape,
    usual: { Kind: "Circle", size: 1 },
    odd: { Kind: "Square", size: 1 },
    code: "kind.unknown",
  },
  {
    name: "a key that has no such part",
    entityClass: Task,
    usual: task,
    odd: task,
    rowKey: "11x",
    code: "key.unreadable",
  },
];

async function storeOf({ entityClass, usual, odd, rowKey = "11" }: Reason): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [entityClass, Circle]);
  const rows = { "10": usual, [rowKey]: odd, "12": usual, "13": usual };
  for (const [RowKey, members] of Object.entries(rows))
    await storage.write(tableOf(entityClass), {
      type: "insert",
      entity: { PartitionKey: "p", RowKey, ...members },
    });
  return storage;
}

const tableOf = (entityClass: Reason["entityClass"]): string =>
  (entityClass.shape as { table: string }).table;

type AnyQuery = Query<Task>;

const queryOf = (context: TableContext, { entityClass }: Reason): AnyQuery =>
  context.query(entityClass as typeof Task).where({ list: "p" });

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Every way of reading more than one row. */
const ways: Readonly<Record<string, (query: AnyQuery) => Promise<readonly unknown[]>>> = {
  toArray: (query) => query.toArray(),
  untracked: (query) => query.mergeOption("noTracking").toArray(),
  stream: (query) => all(query.stream()),
  pages: async (query) => {
    const pages = await all(query.pages({ size: 2 }));
    return pages.flatMap(({ entities }) => entities);
  },
  "in RowKey order": (query) => query.inRowKeyOrder().toArray(),
};

const idsOf = (found: readonly unknown[]): unknown[] =>
  found.map((one) => (one instanceof UnreadableRow ? `unreadable ${one.rowKey}` : (one as Task).id));

describe.each(reasons)("$name", (reason) => {
  const { code, property, rowKey = "11", entityClass } = reason;
  const table = tableOf(entityClass);

  test.each(Object.entries(ways))("is an error that names the row: %s", async (_name, read) => {
    const context = new TableContext(await storeOf(reason));

    const error = await read(queryOf(context, reason)).then(
      () => undefined,
      (thrown: Error) => thrown,
    );

    expect(error).toMatchObject({
      code,
      details: { table, partitionKey: "p", rowKey, ...(property !== undefined && { property }) },
    });
    for (const name of [table, '"p"', JSON.stringify(rowKey), property ?? "", "unreadableRows"])
      expect(error?.message).toContain(name);
  });

  test.each(Object.entries(ways))("is skipped, or handed over as it is stored: %s", async (_name, read) => {
    const storage = await storeOf(reason);
    const query = queryOf(new TableContext(storage), reason);
    const others = ["10", "12", "13"].map(Number);
    const ofContext = (unreadableRows: "skip" | "raw") =>
      queryOf(new TableContext(storage, { unreadableRows }), reason);

    for (const skipping of [query.unreadableRows("skip"), ofContext("skip")])
      expect(idsOf(await read(skipping as AnyQuery))).toEqual(others);
    for (const raw of [query.unreadableRows("raw"), ofContext("raw")])
      expect(idsOf(await read(raw as AnyQuery))).toEqual([10, `unreadable ${rowKey}`, 12, 13]);
    // What a query says takes precedence.
    await expect(read(ofContext("skip").unreadableRows("error"))).rejects.toMatchObject({ code });
  });

  test("does not count where it is skipped, nor take the place of another row", async () => {
    const query = queryOf(new TableContext(await storeOf(reason)), reason).unreadableRows("skip");

    expect(await query.count()).toBe(3);
    expect(idsOf(await query.take(2).toArray())).toEqual([10, 12]);
    expect(idsOf((await query.page({ size: 2 })).entities)).toEqual([10, 12]);
    expect((await query.first())?.id).toBe(10);
  });

  test("is left alone by writes of a whole query", async () => {
    const storage = await storeOf(reason);
    const query = queryOf(new TableContext(storage), reason).unreadableRows("skip");
    const odd = await storage.get(table, { partitionKey: "p", rowKey });

    expect(await query.updateAll((one) => void (one.size = 9))).toMatchObject({ written: 3 });
    expect(await query.removeAll()).toMatchObject({ written: 3 });
    expect(await storage.get(table, { partitionKey: "p", rowKey })).toEqual(odd);
  });

  test("is counted in traces", async () => {
    const storage = await storeOf(reason);
    const events: QueryEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as QueryEvent);
    subscribe("tracing:partita:query:asyncEnd", listen);
    const query = queryOf(new TableContext(storage), reason);
    await query.unreadableRows("skip").toArray();
    await query.unreadableRows("raw").page({ size: 10 });
    await query.take(1).toArray();
    unsubscribe("tracing:partita:query:asyncEnd", listen);

    expect(events.map(({ rows, entities, unreadable }) => [rows, entities, unreadable])).toEqual([
      [4, 3, 1],
      [4, 4, 1],
      [1, 1, 0],
    ]);
  });
});

describe("one row that is asked for by its key", () => {
  const [reason] = reasons as [Reason];
  const key = { list: "p", id: 11 };

  test("is an error, undefined, or handed over as it is stored", async () => {
    const storage = await storeOf(reason);
    const find = (unreadableRows?: "error" | "skip" | "raw") =>
      new TableContext(storage, { unreadableRows }).find(Task, key);

    await expect(find()).rejects.toMatchObject({ code: "edm.malformed", details: { rowKey: "11" } });
    expect(await find("skip")).toBeUndefined();
    expect(await find("raw")).toBeInstanceOf(UnreadableRow);
    const raw = new TableContext(storage, { unreadableRows: "raw" });
    await expect(raw.find(Task, key, { unreadableRows: "error" })).rejects.toMatchObject({
      code: "edm.malformed",
    });
  });

  test("is an error for reload() and modify(), which cannot do without it", async () => {
    const storage = await storeOf(reason);
    const context = new TableContext(storage, { unreadableRows: "skip" });
    const [, second] = await context.query(Task).where({ list: "p" }).toArray();
    await storage.write("Tasks", {
      type: "merge",
      entity: { PartitionKey: "p", RowKey: "12", state: "later" },
      etag: "*",
    });

    await expect(context.reload(second as Task)).rejects.toMatchObject({ code: "edm.malformed" });
    await expect(context.modify(Task, key, () => undefined)).rejects.toMatchObject({ code: "edm.malformed" });
  });
});

test("only what is selected has to be readable", async () => {
  const storage = await storeOf(reasons[1] as Reason);
  const query = new TableContext(storage).query(Task).where({ list: "p" });

  expect(await query.select("state").toArray()).toHaveLength(4);
  expect(await query.select("state").unreadableRows("skip").toArray()).toHaveLength(4);
  expect(await query.select("size").unreadableRows("skip").toArray()).toHaveLength(3);
});

test("the type of a query says whether its rows may be unreadable; the row is frozen and tracked by nobody", async () => {
  const storage = await storeOf(reasons[0] as Reason);
  const context = new TableContext(storage);
  const query = context.query(Task).where({ list: "p" });

  expectTypeOf(query.unreadableRows("raw").toArray()).resolves.toEqualTypeOf<(Task | UnreadableRow)[]>();
  expectTypeOf(query.unreadableRows("raw").unreadableRows("skip").toArray()).resolves.toEqualTypeOf<Task[]>();
  const found = await query.unreadableRows("raw").toArray();

  const odd = found.find((one) => one instanceof UnreadableRow);
  expect(odd).toMatchObject({
    table: "Tasks",
    partitionKey: "p",
    rowKey: "11",
    row: { state: "later", size: 1 },
  });
  expect(Object.isFrozen(odd?.row)).toBe(true);
  expect(context.size).toBe(3);
});

test("a policy that is none is refused", async () => {
  const storage = await openStorage("memory:");

  expect(() => new TableContext(storage, { unreadableRows: "stop" as never })).toThrow(/unreadableRows/);
  expect(() => new TableContext(storage).query(Task).unreadableRows("stop" as never)).toThrow(
    /unreadableRows/,
  );
});
