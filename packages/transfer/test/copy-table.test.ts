import { type CopyProgress, compareTables, copyTable } from "../src/index.ts";
import { forwardStorage } from "@partita/core/internal";
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { afterEach, beforeEach, expect, test } from "vitest";

let from: TableStorage;
let to: TableStorage;
beforeEach(async () => {
  [from, to] = await Promise.all([openStorage("memory:"), openStorage("memory:")]);
  await from.createTable("Runners");
});
afterEach(() => Promise.all([from.close(), to.close()]));

/** One value of each EDM type, with extremes. */
const values = {
  Text: "plain",
  Zero: 0,
  Whole: 7,
  "Whole@odata.type": "Edm.Double",
  Special: "NaN",
  "Special@odata.type": "Edm.Double",
  Large: "9223372036854775807",
  "Large@odata.type": "Edm.Int64",
  Yes: true,
  At: "2026-11-23T00:00:00.1234567Z",
  "At@odata.type": "Edm.DateTime",
  Id: "c0ffee00-0000-4000-8000-000000000000",
  "Id@odata.type": "Edm.Guid",
  Bytes: "AAEC",
  "Bytes@odata.type": "Edm.Binary",
} as const;

const key = (partition: number, row: number): { PartitionKey: string; RowKey: string } => ({
  PartitionKey: `p${partition}`,
  RowKey: String(row).padStart(5, "0"),
});

async function fill(partitions: number, rows: number): Promise<void> {
  for (let partition = 0; partition < partitions; partition++)
    for (let row = 0; row < rows; row += 100) {
      const entities = Array.from({ length: Math.min(100, rows - row) }, (_, i) => ({
        ...key(partition, row + i),
        ...values,
      }));
      await from.transact(
        "Runners",
        entities.map((entity) => ({ type: "insert", entity })),
      );
    }
}

test("a copy has the same rows, with the same EDM types", async () => {
  await fill(3, 700);
  const report = await copyTable(from, to, "Runners", { as: "Copies" });
  expect(report).toEqual({
    table: "Runners",
    read: 2100,
    written: 2100,
    skipped: 0,
    omitted: { messages: 0, markers: 0, indexRows: 0 },
    refused: 0,
    refusedRows: [],
  });
  const {
    "odata.etag": _,
    Timestamp: __,
    ...row
  } = (await to.get("Copies", {
    partitionKey: "p1",
    rowKey: "00042",
  })) as StoredEntity;
  expect(row).toEqual({ ...key(1, 42), ...values });
  expect(await compareTables(from, to, "Runners", { as: "Copies" })).toEqual({
    first: 2100,
    second: 2100,
    isEqual: true,
    differences: [],
  });
});

test("nothing is written to the source, where the progress of a copy could be kept", async () => {
  await fill(1, 10);
  await copyTable(from, to, "Runners");
  expect(await from.listTables()).toEqual(["Runners"]);
  expect(await to.listTables()).toEqual(["PartitaJobs", "Runners"]);
});

test("comparing finds each row that is not the same", async () => {
  await fill(2, 50);
  await copyTable(from, to, "Runners");
  await from.write("Runners", { type: "delete", key: { partitionKey: "p0", rowKey: "00001" }, etag: "*" });
  await to.write("Runners", { type: "delete", key: { partitionKey: "p0", rowKey: "00002" }, etag: "*" });
  // The same number of another type.
  await to.write("Runners", {
    type: "merge",
    entity: { ...key(1, 3), Zero: "0", "Zero@odata.type": "Edm.Int64" },
    etag: "*",
  });
  const { isEqual, differences } = await compareTables(from, to, "Runners");
  expect(isEqual).toBe(false);
  expect(differences).toHaveLength(3);
  expect(differences).toEqual(
    expect.arrayContaining([
      { key: { partitionKey: "p0", rowKey: "00001" }, found: "only second" },
      { key: { partitionKey: "p0", rowKey: "00002" }, found: "only first" },
      { key: { partitionKey: "p1", rowKey: "00003" }, found: "changed" },
    ]),
  );
});

test("a row that the target does not take is reported, and keeps no other one back", async () => {
  await fill(1, 100);
  const refusing = forwardStorage(to, {
    write: async (table, operation, options) => {
      if ("entity" in operation && operation.entity.RowKey === "00050") throw refusal();
      return to.write(table, operation, options);
    },
    transact: async (table, operations, options) => {
      if (operations.some((operation) => "entity" in operation && operation.entity.RowKey === "00050"))
        throw refusal();
      return to.transact(table, operations, options);
    },
  });
  const report = await copyTable(from, refusing, "Runners");
  expect(report).toMatchObject({ read: 100, written: 99, refused: 1 });
  expect(report.refusedRows.map((row) => row.key)).toEqual([{ partitionKey: "p0", rowKey: "00050" }]);
});

const refusal = (): StorageError => StorageError.ofService("PropertyValueTooLarge");

test("a copy that was stopped is resumed where it was", async () => {
  await fill(4, 2000);
  const stop = new AbortController();
  const seen: CopyProgress[] = [];
  const stopped = copyTable(from, to, "Runners", {
    concurrency: 1,
    signal: stop.signal,
    onProgress: (progress) => {
      seen.push(progress);
      if (progress.read >= 3000) stop.abort();
    },
  });
  await expect(stopped).rejects.toMatchObject({ code: "storage.cancelled" });
  const read = seen.at(-1)?.read ?? 0;
  const report = await copyTable(from, to, "Runners");
  // At most the page that it was stopped at is copied twice.
  expect(report.read).toBeLessThanOrEqual(8000 - read + 1000);
  expect((await compareTables(from, to, "Runners")).isEqual).toBe(true);
});

test.each([
  [{ existing: "keep" }, "transfer.option"],
  [{ as: "a table" }, "transfer.option"],
  [{ checkpoint: "" }, "transfer.option"],
  [{ Rate: 1 }, "transfer.option"],
])("%o is refused", async (options, code) => {
  await expect(copyTable(from, to, "Runners", options as never)).rejects.toMatchObject({ code });
});

test("a table is not copied onto itself, and that of jobs is not copied", async () => {
  await expect(copyTable(from, from, "Runners")).rejects.toMatchObject({ code: "transfer.option" });
  await expect(copyTable(from, to, "PartitaJobs")).rejects.toMatchObject({ code: "model.jobs-table" });
  await expect(copyTable(from, to, "x y")).rejects.toMatchObject({ code: "transfer.option" });
});
