import { readFile, rm, writeFile } from "node:fs/promises";
import { amountOf } from "@partita/test-support/effort";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { repairDatabase, verifyDatabase } from "../../src/index.ts";

const tables = ["Things", "Others"];
const count = 150;
const pageSize = 4096;

async function writeTables(path: string): Promise<void> {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  await using storage = await openStorage(`file:${path}`, { durability: "normal", clock });
  for (const table of tables) {
    await storage.createTable(table);
    const rows = Array.from({ length: count }, (_, i) => ({
      PartitionKey: `p${i % 3}`,
      RowKey: String(i),
      table,
      text: "x".repeat((i * 37) % 300),
      // A few rows are longer than a page.
      ...(i % 30 === 3 && { long: "long ".repeat(2000) }),
    }));
    await Promise.all(rows.map((entity) => storage.write(table, { type: "insert", entity })));
  }
}

const nameOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey} ${RowKey}`;

/** All rows by their tables and keys. */
async function readTables(path: string): Promise<Map<string, StoredEntity>> {
  const found = new Map<string, StoredEntity>();
  await using storage = await openStorage(`file:${path}`);
  for (const table of await storage.listTables())
    for (const row of (await storage.query(table, {})).entities) found.set(`${table} ${nameOf(row)}`, row);
  return found;
}

/** What befalls a file: noise in a page, another page in its place, a flipped bit, or a cut. */
function damage(whole: Buffer, random: (limit: number) => number): Buffer {
  const file = Buffer.from(whole);
  const pages = whole.length / pageSize;
  // Without its first page, a file is none.
  const at = (1 + random(pages - 1)) * pageSize;
  switch (random(4)) {
    case 0:
      return file.fill(random(256), at, at + pageSize);
    case 1: {
      const from = random(pages) * pageSize;
      whole.copy(file, at, from, from + pageSize);
      return file;
    }
    case 2: {
      const byte = pageSize + random(whole.length - pageSize);
      file.writeUInt8(file.readUInt8(byte) ^ (1 << random(8)), byte);
      return file;
    }
    default:
      return file.subarray(0, at);
  }
}

const runs = amountOf({ short: 20, full: 40, long: 600 });

test(`${runs} damaged files are repaired into sound ones, in which every row is what was written`, async () => {
  await using folder = await temporaryFolder();
  const path = folder.file("whole.db");
  await writeTables(path);
  const written = await readTables(path);
  const whole = await readFile(path);
  let state = 20_261_125;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  let [snapshotValue, named] = [0, 0];

  for (let run = 0; run < runs; run++) {
    const [damaged, repaired] = [folder.file(`damaged${run}.db`), folder.file(`repaired${run}.db`)];
    const bytes = damage(whole, random);
    await writeFile(damaged, bytes);
    const lost = new Set<string>();
    await repairDatabase(`file:${damaged}`, `file:${repaired}`, {
      onLost: ({ table, key }) => lost.add(`${table} ${key.partitionKey} ${key.rowKey}`),
    });

    expect(await readFile(damaged)).toEqual(bytes);
    expect(await verifyDatabase(`file:${repaired}`)).toMatchObject({ isClean: true });
    const found = await readTables(repaired);
    for (const [name, row] of found) expect(row, name).toEqual(written.get(name));
    const missing = [...written.keys()].filter((name) => !found.has(name));
    // What was cut may have been a row with all that names it.
    const isCut = bytes.length < whole.length;
    expect(isCut ? [] : missing.filter((name) => !lost.has(name))).toEqual([]);
    snapshotValue += found.size;
    named += lost.size;
    for (const file of [damaged, repaired])
      for (const end of ["", "-wal", "-shm"]) await rm(`${file}${end}`, { force: true });
  }

  expect(snapshotValue).toBeGreaterThan(0.8 * runs * written.size);
  expect(named).toBeGreaterThan(runs);
});
