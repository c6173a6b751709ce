import { isLong } from "@partita/test-support/effort";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { readFile, rm, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { virtualClock } from "@partita/testing";
import { seedOf } from "@partita/test-support/seed";
import { expect, test } from "vitest";
import { openStorage, TableError, type TableStorage } from "@partita/core";
import type { FilterNode, StoredEntity, StoredQuery } from "@partita/core/storage";
import { verifyDatabase } from "../../src/index.ts";

const inFolder = folderOfEachTest();

const tables = ["Things", "Others", "Empty"];
const rowsOfTable = 120;

const entity = (table: string, i: number): StoredEntity => ({
  PartitionKey: `p${i % 4}`,
  RowKey: `${table}${String(i).padStart(4, "0")}`,
  n: i % 7,
  text: `${table} ${i} `.repeat(1 + (i % 5)),
  // A few rows pass the end of their page.
  ...(i % 40 === 3 && { long: "long ".repeat(2000) }),
});

/** Writes a file of some tables, with rows that were replaced, merged and removed: its pages have gaps. */
async function writeTables(path: string): Promise<void> {
  // By a clock of its own, so that the file is the same in every run.
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  await using storage = await openStorage(`file:${path}`, { durability: "normal", clock });
  for (const table of tables) await storage.createTable(table);
  for (const table of ["Things", "Others"]) {
    const rows = Array.from({ length: rowsOfTable }, (_, i) => entity(table, i));
    await Promise.all(rows.map((row) => storage.write(table, { type: "insert", entity: row })));
    const changes = rows.map((row, i) => {
      const { PartitionKey, RowKey } = row;
      if (i % 3 === 0)
        return { type: "merge", entity: { PartitionKey, RowKey, n: i % 5 }, etag: "*" } as const;
      if (i % 10 === 1)
        return { type: "delete", key: { partitionKey: PartitionKey, rowKey: RowKey }, etag: "*" } as const;
      return { type: "upsert-replace", entity: { ...row, again: i } } as const;
    });
    await Promise.all(changes.map((change) => storage.write(table, change)));
  }
}

async function pagesOf(storage: TableStorage, table: string, query: StoredQuery): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let after: StoredQuery["after"];
  do {
    const page = await storage.query(table, { ...query, ...(after !== undefined && { after }) });
    rows.push(...page.entities);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

const is = (op: "eq" | "ne", value: number): FilterNode => ({
  op,
  name: "n",
  literal: { edm: "Edm.Int32", value },
});

/** Whatever can be read of the tables: lists, pages, scans with the index and without, rows by their keys. */
async function readAll(path: string): Promise<unknown> {
  await using storage = await openStorage(`file:${path}`);
  const found: unknown[] = [await storage.listTables()];
  for (const table of tables) {
    found.push(await pagesOf(storage, table, {}));
    for (let n = 0; n < 7; n++) found.push(await pagesOf(storage, table, { filter: is("eq", n) }));
    found.push(await pagesOf(storage, table, { filter: is("ne", 3) }));
    for (let i = 0; i < rowsOfTable; i++) {
      const { PartitionKey, RowKey } = entity(table, i);
      found.push(await storage.get(table, { partitionKey: PartitionKey, rowKey: RowKey }));
    }
  }
  return found;
}

type Verdict = "not opened" | "found by verify" | "of no effect" | "silent";

/** What became of a damaged file: it is silent where verify finds nothing, and a read returns something else. */
async function judge(path: string, written: unknown): Promise<Verdict> {
  try {
    const report = await verifyDatabase(`file:${path}`);
    expect(report.isClean).toBe(report.findingCount === 0);
    if (!report.isClean) return "found by verify";
  } catch (error) {
    // What cannot be opened is refused by an error that says so.
    if (!(error instanceof TableError)) throw error;
    return "not opened";
  }
  const read = await readAll(path).catch((error: unknown) => error);
  return isDeepStrictEqual(read, written) ? "of no effect" : "silent";
}

// Long form: 1,500 flips.
const flips = isLong ? 1500 : 120;
const seed = seedOf("PARTITA_FLIP_SEED", 20_261_122);

test(`${flips} bit flips in a file of a few tables: none is silent after verify`, async () => {
  const path = inFolder("whole.db");
  await writeTables(path);
  const written = await readAll(path);
  expect(await verifyDatabase(`file:${path}`)).toMatchObject({ isClean: true, findings: [] });
  const whole = await readFile(path);
  let state = seed;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };

  const verdicts: Record<Verdict, number> = {
    "not opened": 0,
    "found by verify": 0,
    "of no effect": 0,
    silent: 0,
  };
  const silent: string[] = [];
  for (let i = 0; i < flips; i++) {
    // Every tenth in the first page: it says what the others are.
    const [at, bit] = [random(i % 10 === 0 ? 4096 : whole.length), random(8)];
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
    const copy = inFolder(`flip${i}.db`);
    await writeFile(copy, damaged);
    const outcome = await judge(copy, written);
    verdicts[outcome]++;
    if (outcome === "silent") silent.push(`bit ${bit} of byte ${at}`);
    for (const end of ["", "-wal", "-shm"]) await rm(`${copy}${end}`, { force: true });
  }

  if (flips > 120) console.log(`${flips} flips in ${whole.length} bytes`, verdicts);
  expect(silent).toEqual([]);
  // Most of the file is in use: what has no effect is free space.
  expect(verdicts["found by verify"]).toBeGreaterThan(flips / 3);
});
