import { readFile, rm, writeFile } from "node:fs/promises";
import { isLong } from "@partita/test-support/effort";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { openStorage, TableError, type TableStorage } from "../../../src/index.ts";
import type { FilterNode, StoredEntity } from "../../../src/storage.ts";

const tables = ["Things", "Others", "Again"];
const count = 60;
const pageSize = 4096;

const keyOf = (i: number): { PartitionKey: string; RowKey: string } => ({
  PartitionKey: "p",
  RowKey: String(i).padStart(4, "0"),
});

/** Writes the same keys to each table, in rows that say which table they are of. The last table was created twice. */
async function writeTables(path: string): Promise<void> {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  await using storage = await openStorage(`file:${path}`, { durability: "normal", clock });
  const fill = async (table: string, name: string): Promise<void> => {
    await storage.createTable(table);
    for (let i = 0; i < count; i++)
      await storage.write(table, {
        type: "insert",
        entity: { ...keyOf(i), table: name, i, long: "x".repeat(200) },
      });
  };
  await fill("Things", "Things");
  await fill("Others", "Others");
  await fill("Again", "Before");
  await storage.deleteTable("Again");
  await fill("Again", "Again");
}

const isAt = (i: number): FilterNode => ({ op: "eq", name: "i", literal: { edm: "Edm.Int32", value: i } });

/** All rows that reads of a table return, as far as they are not refused. */
async function readTable(storage: TableStorage, table: string): Promise<StoredEntity[]> {
  const points = Array.from({ length: count }, (_, i) => keyOf(i)).map(({ PartitionKey, RowKey }) =>
    storage.get(table, { partitionKey: PartitionKey, rowKey: RowKey }).then((row) => (row ? [row] : [])),
  );
  const pages = [{}, { filter: isAt(3) }, { filter: isAt(50) }].map((query) =>
    storage.query(table, query).then(({ entities }) => entities),
  );
  const results = await Promise.allSettled([...points, ...pages]);
  return results.flatMap((result) => {
    if (result.status === "fulfilled") return result.value;
    expect(result.reason).toBeInstanceOf(TableError);
    return [];
  });
}

// Long form: all pairs of pages.

test("a page that was copied over another never makes rows of one table those of another", async () => {
  await using folder = await temporaryFolder();
  const path = folder.file("whole.db");
  await writeTables(path);
  const whole = await readFile(path);
  const pages = whole.length / pageSize;
  let [copies, foreign] = [0, 0];

  for (let pair = 0; pair < pages * pages; pair += isLong ? 1 : 3) {
    const [from, to] = [Math.floor(pair / pages), pair % pages];
    if (from === to || to === 0) continue;
    const copy = folder.file(`copy${pair}.db`);
    const damaged = Buffer.from(whole);
    whole.copy(damaged, to * pageSize, from * pageSize, (from + 1) * pageSize);
    await writeFile(copy, damaged);
    copies++;
    const storage = await openStorage(`file:${copy}`).catch((error: unknown) => error as TableError);
    if (storage instanceof TableError) continue;
    for (const table of tables)
      for (const row of await readTable(storage, table)) if (row["table"] !== table) foreign++;
    await storage.close();
    for (const end of ["", "-wal", "-shm"]) await rm(`${copy}${end}`, { force: true });
  }

  expect(copies).toBeGreaterThan(100);
  expect(foreign).toBe(0);
});
