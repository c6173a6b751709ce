import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { constant, verbatim } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";
import { buildIndex, type IndexProgress } from "../../src/index.ts";
import {
  allRows,
  BuildingRunner,
  expectedRows,
  fill,
  indexRows,
  isMain,
  Runner,
  runnerRow,
  runnerWith,
  withSmallPages,
} from "./runners.ts";

async function store(count: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await fill(storage, count);
  return storage;
}

const names = ["byAge", "byClub", "byEmail"] as const;

test("every entity gets its rows in the indexes, sparse and unique ones too, and the table is read once more to see that", async () => {
  await using storage = await store(300);
  const seen: IndexProgress[] = [];

  const reports = [];
  for (const name of names)
    reports.push(await buildIndex(storage, BuildingRunner, name, { onProgress: (each) => seen.push(each) }));

  const rows = await allRows(storage);
  expect(indexRows(rows)).toEqual(expectedRows(rows));
  expect(reports.map(({ written }) => written)).toEqual([300, 200, 240]);
  for (const [i, report] of reports.entries()) {
    expect(report).toMatchObject({ table: "Races", index: names[i], changed: 0, isClean: true });
    expect(report.verification).toMatchObject({ entities: 300, rows: report.written, repaired: 0 });
  }
  expect([...new Set(seen.map(({ phase }) => phase))]).toEqual(["build", "verify"]);
});

/** The same storage; before the first query that reads keys alone, another program writes. */
function changedBeforeCheck(storage: TableStorage, change: () => Promise<unknown>): TableStorage {
  let changing: Promise<unknown> | undefined;
  return forwardStorage(storage, {
    async query(table, query, options) {
      if (query.select?.length === 2) await (changing ??= change());
      return storage.query(table, query, options);
    },
  });
}

test("what nobody changed since it was written is not compared once more: its keys and versions are read", async () => {
  await using storage = await store(300);
  const selected: unknown[] = [];
  const watched = forwardStorage(storage, {
    query(table, query, options) {
      if (table === "Races") selected.push(query.select);
      return storage.query(table, query, options);
    },
  });

  const { verification } = await buildIndex(watched, BuildingRunner, "byAge");

  expect(verification).toMatchObject({ entities: 300, rows: 300, isClean: true });
  const first = selected.findIndex((select) => select !== undefined);
  expect(selected.slice(first)).toEqual(selected.slice(first).map(() => ["PartitionKey", "RowKey"]));
});

test.each<[string, (storage: TableStorage) => Promise<unknown>]>([
  [
    "an entity is changed",
    (storage) =>
      storage.write("Races", {
        type: "merge",
        entity: { PartitionKey: "R1", RowKey: "BIB:00001", age: 99 },
        etag: "*",
      }),
  ],
  [
    "an entity is added",
    (storage) => storage.write("Races", { type: "insert", entity: runnerRow("R3", 1, 33) }),
  ],
  [
    "an entity is deleted",
    (storage) =>
      storage.write("Races", {
        type: "delete",
        key: { partitionKey: "R1", rowKey: "BIB:00001" },
        etag: "*",
      }),
  ],
  [
    "a row of the index is changed",
    (storage) =>
      storage.write("Races", {
        type: "merge",
        entity: { PartitionKey: "R1", RowKey: "AGE:025__00001", club: "another" },
        etag: "*",
      }),
  ],
  [
    "a row of the index is deleted",
    (storage) =>
      storage.write("Races", {
        type: "delete",
        key: { partitionKey: "R1", rowKey: "AGE:025__00001" },
        etag: "*",
      }),
  ],
])("where %s before the check, all rows are compared", async (_what, change) => {
  await using storage = await store(100);

  const report = await buildIndex(
    changedBeforeCheck(storage, () => change(storage)),
    BuildingRunner,
    "byAge",
  );

  expect(report.isClean).toBe(true);
  expect(report.verification.repaired).toBeGreaterThan(0);
  const rows = await allRows(storage);
  expect(indexRows(rows, "AGE:")).toEqual(expectedRows(rows).filter((row) => row.includes("index:byAge")));
});

test("many entities of one partition are written in one transaction", async () => {
  await using storage = await store(200);
  const sizes: number[] = [];
  const counted = forwardStorage(storage, {
    transact: (table, operations, options) => {
      if (table === "Races") sizes.push(operations.length);
      return storage.transact(table, operations, options);
    },
  });

  await buildIndex(counted, BuildingRunner, "byAge");

  expect(sizes).toEqual([100, 100, 100, 100]);
});

test("an index that is built again is as it was, and one that was built in part is completed", async () => {
  await using storage = await store(100);
  for (const name of names) await buildIndex(storage, BuildingRunner, name);
  const before = indexRows(await allRows(storage));
  for (const row of (await allRows(storage)).filter(({ RowKey }) =>
    /^(?:AGE:0[23]|MAIL:runner1)/.test(RowKey),
  ))
    await storage.write("Races", {
      type: "delete",
      key: { partitionKey: row.PartitionKey, rowKey: row.RowKey },
      etag: "*",
    });

  for (const name of names)
    expect(await buildIndex(storage, BuildingRunner, name)).toMatchObject({ isClean: true });

  expect(indexRows(await allRows(storage))).toEqual(before);
});

test("an entity that a writer changes before its transaction is read again, and one that is removed has no row", async () => {
  await using storage = await store(100);
  let isFirst = true;
  const contended = forwardStorage(storage, {
    transact: async (table, operations, options) => {
      if (table === "Races" && isFirst) {
        isFirst = false;
        const context = new TableContext(storage);
        const changed = await context.find(BuildingRunner, { race: "R1", bib: 4 });
        const removed = await context.find(BuildingRunner, { race: "R1", bib: 5 });
        if (changed === undefined || removed === undefined) throw new Error("They are stored.");
        changed.age = 99;
        context.remove(removed);
        await context.saveChanges();
      }
      return storage.transact(table, operations, options);
    },
  });

  const report = await buildIndex(contended, BuildingRunner, "byAge");

  const rows = await allRows(storage);
  expect(indexRows(rows, "AGE:")).toEqual(expectedRows(rows).filter((row) => row.includes("AGE:")));
  expect(report).toMatchObject({ changed: 2, isClean: true });
  expect(report.verification).toMatchObject({ repaired: 0 });
});

test("values that several entities have are reported with the keys of the entities, and the others are built", async () => {
  await using storage = await store(100);
  for (const [bib, email] of [
    [1, "runner2@example.org"],
    [3, "runner2@example.org"],
    [41, "runner42@example.org"],
  ] as const)
    await storage.write("Races", {
      type: "merge",
      entity: { PartitionKey: "R1", RowKey: `BIB:${String(bib).padStart(5, "0")}`, email },
      etag: "*",
    });

  const report = await buildIndex(storage, BuildingRunner, "byEmail");

  expect(report.isClean).toBe(false);
  const { duplicates, duplicateCount, missing } = report.verification;
  expect({ duplicateCount, missing }).toEqual({ duplicateCount: 2, missing: 0 });
  const bibsOf = ({ entities }: (typeof duplicates)[number]): string[] =>
    entities.map(({ rowKey }) => rowKey).toSorted();
  expect(duplicates.map(bibsOf).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ["BIB:00001", "BIB:00002", "BIB:00003"],
    ["BIB:00041", "BIB:00042"],
  ]);
  expect(duplicates[0]).toMatchObject({ index: "byEmail", properties: ["email"] });
  const rows = await allRows(storage);
  const keyOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey} ${RowKey}`;
  const wanted = rows.filter(isMain).flatMap((row) => {
    const email = row["email"];
    return email === undefined ? [] : [`${row.PartitionKey} MAIL:${String(email)}`];
  });
  const found = rows.filter(({ RowKey }) => RowKey.startsWith("MAIL:")).map(keyOf);
  expect(found.toSorted()).toEqual([...new Set(wanted)].toSorted());
});

test("a row that does not fit the index is left and reported, and keeps no other from being built", async () => {
  await using storage = await store(100);
  await storage.write("Races", {
    type: "merge",
    entity: { PartitionKey: "R1", RowKey: "BIB:00007", age: 5000 },
    etag: "*",
  });

  const report = await buildIndex(storage, BuildingRunner, "byAge");

  expect(report).toMatchObject({ written: 99, isClean: false });
  expect(report.verification).toMatchObject({ leftCount: 1, missing: 0 });
  const [left] = report.verification.left;
  expect(left?.key).toEqual({ partitionKey: "R1", rowKey: "BIB:00007" });
  expect(left?.reason).toMatchObject({ code: "key.invalid-part" });
  expect(left?.reason.message).not.toContain("5000");
});

test("a row that the store refuses is left, and the others of its transaction are written", async () => {
  await using storage = await store(100);
  const strict = forwardStorage(storage, {
    transact: (table, operations, options) => {
      const isRefused = operations.some(
        (operation) => "entity" in operation && operation.entity.RowKey.endsWith("__00007"),
      );
      if (!isRefused) return storage.transact(table, operations, options);
      const entity = { PartitionKey: "R1", RowKey: "x".repeat(600) };
      return storage.transact(table, [{ type: "insert", entity }], options);
    },
  });

  const report = await buildIndex(strict, BuildingRunner, "byAge");

  expect(report).toMatchObject({ written: 98, isClean: false });
  expect(report.verification).toMatchObject({ missing: 2, repaired: 0, leftCount: 2 });
});

test("work that its signal stops goes on where it was, under the name of the same declaration", async () => {
  await using storage = withSmallPages(await store(240));
  const stop = new AbortController();
  const first = buildIndex(storage, BuildingRunner, "byAge", {
    concurrency: 1,
    signal: stop.signal,
    onProgress: ({ written }) => {
      if (written > 50) stop.abort();
    },
  });
  await expect(first).rejects.toMatchObject({ code: "storage.cancelled" });
  const already = indexRows(await allRows(storage)).length;
  expect(already).toBeGreaterThan(0);
  expect(already).toBeLessThan(240);

  const report = await buildIndex(storage, BuildingRunner, "byAge", { concurrency: 1 });

  expect(report.isClean).toBe(true);
  expect(report.written).toBeLessThan(240);
  const rows = await allRows(storage);
  expect(indexRows(rows)).toHaveLength(240);
});

test.each([
  [
    runnerWith({ byAge: "ready" }),
    "byAge",
    "model.index-state",
    /byAge of Runner is declared as ready.*verifyIndex/,
  ],
  [runnerWith({ byAge: "retired" }), "byAge", "model.index-state", /retired/],
  [BuildingRunner, "byAg", "query.unknown-index", /Did you mean byAge\? Known: byAge, byClub, byEmail\./],
])("%o, index %s: %s", async (entity, name, code, message) => {
  await using storage = await store(0);

  const build = buildIndex(storage, entity, name as "byAge");

  await expect(build).rejects.toMatchObject({ code });
  await expect(build).rejects.toThrow(message);
});

test("wrong options are refused, and a table of jobs has no indexes", async () => {
  await using storage = await store(0);
  class Job extends defineEntity({
    table: "PartitaJobs",
    indexStates: "declared",
    partitionKey: { pk: text() },
    rowKey: { rk: constant("J:", verbatim) },
    properties: { name: text() },
    indexes: { byName: { rowKey: { name: constant("N:", verbatim) }, state: "building" } },
  }) {}

  await expect(buildIndex(storage, Job, "byName")).rejects.toMatchObject({ code: "model.jobs-table" });
  await expect(buildIndex(storage, BuildingRunner, "byAge", { concurrency: 0 })).rejects.toMatchObject({
    code: "maintenance.option",
  });
});
