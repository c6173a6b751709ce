import { expect, test } from "vitest";
import { createTables, defineEntity, openStorage, type TableStorage, text } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { constant, padded, verbatim } from "@partita/core/keys";
import { buildIndex, dropIndex } from "../../src/index.ts";
import {
  allRows,
  BuildingRunner,
  fill,
  indexRows,
  isMain,
  RetiredRunner,
  Runner,
  runnerWith,
  withSmallPages,
} from "./runners.ts";

async function built(count: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await fill(storage, count);
  for (const name of ["byAge", "byEmail"] as const) await buildIndex(storage, BuildingRunner, name);
  return storage;
}

test("the rows of a retired index are removed, and no others", async () => {
  await using storage = await built(300);
  const others = (await allRows(storage)).filter(({ RowKey }) => !RowKey.startsWith("AGE:"));
  const written: number[] = [];

  const report = await dropIndex(storage, RetiredRunner, "byAge", {
    onProgress: (progress) => written.push(progress.written),
  });

  expect(report).toEqual({ table: "Races", index: "byAge", removed: 300, isClean: true });
  expect(written.at(-1)).toBe(300);
  expect(await allRows(storage)).toEqual(others);
  expect(await dropIndex(storage, RetiredRunner, "byAge")).toMatchObject({ removed: 0, isClean: true });
});

test("only rows of the index are read", async () => {
  await using storage = await built(100);
  let read = 0;
  const counted = forwardStorage(storage, {
    query: async (table, query, options) => {
      const page = await storage.query(table, query, options);
      if (table === "Races") read += page.entities.length;
      return page;
    },
  });

  await dropIndex(counted, RetiredRunner, "byEmail", { concurrency: 1 });

  expect(read).toBe(80);
});

test("work that its signal stops goes on later", async () => {
  await using storage = withSmallPages(await built(240));
  const stop = new AbortController();
  const first = dropIndex(storage, RetiredRunner, "byAge", {
    concurrency: 1,
    signal: stop.signal,
    onProgress: ({ written }) => {
      if (written > 0) stop.abort();
    },
  });
  await expect(first).rejects.toMatchObject({ code: "storage.cancelled" });
  expect(indexRows(await allRows(storage), "AGE:").length).toBeGreaterThan(0);

  expect(await dropIndex(storage, RetiredRunner, "byAge")).toMatchObject({ isClean: true });

  const rows = await allRows(storage);
  expect(indexRows(rows, "AGE:")).toEqual([]);
  expect(rows.filter(isMain)).toHaveLength(240);
});

test("an index that was dropped while its build was stopped on its way is built from the beginning", async () => {
  await using storage = withSmallPages(await built(0));
  await fill(storage, 240);
  const stop = new AbortController();
  const half = buildIndex(storage, BuildingRunner, "byAge", {
    concurrency: 1,
    signal: stop.signal,
    onProgress: ({ written }) => {
      if (written > 50) stop.abort();
    },
  });
  await expect(half).rejects.toMatchObject({ code: "storage.cancelled" });
  await dropIndex(storage, RetiredRunner, "byAge");

  const report = await buildIndex(storage, BuildingRunner, "byAge");

  // The page that was stopped at is written twice.
  expect(report).toMatchObject({ written: 290, isClean: true });
  expect(report.verification).toMatchObject({ missing: 0 });
});

test.each([
  [Runner, "byAge", "model.index-state", /byAge of Runner is in use.*Declare state: "retired"/],
  [runnerWith({ byAge: "building" }), "byAge", "model.index-state", /building/],
  [RetiredRunner, "byAges", "query.unknown-index", /Did you mean byAge\?/],
])("%o, index %s: %s", async (entity, name, code, message) => {
  await using storage = await built(0);

  const drop = dropIndex(storage, entity, name as "byAge");

  await expect(drop).rejects.toMatchObject({ code });
  await expect(drop).rejects.toThrow(message);
});

test("rows that another class has under the same beginning of keys are in nobody's way", async () => {
  await using storage = await openStorage("memory:");
  const thingOf = (kind: string, state: "ready" | "retired") =>
    defineEntity({
      table: "Things",
      kind,
      indexStates: "declared",
      partitionKey: { pk: text() },
      rowKey: { id: constant("T:", padded(3)) },
      properties: { name: text() },
      indexes: { byName: { rowKey: { name: constant("N:", verbatim) }, state } },
    });
  class Used extends thingOf("Used", "ready") {}
  class Old extends thingOf("Old", "retired") {}
  await createTables(storage, [Used]);
  for (const Kind of ["Used~byName", "Old~byName"])
    await storage.write("Things", {
      type: "insert",
      entity: { PartitionKey: "p", RowKey: `N:${Kind}`, Kind },
    });

  await expect(dropIndex(storage, [Used, Old], "byName")).rejects.toMatchObject({
    code: "model.index-state",
  });
  expect(await dropIndex(storage, Old, "byName")).toMatchObject({ removed: 1, isClean: true });

  const { entities } = await storage.query("Things", {});
  expect(entities.map(({ RowKey }) => RowKey)).toEqual(["N:Used~byName"]);
});
