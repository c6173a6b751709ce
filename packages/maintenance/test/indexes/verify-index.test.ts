import { expect, test } from "vitest";
import { randomNumbers } from "@partita/testing";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { constant, padded, verbatim } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";
import { buildIndex, type IndexVerification, verifyIndex } from "../../src/index.ts";
import {
  allRows,
  BuildingRunner,
  expectedRows,
  fill,
  indexRows,
  isMain,
  RetiredRunner,
  Runner,
  runnerRow,
} from "./runners.ts";

/** A table whose indexes are as they should be. */
async function built(count: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  const context = new TableContext(storage);
  for (let bib = 0; bib < count; bib++) {
    const { PartitionKey, RowKey: _key, ...values } = runnerRow(bib % 2 === 0 ? "R1" : "R2", bib, 18 + bib);
    context.add(Object.assign(new Runner({ race: PartitionKey, bib, age: 0 }), values));
  }
  await context.saveChanges();
  return storage;
}

const merge = (storage: TableStorage, bib: number, values: object, race = "R1"): Promise<unknown> =>
  storage.write("Races", {
    type: "merge",
    entity: { ...values, PartitionKey: race, RowKey: `BIB:${String(bib).padStart(5, "0")}` },
    etag: "*",
  });

const remove = (storage: TableStorage, rowKey: string, partitionKey = "R1"): Promise<unknown> =>
  storage.write("Races", { type: "delete", key: { partitionKey, rowKey }, etag: "*" });

const shown = ({ differences }: IndexVerification): string[] =>
  differences.map(({ type, key }) => `${type} ${key.rowKey}`).toSorted();

test("after writes of this library alone nothing differs, and nothing is written", async () => {
  await using storage = await built(60);
  const before = await allRows(storage);

  const report = await verifyIndex(storage, Runner, undefined, { repair: true });

  expect(report).toMatchObject({
    table: "Races",
    indexes: ["byAge", "byClub", "byEmail"],
    entities: 60,
    rows: before.length - 60,
    missing: 0,
    extra: 0,
    different: 0,
    isClean: true,
  });
  expect(await allRows(storage)).toEqual(before);
});

test("what another program changed, added and removed is found exactly, reported, and repaired when that is asked for", async () => {
  await using storage = await built(60);
  await merge(storage, 4, { age: 70 });
  await storage.write("Races", { type: "insert", entity: runnerRow("R1", 100, 40) });
  await remove(storage, "BIB:00008");
  await remove(storage, "MAIL:runner2@example.org");
  await storage.write("Races", {
    type: "merge",
    entity: { PartitionKey: "R1", RowKey: "AGE:028__00010", club: "Elsewhere" },
    etag: "*",
  });
  const differences = [
    "different AGE:028__00010",
    "different CLUB:Club 4__BIB:00004",
    "extra AGE:022__00004",
    "extra AGE:026__00008",
    "extra CLUB:Club 1__BIB:00008",
    "extra MAIL:runner8@example.org",
    "missing AGE:040__00100",
    "missing AGE:070__00004",
    "missing CLUB:Club 2__BIB:00100",
    "missing MAIL:runner2@example.org",
  ];

  const found = await verifyIndex(storage, Runner);
  const repaired = await verifyIndex(storage, Runner, undefined, { repair: true });

  expect(shown(found)).toEqual(differences);
  expect(found).toMatchObject({ missing: 4, extra: 4, different: 2, repaired: 0, isClean: false });
  expect(found.differences.find(({ key }) => key.rowKey === "AGE:026__00008")).toEqual({
    index: "byAge",
    type: "extra",
    key: { partitionKey: "R1", rowKey: "AGE:026__00008" },
    entity: { partitionKey: "R1", rowKey: "BIB:00008" },
    isRepaired: false,
  });
  expect(shown(repaired)).toEqual(differences);
  expect(repaired).toMatchObject({ repaired: 10, isClean: true });
  const rows = await allRows(storage);
  expect(indexRows(rows)).toEqual(expectedRows(rows));
});

test("one index is verified by its name; the others are left as they are", async () => {
  await using storage = await built(20);
  await merge(storage, 4, { age: 70, email: "other@example.org" });

  const report = await verifyIndex(storage, Runner, "byEmail", { repair: true });

  expect(shown(report)).toEqual(["extra MAIL:runner4@example.org", "missing MAIL:other@example.org"]);
  expect(shown(await verifyIndex(storage, Runner, "byAge"))).toEqual([
    "extra AGE:022__00004",
    "missing AGE:070__00004",
  ]);
});

test("one value of two entities is reported with both keys, and no repair chooses between them", async () => {
  await using storage = await built(20);
  await merge(storage, 4, { email: "runner2@example.org" });

  const report = await verifyIndex(storage, Runner, "byEmail", { repair: true });

  expect(report).toMatchObject({ duplicateCount: 1, extra: 1, repaired: 1, isClean: false });
  const [duplicate] = report.duplicates;
  expect(duplicate?.entities.map(({ rowKey }) => rowKey).toSorted()).toEqual(["BIB:00002", "BIB:00004"]);
  const owner = await storage.get("Races", { partitionKey: "R1", rowKey: "MAIL:runner2@example.org" });
  expect(owner).toMatchObject({ _k: "BIB:00002" });
});

test("a unique row of an entity that has another value by now is given to the one that has the value", async () => {
  await using storage = await built(20);
  await merge(storage, 2, { email: "other@example.org" });
  await merge(storage, 4, { email: "runner2@example.org" });

  const report = await verifyIndex(storage, Runner, "byEmail", { repair: true });

  expect(report).toMatchObject({ duplicateCount: 0, isClean: true });
  const rows = await allRows(storage);
  expect(indexRows(rows, "MAIL:")).toEqual(expectedRows(rows).filter((row) => row.includes("MAIL:")));
});

test("what cannot be read as an entity is reported, and its rows in indexes are left alone", async () => {
  await using storage = await built(20);
  await merge(storage, 4, { age: 5000 });
  await remove(storage, "BIB:00006");
  await storage.write("Races", {
    type: "insert",
    entity: { PartitionKey: "R1", RowKey: "BIB:00006", age: "old" },
  });

  const report = await verifyIndex(storage, Runner, "byAge", { repair: true });

  expect(report).toMatchObject({ missing: 0, extra: 0, leftCount: 2, isClean: false });
  expect(report.left.map(({ key }) => key.rowKey)).toEqual(["BIB:00004", "BIB:00006"]);
  expect((await allRows(storage)).map(({ RowKey }) => RowKey)).toContain("AGE:022__00004");
});

test("rows that are no rows of an index are extra where they lie among them", async () => {
  await using storage = await built(10);
  for (const RowKey of ["AGE:x", "MAIL:nobody@example.org"])
    await storage.write("Races", { type: "insert", entity: { PartitionKey: "R1", RowKey } });

  const report = await verifyIndex(storage, Runner, undefined, { repair: true });

  expect(shown(report)).toEqual(["extra AGE:x", "extra MAIL:nobody@example.org"]);
  expect(report.differences[0]?.entity).toBeUndefined();
  expect(report.isClean).toBe(true);
});

test("a row that a writer changes while it is looked at is no difference", async () => {
  await using storage = await built(20);
  let reads = 0;
  const busy = forwardStorage(storage, {
    query: async (table, query, options) => {
      const page = await storage.query(table, query, options);
      // After the first reading, and after the second one.
      if (reads++ < 2) {
        const context = new TableContext(storage);
        const runner = await context.find(Runner, { race: "R1", bib: 2 * reads });
        if (runner !== undefined) runner.age += 30;
        await context.saveChanges();
      }
      return { ...page, entities: page.entities.filter(({ RowKey }) => reads > 1 || RowKey !== "BIB:00006") };
    },
  });

  const report = await verifyIndex(busy, Runner, undefined, { repair: true });

  expect(report).toMatchObject({ missing: 0, extra: 0, different: 0, isClean: true });
  const rows = await allRows(storage);
  expect(indexRows(rows)).toEqual(expectedRows(rows));
});

test("kinds share an index of their base, and each can be verified alone", async () => {
  await using storage = await openStorage("memory:");
  class Animal extends defineEntity({
    table: "Animals",
    partitionKey: { farm: text() },
    rowKey: { id: constant("A:", padded(3)) },
    properties: { name: text(), chip: text().optional() },
    indexes: {
      byName: { rowKey: { name: constant("N:", verbatim) } },
      byChip: { rowKey: { chip: constant("C:", verbatim) }, unique: true },
    },
  }) {}
  class Cow extends defineKind(Animal, { kind: "Cow", properties: { milk: int32() } }) {}
  class Hen extends defineKind(Animal, { kind: "Hen", properties: { eggs: int32() } }) {}
  await createTables(storage, [Animal]);
  const context = new TableContext(storage);
  for (let id = 0; id < 10; id++) {
    const values = { farm: "f", id, name: `name ${id % 4}`, chip: `chip ${id}` };
    context.add(id % 2 === 0 ? new Cow({ ...values, milk: id }) : new Hen({ ...values, eggs: id }));
  }
  await context.saveChanges();
  for (const id of ["000", "001"])
    await storage.write("Animals", {
      type: "delete",
      key: { partitionKey: "f", rowKey: `A:${id}` },
      etag: "*",
    });

  expect(await verifyIndex(storage, Cow, "byName")).toMatchObject({ entities: 4, missing: 0, extra: 1 });
  expect(shown(await verifyIndex(storage, Cow, undefined, { repair: true }))).toEqual([
    "extra C:chip 0",
    "extra C:chip 1",
    "extra N:name 0_A:000",
  ]);
  expect(shown(await verifyIndex(storage, Animal, undefined, { repair: true }))).toEqual([
    "extra N:name 1_A:001",
  ]);
  expect(await verifyIndex(storage, [Cow, Hen])).toMatchObject({ entities: 8, rows: 16, isClean: true });
});

test("a building index may be verified; a retired one, an unknown one, and a wrong option may not", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await fill(storage, 40);
  expect(await verifyIndex(storage, BuildingRunner, "byAge")).toMatchObject({ missing: 40, isClean: false });
  await buildIndex(storage, BuildingRunner, "byAge");
  expect(await verifyIndex(storage, BuildingRunner, "byAge")).toMatchObject({ missing: 0, isClean: true });

  await expect(verifyIndex(storage, RetiredRunner, "byAge")).rejects.toMatchObject({
    code: "model.index-state",
    details: { entity: "RetiredRunner", index: "byAge", state: "retired" },
  });
  await expect(verifyIndex(storage, RetiredRunner)).rejects.toMatchObject({ code: "query.unknown-index" });
  await expect(verifyIndex(storage, Runner, "age" as "byAge")).rejects.toMatchObject({
    code: "query.unknown-index",
  });
  const misspelt = { repairs: true } as object;
  await expect(verifyIndex(storage, Runner, "byAge", misspelt)).rejects.toMatchObject({
    code: "maintenance.option",
  });
});

test("any differences in tables of any size are found: every row of the indexes is right afterwards", async () => {
  const random = randomNumbers(20_261_123);
  for (let round = 0; round < 8; round++) {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Runner]);
    await fill(storage, 2 * (1 + Math.floor(random() * 20)));
    if (round % 2 === 0) await verifyIndex(storage, Runner, undefined, { repair: true });
    const rows = await allRows(storage);
    for (let i = 0; i < 10; i++) await disturb(storage, rows, random);
    const before = await allRows(storage);
    const [expected, found] = [new Set(expectedRows(before)), new Set(indexRows(before))];

    const report = await verifyIndex(storage, Runner, undefined, { repair: true });

    const differing = [...expected].filter((row) => !found.has(row)).map(keyIn);
    const others = [...found].filter((row) => !expected.has(row)).map(keyIn);
    expect(report.missing + report.different + report.extra).toBe(new Set([...differing, ...others]).size);
    expect(report.repaired).toBe(report.differences.length);
    const after = await allRows(storage);
    expect(indexRows(after)).toEqual(expectedRows(after));
  }
});

const keyIn = (row: string): string => {
  const members = new Map(JSON.parse(row) as [string, unknown][]);
  return JSON.stringify([members.get("PartitionKey"), members.get("RowKey")]);
};

/** Does something to a row as a program does it that knows no indexes. */
async function disturb(
  storage: TableStorage,
  rows: readonly StoredEntity[],
  random: () => number,
): Promise<void> {
  const row = rows[Math.floor(random() * rows.length)] as StoredEntity;
  const { PartitionKey, RowKey } = row;
  const key = { partitionKey: PartitionKey, rowKey: RowKey };
  const choice = Math.floor(random() * 4);
  const age = Math.floor(random() * 100);
  if (choice === 0) await storage.write("Races", { type: "delete", key, etag: "*" }).catch(() => undefined);
  else if (choice === 1 || !isMain(row))
    await storage.write("Races", { type: "upsert-merge", entity: { PartitionKey, RowKey, age, extra: age } });
  else if (choice === 2)
    await storage.write("Races", {
      type: "upsert-replace",
      entity: { PartitionKey, RowKey, age, club: `Club ${age}` },
    });
  else
    await storage.write("Races", {
      type: "upsert-replace",
      entity: { ...runnerRow(PartitionKey, 1000 + age, age), email: `${RowKey}-${age}@example.org` },
    });
}
