import { beforeEach, describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredPage, StoredEntity } from "../../src/storage.ts";
import { forwardStorage } from "../../src/storage/forward-storage.ts";
import { add, upgrades } from "../../src/upgrades.ts";

// Rows that are read by code that was written after many of their like: what they mean stays the same.

class Reading extends defineEntity({
  table: "Readings",
  partitionKey: { sensor: text() },
  rowKey: { id: text() },
  properties: { unit: text(), value: int32() },
}) {}

class Versioned extends defineEntity({
  table: "Versioned",
  partitionKey: { sensor: text() },
  rowKey: { id: text() },
  properties: { unit: text(), note: text().optional() },
  version: upgrades({ unit: text() }).to(2, add("note", text().optional(), "upgraded")),
}) {}

class Numbered extends defineEntity({
  table: "Numbered",
  partitionKey: { sensor: text() },
  rowKey: { id: text() },
  properties: { unit: text(), note: text().optional() },
  version: 2,
}) {}

const rowsOfTable = 300;
const idOf = (i: number): string => String(i).padStart(4, "0");

async function store(table: string, propertiesOf: (i: number) => object): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Reading, Versioned, Numbered]);
  for (let from = 0; from < rowsOfTable; from += 100)
    await storage.transact(
      table,
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert" as const,
        entity: { PartitionKey: "s", RowKey: idOf(from + i), ...propertiesOf(from + i) } as StoredEntity,
      })),
    );
  return storage;
}

describe.each(["appendOnly", "noTracking"] as const)("%s", (mergeOption) => {
  test("an entity that a query finds by its whole key has all properties", async () => {
    await using storage = await store("Readings", (value) => ({ unit: "K", value }));
    const all = await new TableContext(storage, { mergeOption })
      .query(Reading)
      .where({ sensor: "s" })
      .toArray();
    const context = new TableContext(storage, { mergeOption });
    const found = await context
      .query(Reading)
      .where({ sensor: "s", id: idOf(7) })
      .toArray();
    const page = await context
      .query(Reading)
      .where({ sensor: "s", id: idOf(8) })
      .page({ size: 1 });

    expect(all).toHaveLength(rowsOfTable);
    expect(found).toEqual([expect.objectContaining({ unit: "K", value: 7 })]);
    expect(page.entities).toEqual([expect.objectContaining({ unit: "K", value: 8 })]);
  });

  test("rows without a version are upgraded, however many were read", async () => {
    await using storage = await store("Versioned", () => ({ unit: "K" }));
    for (let round = 0; round < 2; round++) {
      const all = await new TableContext(storage, { mergeOption })
        .query(Versioned)
        .where({ sensor: "s" })
        .toArray();
      expect(all.filter(({ note }) => note === "upgraded")).toHaveLength(rowsOfTable);
    }
  });
});

test("rows without a version of a class without upgrades are not given one by the way", async () => {
  await using storage = await store("Numbered", () => ({ unit: "K", note: "some" }));
  await new TableContext(storage).query(Numbered).where({ sensor: "s" }).toArray();
  const context = new TableContext(storage);
  const [first] = await context.query(Numbered).where({ sensor: "s" }).toArray();
  (first as Numbered).note = undefined;
  await context.saveChanges();

  const row = await storage.get("Numbered", { partitionKey: "s", rowKey: idOf(0) });
  expect(row).toMatchObject({ unit: "K" });
  expect(row).not.toHaveProperty("SchemaVersion");
});

describe("a storage in between that answers several queries with one page", () => {
  let storage: TableStorage;
  beforeEach(async () => {
    const inner = await store("Readings", (value) => ({ unit: "K", value }));
    await new TableContext(inner, { mergeOption: "noTracking" })
      .query(Reading)
      .where({ sensor: "s" })
      .toArray();
    await new TableContext(inner).query(Reading).where({ sensor: "s" }).toArray();
    const pages = new Map<string, Promise<StoredPage>>();
    storage = forwardStorage(inner, {
      query(table, query, options) {
        const asked = JSON.stringify([table, query]);
        const known = pages.get(asked) ?? inner.query(table, query, options);
        pages.set(asked, known);
        return known;
      },
    });
    return () => inner.close();
  });

  test("gives each context entities of its own", async () => {
    const [a, b] = [new TableContext(storage), new TableContext(storage)];
    const [[mine], [theirs]] = await Promise.all([
      a.query(Reading).where({ sensor: "s" }).toArray(),
      b.query(Reading).where({ sensor: "s" }).toArray(),
    ]);
    (mine as Reading).value = -1;

    expect(theirs).not.toBe(mine);
    expect(theirs).toMatchObject({ value: 0 });
    expect(await b.saveChanges()).toEqual([]);
  });

  test("tracks what another context only reads", async () => {
    await new TableContext(storage, { mergeOption: "noTracking" })
      .query(Reading)
      .where({ sensor: "s" })
      .toArray();
    const context = new TableContext(storage);
    const [first] = await context.query(Reading).where({ sensor: "s" }).toArray();
    (first as Reading).value = -1;
    const results = await context.saveChanges();

    expect(results).toMatchObject([{ operation: "merge" }]);
  });
});
