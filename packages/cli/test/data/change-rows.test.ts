import { openStorage, StorageError, type TableStorage } from "@partita/core";
import { forwardStorage, keyOfStored } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";
import { beforeEach, expect, test, vi } from "vitest";
import { type RowChange, RowChanges } from "../../src/data/change-rows.ts";

let storage: TableStorage;
const bar = { isShown: false, show: () => undefined, say: () => undefined, end: () => undefined };
const going = { bar, signal: new AbortController().signal };

beforeEach(async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  storage = await openStorage("memory:");
  await storage.createTable("Rows");
  for (const PartitionKey of ["a", "b"])
    await storage.transact(
      "Rows",
      Array.from({ length: 10 }, (_, i) => ({
        type: "insert",
        entity: { PartitionKey, RowKey: `${i}`, n: 0 },
      })),
    );
});

const stored = async (): Promise<readonly StoredEntity[]> => (await storage.query("Rows", {})).entities;
const read = async (): Promise<readonly RowChange[]> =>
  (await stored()).map((row) => {
    const [key, etag] = [keyOfStored(row), row["odata.etag"] ?? ""];
    return {
      key,
      etag,
      operation: {
        type: "merge",
        entity: { PartitionKey: row.PartitionKey, RowKey: row.RowKey, n: 1 },
        etag,
      },
      isDone: (found) => found?.["n"] === 1,
    };
  });
const all = (changes: readonly RowChange[]): [readonly RowChange[], number] => [changes, changes.length];
const deletes = async (): Promise<readonly RowChange[]> =>
  (await read()).map(({ key, etag }) => ({
    key,
    etag,
    operation: { type: "delete", key, etag },
    isDone: (found) => found === undefined,
  }));

test("rows of a partition are changed in one transaction", async () => {
  const transact = vi.spyOn(storage, "transact");
  const changes = new RowChanges(storage, "Rows", going);

  await changes.run(...all(await read()));

  expect(changes).toMatchObject({ done: 20, overtaken: [], refused: [] });
  expect(transact).toHaveBeenCalledTimes(2);
  expect((await stored()).map((row) => row["n"])).toEqual(Array.from({ length: 20 }, () => 1));
});

test.each([
  ["set", read],
  ["rm", deletes],
])("%s leaves rows that another program changed meanwhile, and changes all others", async (_name, make) => {
  const wanted = await make();
  const other = { PartitionKey: "a", RowKey: "3", n: 7 };
  await storage.write("Rows", { type: "upsert-replace", entity: other });
  await storage.write("Rows", { type: "delete", key: { partitionKey: "b", rowKey: "5" }, etag: "*" });
  const changes = new RowChanges(storage, "Rows", going);

  await changes.run(...all(wanted));

  const isSet = make === read;
  const overtaken = [{ partitionKey: "a", rowKey: "3" }];
  if (isSet) overtaken.push({ partitionKey: "b", rowKey: "5" });
  // A row that another program deleted is deleted.
  expect(changes).toMatchObject({ done: isSet ? 18 : 19, overtaken, refused: [] });
  const left = await stored();
  expect(left).toHaveLength(isSet ? 19 : 1);
  expect(left.find((row) => row["n"] === 7)).toMatchObject(other);
});

test.each([
  ["set", read],
  ["rm", deletes],
])("%s finds out after a lost response that its rows were changed", async (_name, make) => {
  let lost = 1;
  const lossy = forwardStorage(storage, {
    async transact(table, operations, options) {
      const results = await storage.transact(table, operations, options);
      if (lost-- > 0) throw new StorageError("storage.connection-lost", "Lost.", { applied: "maybe" });
      return results;
    },
  });
  const changes = new RowChanges(lossy, "Rows", going);

  await changes.run(...all(await make()));

  expect(changes).toMatchObject({ done: 20, overtaken: [], refused: [] });
});

test("a stop lets the sent transactions end, and the count is that of the changed rows", async () => {
  const stop = new AbortController();
  for (let i = 0; i < 30; i++)
    await storage.transact(
      "Rows",
      ["1", "2"].map((RowKey) => ({ type: "insert", entity: { PartitionKey: `c${i}`, RowKey, n: 0 } })),
    );
  const wanted = await read();
  const stopping = forwardStorage(storage, {
    transact(table, operations, options) {
      stop.abort();
      return storage.transact(table, operations, options);
    },
  });
  const changes = new RowChanges(stopping, "Rows", { bar, signal: stop.signal });

  await expect(changes.run(...all(wanted))).rejects.toMatchObject({ name: "AbortError" });

  const changed = (await stored()).filter((row) => row["n"] === 1).length;
  expect(changes.done).toBe(changed);
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThan(wanted.length);
});

test("a failure that meets every row ends the run, and a refused row does not", async () => {
  const missing = new RowChanges(storage, "Missing", going);
  await expect(missing.run(...all(await read()))).rejects.toMatchObject({ serviceCode: "TableNotFound" });

  const tooLarge = (await read()).map((change) =>
    change.key.rowKey === "4" && change.key.partitionKey === "a"
      ? {
          ...change,
          operation: {
            type: "merge" as const,
            entity: { PartitionKey: "a", RowKey: "4", n: "x".repeat(40_000) },
            etag: change.etag,
          },
        }
      : change,
  );
  const changes = new RowChanges(storage, "Rows", going);
  await changes.run(...all(tooLarge));

  expect(changes).toMatchObject({
    done: 19,
    overtaken: [],
    refused: [{ key: { partitionKey: "a", rowKey: "4" }, reason: { serviceCode: "PropertyValueTooLarge" } }],
  });
});
