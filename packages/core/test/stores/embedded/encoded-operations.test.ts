import { expect, test, vi } from "vitest";
import * as checks from "../../../src/storage/check-write.ts";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text().optional(), pages: int32() },
}) {}

const checked = vi.spyOn(checks, "userProperties");

async function opened(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  checked.mockClear();
  return storage;
}

function add(context: TableContext): void {
  for (const id of ["a", "b", "c"]) context.create(Note, { book: "b", id, pages: 7 });
}

/** How many entities a save of three new ones had checked once more. */
async function checksOfSave(storage: TableStorage): Promise<number> {
  const context = new TableContext(storage);
  add(context);
  await context.saveChanges();
  return checked.mock.calls.length;
}

const forged = { PartitionKey: "b", RowKey: "z", pages: 1.5e300, size: 5n } as unknown as StoredEntity;

test("what a save encodes is not checked again by the store", async () => {
  const storage = await opened();

  expect(await checksOfSave(storage)).toBe(0);
  expect(await storage.get("Notes", { partitionKey: "b", rowKey: "b" })).toMatchObject({ pages: 7 });
});

test("what a foreign storage passes on is checked, the very list of the save included", async () => {
  const storage = await opened();
  const foreign: TableStorage = {
    ...storage,
    description: "foreign",
    get: storage.get.bind(storage),
    query: storage.query.bind(storage),
    transact: (table, operations, options) => {
      Object.assign((operations[1] as { entity: StoredEntity }).entity, { size: 5n });
      return storage.transact(table, operations, options);
    },
    write: storage.write.bind(storage),
  } as TableStorage;

  await expect(checksOfSave(foreign)).rejects.toMatchObject({
    results: expect.arrayContaining([
      expect.objectContaining({ outcome: "rejected", error: expect.anything() as unknown }),
    ]) as unknown,
  });
  expect(await storage.get("Notes", { partitionKey: "b", rowKey: "b" })).toBeUndefined();
});

test("a method that was replaced, on the store or while a hook runs, gets plain operations, which are checked", async () => {
  for (const replacesInHook of [false, true]) {
    const storage = await opened();
    const transact = Reflect.get(storage, "transact") as TableStorage["transact"];
    const lists: (readonly WriteOperation[])[] = [];
    const replace = (): void => {
      storage.transact = (table, operations, options) => {
        lists.push(operations);
        return transact.call(storage, table, operations, options);
      };
    };
    if (!replacesInHook) replace();
    const hooks = replacesInHook ? { sending: replace } : {};
    const context = new TableContext(storage, { hooks });
    add(context);
    await context.saveChanges();

    expect(checked.mock.calls.length).toBe(3);
    expect(lists.flat().map((operation) => Object.getPrototypeOf(operation) as unknown)).toEqual(
      Array(3).fill(Object.prototype),
    );
  }
});

test("a storage of somebody else is handed plain operations, which it can copy and change", async () => {
  const storage = await opened();
  const handed: WriteOperation[] = [];
  const foreign: TableStorage = {
    ...storage,
    description: "foreign",
    get: storage.get.bind(storage),
    query: storage.query.bind(storage),
    transact: (table, operations, options) => {
      handed.push(...operations);
      const copies = operations.map((operation) => ({ ...operation }) as { entity: StoredEntity });
      const changed = copies.map(({ entity, ...rest }) => ({
        ...rest,
        entity: { ...entity, title: "changed" },
      }));
      return storage.transact(table, changed as unknown as readonly WriteOperation[], options);
    },
    write: storage.write.bind(storage),
  } as TableStorage;
  const context = new TableContext(foreign);
  add(context);

  await context.saveChanges();

  expect(handed.map((operation) => Object.getPrototypeOf(operation) as unknown)).toEqual(
    Array(3).fill(Object.prototype),
  );
  expect(await storage.get("Notes", { partitionKey: "b", rowKey: "b" })).toMatchObject({ title: "changed" });
});

test("what a caller hands to the store itself is refused as ever", async () => {
  const storage = await opened();
  for (const type of ["insert", "upsert-replace", "upsert-merge"] as const) {
    const refusal = { code: "storage.invalid-input", applied: "no" };
    await expect(storage.write("Notes", { type, entity: forged })).rejects.toMatchObject(refusal);
    await expect(storage.transact("Notes", [{ type, entity: forged }])).rejects.toMatchObject(refusal);
  }
});

test("a kind whose name no row can hold is refused by the store", async () => {
  const storage = await opened();
  class Odd extends defineKind(Note, { kind: "\ud800", properties: {} }) {}
  const context = new TableContext(storage);
  for (const id of ["a", "b"]) context.create(Odd, { book: "b", id, pages: 1 });

  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ outcome: "rejected" }, { outcome: "rejected" }],
    cause: { code: "storage.invalid-input" },
  });
});
