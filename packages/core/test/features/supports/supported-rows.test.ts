import { expect, test } from "vitest";
import { upgradeTable } from "@partita/maintenance";
import {
  createTables,
  defineEntity,
  type EntityClass,
  int32,
  openStorage,
  type SaveError,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { add, join, rename, retype, upgrades } from "../../../src/upgrades.ts";

const keys = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: text() } } as const;
const first = { Qty: int32(), Note: text().optional(), Price: text(), Zip: text(), City: text() };
const chain = upgrades(first).to(
  2,
  rename("Qty", "Quantity"),
  rename("Note", "Remark"),
  add("State", text(), "open"),
  retype("Price", "Cents", int32(), (price: string) => Math.round(Number(price) * 100), {
    back: (cents) => {
      if (cents < 0) throw new RangeError("4711 is secret");
      return (cents / 100).toFixed(2);
    },
  }),
  join(["Zip", "City"], "Place", text(), ({ Zip, City }: { Zip: string; City: string }) => `${Zip} ${City}`, {
    back: (place) => ({ Zip: place.slice(0, 4), City: place.slice(5) }),
  }),
);
const second = { Quantity: int32(), Remark: text().optional(), State: text(), Cents: int32(), Place: text() };

class Old extends defineEntity({ ...keys, version: upgrades(first), properties: first }) {}
class New extends defineEntity({ ...keys, version: chain.supports(1), properties: second }) {}
class Alone extends defineEntity({ ...keys, version: chain, properties: second }) {}

const key = { partitionKey: "s", rowKey: "1" };
const store = async (row: Readonly<Record<string, string | number>> | undefined): Promise<TableStorage> => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Old]);
  const entity = { PartitionKey: "s", RowKey: "1", ...row };
  if (row !== undefined) await storage.write("Orders", { type: "insert", entity });
  return storage;
};
const load = async <const Class extends EntityClass>(storage: TableStorage, of: Class) => {
  const context = new TableContext(storage);
  const entity = (await context.find(of as never, { shop: "s", id: "1" } as never)) as InstanceType<Class>;
  return { context, entity };
};
const rowOf = async (storage: TableStorage): Promise<Readonly<Record<string, unknown>>> => {
  const found = (await storage.get("Orders", key)) as StoredEntity;
  const { PartitionKey: _p, RowKey: _r, Timestamp: _t, "odata.etag": _e, ...rest } = found;
  return rest;
};
const oldRow = { SchemaVersion: 1, Qty: 2, Note: "n", Price: "1.5", Zip: "1000", City: "Oslo", Extra: "x" };
const newValues = { shop: "s", id: "1", Quantity: 3, State: "open", Cents: 250, Place: "3000 Bern" };

test("a new row has the number and names of the oldest supported version, and what steps with functions gave", async () => {
  const storage = await store(undefined);
  const context = new TableContext(storage);
  context.create(New, newValues);

  await context.saveChanges();

  expect(await rowOf(storage)).toEqual({
    SchemaVersion: 1,
    Qty: 3,
    State: "open",
    Price: "2.50",
    Cents: 250,
    Zip: "3000",
    City: "Bern",
    Place: "3000 Bern",
  });
  expect((await load(storage, Old)).entity).toMatchObject({ Qty: 3, Price: "2.50", City: "Bern" });
  expect((await load(storage, New)).entity).toMatchObject(newValues);
});

test("a change is sent as a merge of what it touches, and other values stay in every digit", async () => {
  const storage = await store(oldRow);
  const { context, entity } = await load(storage, New);
  entity.Quantity = 9;

  const [result] = await context.saveChanges();

  expect(result?.operation).toBe("merge");
  expect(await rowOf(storage)).toEqual({ ...oldRow, Qty: 9 });
});

test("a changed value is stored under both names, and of several older values only those that differ", async () => {
  const storage = await store({ ...oldRow, Zip: "1000 " });
  const { context, entity } = await load(storage, New);
  entity.Cents = 175;
  entity.Place = "2000 Rome";
  await context.saveChanges();

  expect(await rowOf(storage)).toEqual({
    ...oldRow,
    Price: "1.75",
    Cents: 175,
    Zip: "2000",
    City: "Rome",
    Place: "2000 Rome",
  });
});

test("a cleared property is taken out of the row, and what other programs stored there stays", async () => {
  const storage = await store(oldRow);
  const { context, entity } = await load(storage, New);
  delete (entity as { Remark?: string }).Remark;
  await context.saveChanges();

  const { Note: _note, ...rest } = oldRow;
  expect(await rowOf(storage)).toEqual(rest);
  const again = await load(storage, Old);
  expect(again.entity.Note).toBeUndefined();
});

test("a second save builds on the first, without another read", async () => {
  const storage = await store(oldRow);
  const { context, entity } = await load(storage, New);
  for (const Cents of [200, 300]) {
    entity.Cents = Cents;
    await context.saveChanges();
  }
  entity.State = "sent";
  await context.saveChanges({ update: "replace" });

  expect(await rowOf(storage)).toEqual({ ...oldRow, Price: "3.00", Cents: 300, State: "sent" });
});

test("an upsert writes the older form, too; a blind merge is refused", async () => {
  const storage = await store(oldRow);
  const context = new TableContext(storage);
  const order = new New(newValues);

  expect(() => context.upsert(order, "merge")).toThrow(
    expect.objectContaining({ code: "entity.version-unknown" }) as Error,
  );
  context.upsert(order, "replace");
  await context.saveChanges();

  expect(await rowOf(storage)).toMatchObject({ SchemaVersion: 1, Qty: 3, Price: "2.50", Cents: 250 });
});

test("rows of the supported version are current: no upgrade of a table touches them", async () => {
  const storage = await store(oldRow);

  expect(await upgradeTable(storage, [New])).toMatchObject({ upgraded: 0, isClean: true });
  expect(await rowOf(storage)).toEqual(oldRow);
});

test("when support has ended, rows are raised, and lose the older names", async () => {
  const storage = await store({ ...oldRow, Cents: 150 });

  expect(await upgradeTable(storage, [Alone])).toMatchObject({ upgraded: 1, isClean: true });
  expect(await rowOf(storage)).toEqual({
    SchemaVersion: 2,
    Quantity: 2,
    Remark: "n",
    State: "open",
    Cents: 150,
    Place: "1000 Oslo",
    Extra: "x",
  });
});

test("a value that the older version cannot hold is refused, and no value is told", async () => {
  const storage = await store(oldRow);
  const { context, entity } = await load(storage, New);
  entity.Cents = -1;

  const error = await context.saveChanges().catch((reason: unknown) => reason as SaveError);
  const [result] = (error as SaveError).results;

  expect(result?.error).toMatchObject({ code: "upgrade.back-failed", details: { version: 1 } });
  expect(result?.error?.message).toMatch(
    /New \("s", "1"\) cannot be stored in the form of version 1, which is still supported: the way back of retype\("Price", "Cents"\) failed, since it threw RangeError/,
  );
  expect(String((error as SaveError).message) + String(result?.error?.message)).not.toMatch(/4711/);
  expect(await rowOf(storage)).toEqual(oldRow);
});

test("the limit of a row counts the names of both versions", async () => {
  class Big extends defineEntity({
    ...keys,
    version: upgrades({ A: text() })
      .to(
        2,
        retype("A", "B", text(), (a: string) => a, { back: (b) => b }),
      )
      .supports(1),
    properties: { B: text() },
  }) {}
  const storage = await store(undefined);
  const context = new TableContext(storage);
  context.create(Big, { shop: "s", id: "1", B: "x".repeat(32_000) });
  await context.saveChanges();
  class Many extends defineEntity({
    ...keys,
    version: upgrades({ A: text() })
      .to(
        2,
        retype("A", "B", text(), (a: string) => a, { back: (b) => b }),
      )
      .supports(1),
    properties: { B: text() },
  }) {}
  const row = { PartitionKey: "s", RowKey: "2", SchemaVersion: 1, A: "a" };
  const others = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`P${i}`, i]));
  await storage.write("Orders", { type: "insert", entity: { ...row, ...others } });
  const again = new TableContext(storage);
  const many = (await again.find(Many, { shop: "s", id: "2" })) as Many;
  many.B = "b";

  await expect(again.saveChanges()).rejects.toMatchObject({ code: "save.invalid" });
});
