import { expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";

/** Keys that JSON, SQL and the order of texts treat in their own ways. */
const oddKeys = [
  `a"b`,
  "it's",
  "%_",
  " ",
  "é",
  "\u{1f600}",
  "\uffff",
  "\ue000",
  "\u{10ffff}",
  "null",
  "1",
  "[]",
];

const insert = (RowKey: string, n: number): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey, n, text: `"n":${n}` },
});

async function contentOf(storage: TableStorage): Promise<unknown[]> {
  const { entities } = await storage.query("Things", {});
  return entities.map(({ Timestamp: _time, "odata.etag": _etag, ...row }) => row);
}

test("a transaction finds its rows by any key", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  await storage.transact(
    "Things",
    oddKeys.map((key, i) => insert(key, i)),
  );

  await storage.transact(
    "Things",
    oddKeys.map((RowKey, i) => ({
      type: "merge",
      entity: { PartitionKey: "p", RowKey, n: 100 + i },
      etag: "*",
    })),
  );

  for (const [i, rowKey] of oddKeys.entries())
    expect(await storage.get("Things", { partitionKey: "p", rowKey })).toMatchObject({
      n: 100 + i,
      text: `"n":${i}`,
    });
});

test("operations of all types in one transaction do what they would one after another", async () => {
  await using one = await openStorage("memory:");
  await using other = await openStorage("memory:");
  const keys = Array.from({ length: 100 }, (_, i) => `r${String(i).padStart(3, "0")}`);
  const operations = keys.map((RowKey, i): WriteOperation => {
    const entity: StoredEntity = { PartitionKey: "p", RowKey, n: -i, ...(i % 2 === 0 && { more: "é" }) };
    switch (i % 6) {
      case 0:
        return { type: "merge", entity, etag: "*" };
      case 1:
        return { type: "replace", entity, etag: "*" };
      case 2:
        return { type: "upsert-merge", entity };
      case 3:
        return { type: "upsert-replace", entity };
      case 4:
        return { type: "delete", key: { partitionKey: "p", rowKey: RowKey }, etag: "*" };
      default:
        return { type: "insert", entity };
    }
  });
  // Inserts need keys that are free; half of the upserts have one, too.
  const stored = keys.filter((_, i) => i % 6 !== 5 && i % 12 !== 2 && i % 12 !== 3);
  for (const storage of [one, other]) {
    await storage.createTable("Things");
    await storage.transact("Things", stored.map(insert));
  }

  await one.transact("Things", operations);
  for (const operation of operations) await other.write("Things", operation);

  const content = await contentOf(one);
  expect(content).toEqual(await contentOf(other));
  expect(content.length).toBeGreaterThan(80);
});
