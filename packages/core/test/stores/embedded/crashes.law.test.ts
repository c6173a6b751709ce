// What a loss of power leaves of a file. SQLite writes the files itself, and node:sqlite takes no file system of ours to
// record that: so both files are copied after each commit. What differs from the copy before is what was written since the
// last sync, and any part of it may have reached the disk, in any order, in sectors of 512 bytes.
//
// With durability "full", each commit syncs the log, so only the latest commit is in doubt. With "normal", all commits since
// the last checkpoint are. Whether SQLite's sync reaches the disk is for `durability.service.test.ts`, which checks the pragma.
import { readFile, rm, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { amountOf } from "@partita/test-support/effort";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { verifyDatabase } from "@partita/maintenance";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";

/** Both files, byte by byte, and what they hold. */
interface Copy {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly content: unknown;
}

const sector = 512;

let seed = 20_261_125;
function random(limit: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
}

const entity = (row: number, value: number): StoredEntity => ({
  PartitionKey: `p${row % 2}`,
  RowKey: String(row),
  value,
  text: "x".repeat(random(400)),
  ...(random(8) === 0 && { long: "long ".repeat(1500) }),
});

const keyOf = ({ PartitionKey, RowKey }: StoredEntity): { partitionKey: string; rowKey: string } => ({
  partitionKey: PartitionKey,
  rowKey: RowKey,
});

/** One commit: a write, a transaction, several writes together, or a change to the list of tables. */
async function commit(storage: TableStorage, step: number): Promise<void> {
  const rows = Array.from({ length: 6 }, () => entity(random(60), step));
  const upsert = (row: StoredEntity): WriteOperation => ({ type: "upsert-replace", entity: row });
  switch (step % 6) {
    case 0:
      await storage.createTable(`Table${step}`);
      return;
    case 1: {
      const unique = new Map(rows.map((row) => [row.RowKey, upsert({ ...row, PartitionKey: "p0" })]));
      await storage.transact("Things", [...unique.values()]);
      return;
    }
    case 2:
      await storage.write("Things", { type: "upsert-merge", entity: rows[0] as StoredEntity });
      return;
    case 3:
      await storage
        .write("Things", { type: "delete", key: keyOf(rows[0] as StoredEntity), etag: "*" })
        .catch(() => undefined);
      return;
    default:
      await Promise.all(rows.map((row) => storage.write("Things", upsert(row))));
  }
}

async function contentOf(storage: TableStorage): Promise<unknown> {
  const tables = await storage.listTables();
  return Promise.all(tables.map(async (table) => [table, (await storage.query(table, {})).entities]));
}

const copyOf = async (path: string, content: unknown): Promise<Copy> => ({
  database: await readFile(path),
  log: await readFile(`${path}-wal`),
  content,
});

/** The sectors that differ, by their first bytes. */
function sectorsWritten(before: Buffer, after: Buffer): number[] {
  const starts: number[] = [];
  for (let at = 0; at < after.length; at += sector)
    if (!before.subarray(at, at + sector).equals(after.subarray(at, at + sector))) starts.push(at);
  return starts;
}

/** A file of which only these sectors were written. */
function withSectors(before: Buffer, after: Buffer, starts: readonly number[]): Buffer {
  const end = Math.max(before.length, ...starts.map((at) => Math.min(at + sector, after.length)));
  const file = Buffer.alloc(end);
  before.copy(file);
  for (const at of starts) after.copy(file, at, at, at + sector);
  return file;
}

/** Parts of what was written: none, all, a beginning, all but one, and any others. */
function partsOf(starts: readonly number[], count: number): (readonly number[])[] {
  const parts: (readonly number[])[] = [[], starts, starts.slice(0, random(starts.length))];
  const missing = random(starts.length);
  parts.push(starts.filter((_, i) => i !== missing));
  while (parts.length < count) parts.push(starts.filter(() => random(3) > 0));
  return parts;
}

/** What a file holds after a loss of power. It must be sound. */
async function afterCrash(path: string, database: Buffer, log: Buffer): Promise<unknown> {
  await writeFile(path, database);
  await writeFile(`${path}-wal`, log);
  const storage = await openStorage(`file:${path}`);
  const content = await contentOf(storage);
  await storage.close();
  expect(await verifyDatabase(`file:${path}`)).toMatchObject({ isClean: true, findings: [] });
  for (const end of ["", "-wal", "-shm"]) await rm(`${path}${end}`, { force: true });
  return content;
}

const [steps, parts] = amountOf({ short: [20, 4], full: [36, 6], long: [300, 30] });

test.each(["full", "normal"] as const)(
  "after a loss of power, durability %s: what was acknowledged is there, and no commit is there in part",
  async (durability) => {
    await using folder = await temporaryFolder();
    const path = folder.file("store.db");
    const clock = virtualClock(Date.UTC(2026, 0, 1));
    await using storage = await openStorage(`file:${path}`, { durability, clock });
    await storage.createTable("Things");
    const checkpoints = new DatabaseSync(path);
    checkpoints.exec("PRAGMA wal_checkpoint(PASSIVE)");
    let synced = await copyOf(path, await contentOf(storage));
    /** What may be found: one of these, as far as commits are in doubt. */
    let possible = [synced.content];
    let [older, newest] = [0, 0];

    for (let step = 0; step < steps; step++) {
      await commit(storage, step);
      const now = await copyOf(path, await contentOf(storage));
      possible = durability === "full" ? [synced.content, now.content] : [...possible, now.content];
      expect(now.database).toEqual(synced.database);
      const written = sectorsWritten(synced.log, now.log);
      for (const part of partsOf(written, parts)) {
        const log = withSectors(synced.log, now.log, part);
        const found = await afterCrash(folder.file("crashed.db"), now.database, log);
        // What was acknowledged is there once all of it was written.
        const expected = part === written ? [now.content] : possible;
        expect(expected.some((content) => isDeepStrictEqual(content, found))).toBe(true);
        if (isDeepStrictEqual(found, now.content)) newest++;
        else older++;
      }
      if (durability === "full") synced = now;

      if (step % 5 !== 4) continue;
      // The log is synced before its pages are written to the database.
      checkpoints.exec("PRAGMA wal_checkpoint(PASSIVE)");
      const after = await copyOf(path, now.content);
      expect(after.log).toEqual(now.log);
      for (const part of partsOf(sectorsWritten(now.database, after.database), parts)) {
        const database = withSectors(now.database, after.database, part);
        expect(await afterCrash(folder.file("crashed.db"), database, now.log)).toEqual(now.content);
      }
      synced = after;
      possible = [now.content];
    }
    checkpoints.close();

    // Both were met often: an old log is written over after each checkpoint.
    expect(Math.min(older, newest)).toBeGreaterThan(steps);
  },
);
