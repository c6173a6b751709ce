import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { openStorage, type StorageError } from "../../../src/index.ts";
import type { WriteOperation } from "../../../src/storage.ts";

const insert = (rowKey: string): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: rowKey },
});

test("writes that arrive together succeed and fail each on their own", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  const operations = Array.from({ length: 600 }, (_, i) => insert(`r${i % 400}`));

  const results = await Promise.allSettled(operations.map((operation) => storage.write("Things", operation)));

  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(400);
  const codes = results.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as StorageError).code] : [],
  );
  expect(new Set(codes)).toEqual(new Set(["storage.entity-already-exists"]));
});

test("ETags of one burst differ and rise in the order of the writes", async () => {
  await using storage = await openStorage("memory:", { clock: virtualClock(1_700_000_000_000) });
  await storage.createTable("Things");

  const results = await Promise.all(
    Array.from({ length: 300 }, (_, i) => storage.write("Things", insert(`r${i}`))),
  );

  const etags = results.map((result) => result.etag ?? "");
  expect(new Set(etags).size).toBe(300);
  expect([...etags].sort()).toEqual(etags);
});

test("a refused transaction in a burst leaves its neighbours alone", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");

  const [first, refused, last] = await Promise.allSettled([
    storage.transact("Things", [insert("a"), insert("b")]),
    storage.transact("Things", [insert("c"), insert("a")]),
    storage.transact("Things", [insert("d"), insert("e")]),
  ]);

  expect([first.status, refused.status, last.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect((await storage.query("Things", {})).entities.map((entity) => entity.RowKey)).toEqual([
    "a",
    "b",
    "d",
    "e",
  ]);
});

test("a cancelled write that waits is not made", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  const controller = new AbortController();
  const write = storage.write("Things", insert("a"), { signal: controller.signal });
  controller.abort();

  await expect(write).rejects.toMatchObject({ code: "storage.cancelled", applied: "no" });
  expect((await storage.query("Things", {})).entities).toEqual([]);
});

test("a continuation token of something else is refused", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");

  await expect(storage.query("Things", { after: "nonsense" as never })).rejects.toMatchObject({
    code: "storage.invalid-input",
  });
});

test("an abort after the first group keeps the groups behind it from being stored", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  const stop = new AbortController();

  void storage.write("Things", insert("first")).then(() => stop.abort());
  const { signal } = stop;
  const others = Array.from({ length: 1000 }, (_, i) => storage.write("Things", insert(`r${i}`), { signal }));
  const results = await Promise.allSettled(others);

  // Those of the first group were committed before anybody could know.
  expect(results.filter(({ status }) => status === "fulfilled").length).toBeLessThan(512);
});

test("a burst over more tables than writers are kept for gives each row of a table a version of its own", async () => {
  await using storage = await openStorage("memory:", { clock: virtualClock(1_700_000_000_000) });
  const tables = Array.from({ length: 150 }, (_, i) => `Table${i}`);
  for (const table of tables) await storage.createTable(table);

  const writes = [0, 1, 2].flatMap((round) =>
    tables.map((table) => storage.write(table, insert(`r${round}`)).then(({ etag }) => `${table} ${etag}`)),
  );

  expect(new Set(await Promise.all(writes)).size).toBe(450);
});

test("no version comes again when a table is created anew while the clock is behind", async () => {
  let now = 1_700_000_000_000;
  const clock = { ...virtualClock(now), now: () => now };
  await using storage = await openStorage("memory:", { clock });
  await storage.createTable("Things");
  const before = await storage.write("Things", insert("a"));
  await storage.deleteTable("Things");
  now -= 60_000;
  await storage.createTable("Things");

  const after = await storage.write("Things", insert("a"));

  expect(String(after.etag) > String(before.etag)).toBe(true);
});
