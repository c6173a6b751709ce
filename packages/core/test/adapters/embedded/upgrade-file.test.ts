import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checksumOfText } from "../../../src/adapters/embedded/row-checksum.ts";
import { etagOf } from "../../../src/adapters/embedded/stored-row.ts";
import {
  defineEntity,
  openStorage,
  type StorageError,
  type StoredEntity,
  TableContext,
  type TableStorage,
  text,
  verifyFile,
} from "../../../src/index.ts";
import { firstVersion, propertiesOf, rowKeyOf, writeOlderFile } from "./older-files.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  path = join(folder, "older.db");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const openFile = (options: { busyTimeoutMs?: number } = {}): Promise<TableStorage> =>
  openStorage(`file:${path}`, { durability: "normal", ...options });

async function rowsOf(storage: TableStorage, table: string): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let after;
  do {
    const page = await storage.query(table, after === undefined ? {} : { after });
    rows.push(...page.entities);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

/** Works on the file behind the library's back. */
function withRaw<Result>(work: (raw: DatabaseSync) => Result): Result {
  const raw = new DatabaseSync(path);
  try {
    return work(raw);
  } finally {
    raw.close();
  }
}

/** How many rows have a body of each type, and how far an upgrade is. */
const formsOf = (table: string): unknown =>
  withRaw((raw) =>
    Object.fromEntries(
      raw
        .prepare(`SELECT typeof(body) AS type, count(*) AS n FROM ${table} GROUP BY 1`)
        .all()
        .map(({ type, n }) => [type, n]),
    ),
  );
const isUpgrading = (): boolean =>
  withRaw((raw) => raw.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'upgrade'").get() !== undefined);

// oxlint-disable-next-line typescript/unbound-method -- called with a database of its own
const { exec } = DatabaseSync.prototype;

/** Does something after each statement that `exec` runs. */
function afterEachExec(then: (database: DatabaseSync, sql: string) => void): void {
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql: string) {
    exec.call(this, sql);
    then(this, sql);
  });
}

/** Opens a file that somebody else locks once the first 500 rows were brought along. */
async function openHalfUpgraded(): Promise<TableStorage> {
  const other = new DatabaseSync(path);
  let commits = 0;
  afterEachExec((_database, sql) => {
    // The first reads, the second declares, the third brings rows along.
    if (sql === "COMMIT" && ++commits === 3) exec.call(other, "BEGIN IMMEDIATE");
  });
  const storage = await openFile({ busyTimeoutMs: 30 });
  vi.restoreAllMocks();
  exec.call(other, "ROLLBACK");
  other.close();
  return storage;
}

test.each([2, 3, 4] as const)(
  "a file of format %d is opened with every row as it was, its bodies bytes and its totals right",
  async (format) => {
    writeOlderFile(path, format, { tables: ["Things", "Others", "Empty"], count: 1203, length: 20 });
    withRaw(
      (raw) => format === 4 && raw.exec("DELETE FROM rows3; UPDATE state SET rows = 0, sum = 0 WHERE id = 3"),
    );
    {
      await using storage = await openFile();
      for (const table of ["Things", "Others"]) {
        const rows = await rowsOf(storage, table);
        expect(rows).toHaveLength(1203);
        for (const [n, row] of rows.entries())
          expect(row).toMatchObject({
            RowKey: rowKeyOf(n),
            ...propertiesOf(n, 20),
            "odata.etag": etagOf(firstVersion + n),
          });
      }
      // Versions go on from the last.
      const { etag = "" } = await storage.write("Things", {
        type: "merge",
        entity: { PartitionKey: "p", RowKey: rowKeyOf(7), n: 5000 },
        etag: etagOf(firstVersion + 7),
      });
      expect(etag > etagOf(firstVersion + 1203)).toBe(true);
    }

    expect(formsOf("rows1")).toEqual({ blob: 1203 });
    expect(formsOf("rows2")).toEqual({ blob: 1203 });
    expect(isUpgrading()).toBe(false);
    expect(await verifyFile(`file:${path}`)).toMatchObject({ isSound: true, findings: [] });
  },
);

test("damaged rows stay as they are, and are still noticed; no neighbour is spoiled", async () => {
  writeOlderFile(path, 4, { tables: ["Things"], count: 600, length: 10 });
  const damages = [
    ["replaced text", "body = replace(body, '\"n\":7', '\"n\":8')", 7],
    ["text that became bytes", "body = CAST(body AS BLOB)", 8],
    ["another key", "rk = rk || 'x'", 9],
    ["a version that is text", "ts = 'never'", 11],
    ["another checksum", "crc = crc + 1", 12],
    ["another time", "ahead = ahead + 1", 13],
    // Here verify ends.
    ["a version beyond numbers", "ts = 9223372036854775807", 598],
  ] as const;
  withRaw((raw) => {
    for (const [, change, n] of damages) raw.exec(`UPDATE rows1 SET ${change} WHERE rk = '${rowKeyOf(n)}'`);
  });
  await using storage = await openFile();

  for (const [name, , n] of damages) {
    const rowKey = rowKeyOf(n) + (name === "another key" ? "x" : "");
    const code = await storage.get("Things", { partitionKey: "p", rowKey }).then(
      (row) => row?.["n"],
      (error: StorageError) => error.code,
    );
    // Short rows are read as text whatever they are stored as: there every character is what was written.
    expect(code, name).toBe(name === "text that became bytes" ? n : "storage.damaged");
  }
  for (const n of [0, 6, 14, 599])
    expect(await storage.get("Things", { partitionKey: "p", rowKey: rowKeyOf(n) })).toMatchObject({ n });
  expect(formsOf("rows1")).toEqual({ blob: 594, text: 6 });
  const { findings } = await verifyFile(`file:${path}`);
  const found = findings.filter(({ check }) => check === "row").map(({ key }) => key?.rowKey);
  expect(found).toEqual(
    damages.slice(0, -1).map(([name, , n]) => rowKeyOf(n) + (name === "another key" ? "x" : "")),
  );
  expect(findings.at(-1)?.check).toBe("structure");
});

test("each transaction brings 500 rows along at most, and the event loop turns in between", async () => {
  writeOlderFile(path, 4, { tables: ["Things"], count: 2600, length: 10 });
  const changes: number[] = [];
  let [turns, turnsAtLast] = [0, 0];
  let isTurning = true;
  const turn = (): void => {
    turns++;
    if (isTurning) setImmediate(turn);
  };
  turn();
  afterEachExec((database, sql) => {
    if (sql !== "COMMIT") return;
    changes.push(
      Number(database.prepare("SELECT count(*) AS n FROM rows1 WHERE typeof(body) = 'blob'").get()?.["n"]),
    );
    expect(changes.length < 4 || turns > turnsAtLast).toBe(true);
    turnsAtLast = turns;
  });
  await (await openFile()).close();
  isTurning = false;

  const steps = changes.map((count, i) => count - (changes[i - 1] ?? 0));
  expect(steps.filter((rows) => rows > 0)).toEqual([500, 500, 500, 500, 500, 100]);
});

test("rows with long text are brought along by their bytes", async () => {
  writeOlderFile(path, 4, { tables: ["Things"], count: 20, length: 200_000 });
  let commits = 0;
  afterEachExec((_database, sql) => (commits += sql === "COMMIT" ? 1 : 0));
  await (await openFile()).close();

  expect(commits).toBeGreaterThan(7);
  expect(formsOf("rows1")).toEqual({ blob: 20 });
});

test("a row whose type stands behind its value, as older merges left it, is none of the kind that it begins with", async () => {
  class Post extends defineEntity({
    table: "Posts",
    kind: "post",
    partitionKey: { blog: text() },
    rowKey: { id: text() },
    properties: { title: text() },
  }) {}
  writeOlderFile(path, 2, { tables: ["Posts"], count: 0, length: 0 });
  withRaw((raw) => {
    const insert = raw.prepare("INSERT INTO rows1 (pk, rk, ts, body, crc) VALUES ('b', ?, ?, ?, ?)");
    const asText = '{"Kind":"post","title":"A","Kind@odata.type":"Edm.String"}';
    const asBytes = '{"Kind":"post","title":"B","Kind@odata.type":"Edm.Binary"}';
    for (const [rk, body] of Object.entries({ a: asText, b: asBytes }))
      insert.run(rk, firstVersion, body, checksumOfText("b", rk, firstVersion, body));
  });
  await using storage = await openFile();
  expect(formsOf("rows1")).toEqual({ blob: 2 });

  const posts = new TableContext(storage).query(Post).where({ blog: "b" }).mergeOption("noTracking");
  expect((await posts.toArray()).map(({ title }) => title)).toEqual(["A"]);
});

test("a file that others keep locked opens with rows of both forms, which are read and written; the next to open it goes on", async () => {
  writeOlderFile(path, 4, { tables: ["Things"], count: 1200, length: 10 });
  const storage = await openHalfUpgraded();

  expect(formsOf("rows1")).toEqual({ blob: 500, text: 700 });
  expect(await verifyFile(`file:${path}`)).toMatchObject({ isSound: true, findings: [] });
  expect((await rowsOf(storage, "Things")).map(({ n }) => n)).toEqual(
    Array.from({ length: 1200 }, (_, n) => n),
  );
  const scan = async (n: number): Promise<unknown> =>
    (
      await storage.query("Things", {
        filter: { op: "eq", name: "n", literal: { edm: "Edm.Int32", value: n } },
      })
    ).entities.map(({ RowKey }) => RowKey);
  expect([await scan(100), await scan(1100)]).toEqual([[rowKeyOf(100)], [rowKeyOf(1100)]]);
  for (const n of [3, 1003])
    await storage.write("Things", {
      type: "merge",
      entity: { PartitionKey: "p", RowKey: rowKeyOf(n), more: true },
      etag: etagOf(firstVersion + n),
    });
  await storage.write("Things", {
    type: "delete",
    key: { partitionKey: "p", rowKey: rowKeyOf(1004) },
    etag: "*",
  });
  await storage.close();
  expect(formsOf("rows1")).toEqual({ blob: 501, text: 698 });
  expect(await verifyFile(`file:${path}`)).toMatchObject({ isSound: true, findings: [] });
  await (await openFile()).close();

  expect(formsOf("rows1")).toEqual({ blob: 1199 });
  expect(isUpgrading()).toBe(false);
  expect(await verifyFile(`file:${path}`)).toMatchObject({ isSound: true, findings: [] });
});

test("a table that is deleted before its rows were brought along is passed over", async () => {
  writeOlderFile(path, 4, { tables: ["Things", "Others"], count: 600, length: 10 });
  const storage = await openHalfUpgraded();
  await storage.deleteTable("Things");
  await storage.createTable("Things");
  await storage.close();
  await (await openFile()).close();

  expect(formsOf("rows2")).toEqual({ blob: 600 });
  expect(isUpgrading()).toBe(false);
});

test("a program that opened the file in format 4 finds no table any more, once it is in a later one", async () => {
  writeOlderFile(path, 4, { tables: ["Things"], count: 10, length: 10 });
  const old = new DatabaseSync(path);
  const find = old.prepare("SELECT id FROM tables WHERE name = ?");
  expect(find.get("Things")).toEqual({ id: 1 });
  let version: unknown;
  afterEachExec((database, sql) => {
    if (sql === "COMMIT")
      version ??= database
        .prepare("SELECT user_version FROM pragma_user_version WHERE user_version > 4")
        .get();
  });
  await using _storage = await openFile();

  expect(() => find.get("Things")).toThrow("no such table: tables");
  // It is refused to programs of then before any row is of the new form.
  expect(version).toEqual({ user_version: 7 });
  old.close();
});

test("damaged pages of one table keep no other from being opened, nor from being brought along", async () => {
  writeOlderFile(path, 4, { tables: ["Things", "Others"], count: 600, length: 300 });
  const page = withRaw((raw) => {
    raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return Number(raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'rows1'").get()?.["rootpage"]);
  });
  const handle = await open(path, "r+");
  await handle.write(Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  await handle.close();
  await using storage = await openFile();

  await expect(rowsOf(storage, "Things")).rejects.toMatchObject({ code: "storage.damaged" });
  expect(await rowsOf(storage, "Others")).toHaveLength(600);
  expect(formsOf("rows2")).toEqual({ blob: 600 });
  expect(isUpgrading()).toBe(false);
});
