import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openStorage, type TableStorage } from "../../src/index.ts";
import { forwardStorage } from "../../src/storage/forward-storage.ts";
import type { RowReader } from "../../src/storage/row-reader.ts";
import { commitRows, engineOf, readRow, readRows } from "../../src/storage/store-engine.ts";

let storage: TableStorage;
beforeAll(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Things");
  await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 1 } });
});
afterAll(() => storage.close());

const bytes: RowReader = { readList: () => undefined, readBody: (body) => Buffer.from(body.bytes) };

test("our own stores have an engine, with a prefix of their tables, too", async () => {
  await using prefixed = await openStorage("memory:", { tablePrefix: "Test" });
  await prefixed.createTable("Things");
  await commitRows(
    prefixed,
    "Things",
    [{ type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 2 } }],
    undefined,
  );
  const { rows } = await readRows(prefixed, "Things", {}, bytes);
  const found = await readRow(prefixed, "Things", { partitionKey: "p", rowKey: "r" }, bytes);

  expect(engineOf(storage)).toBeDefined();
  expect([...rows, found?.row].map(String)).toEqual(['{"n":2}', '{"n":2}']);
});

describe("a storage that a user makes of ours has none", () => {
  const made: Record<string, () => TableStorage> = {
    "by a proxy": () => new Proxy(storage, {}),
    "by its prototype": () => Object.create(storage) as TableStorage,
    "by a copy of its members": () => ({ ...storage }),
    "by forwarding": () => forwardStorage(storage, {}),
  };
  test.each(Object.entries(made))("%s", async (_how, make) => {
    const own = make();

    expect(engineOf(own)).toBeUndefined();
    if (typeof own.query !== "function") return;
    const { rows } = await readRows(forwardStorage(storage, {}), "Things", {}, bytes);
    expect(rows).toMatchObject([{ PartitionKey: "p", RowKey: "r", n: 1 }]);
  });
});

test.each(["query", "get", "transact"] as const)("nor does a store whose %s was replaced", async (name) => {
  await using own = await openStorage("memory:");
  const before = engineOf(own);
  const replaced = vi.spyOn(own, name);
  const after = engineOf(own);
  replaced.mockRestore();

  expect([before === undefined, after === undefined]).toEqual([false, true]);
});
