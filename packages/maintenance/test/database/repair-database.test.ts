import { readdirSync } from "node:fs";
import { copyFile, open, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStorage } from "@partita/core";
import { insert } from "./things.ts";
import type { StoredEntity } from "@partita/core/storage";
import {
  type LostRow,
  repairDatabase,
  type RepairOptions,
  type RepairReport,
  verifyDatabase,
} from "../../src/index.ts";

let folder: TemporaryFolder;
let [path, newPath] = ["", ""];
let written: readonly StoredEntity[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  [path, newPath] = [folder.file("damaged.db"), folder.file("new.db")];
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Gone");
  await storage.deleteTable("Gone");
  await storage.createTable("Things");
  await storage.createTable("Empty");
  for (let from = 0; from < 300; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) =>
        insert({ n: from + i, text: "secret ".repeat(20) }, rowKeyOf(from + i)),
      ),
    );
  await storage.write("Things", {
    type: "insert",
    entity: { PartitionKey: "\u{1f600}", RowKey: "\ue000", long: "long ".repeat(4000) },
  });
  written = await rowsIn("Things", path);
});
afterEach(() => folder[Symbol.asyncDispose]());

const rowKeyOf = (n: number): string => `r${String(n).padStart(3, "0")}`;

async function rowsIn(table: string, file = newPath): Promise<StoredEntity[]> {
  await using storage = await openStorage(`file:${file}`);
  return [...(await storage.query(table, {})).entities];
}

/** Changes the damaged file behind the library's back. */
function tamper<Result>(change: (raw: DatabaseSync) => Result): Result {
  const raw = new DatabaseSync(path, { defensive: false });
  try {
    return change(raw);
  } finally {
    raw.close();
  }
}

/** Repairs the file, which must be left as it is. */
async function repair(options: RepairOptions = {}): Promise<RepairReport & { readonly lost: LostRow[] }> {
  const before = await readFile(path);
  const lost: LostRow[] = [];
  const report = await repairDatabase(`file:${path}`, `file:${newPath}`, {
    ...options,
    onLost: (row) => lost.push(row),
  });

  expect(await readFile(path)).toEqual(before);
  expect(report.lostRows).toBe(lost.length);
  expect(await verifyDatabase(`file:${newPath}`)).toMatchObject({
    isClean: true,
    tables: report.tables.map(({ table, rows }) => ({ table, rows })),
  });
  expect(JSON.stringify(lost)).not.toContain("secret");
  return { ...report, lost };
}

const pageSize = 4096;

/** Fills a page of the damaged file with noise. */
async function overwrite(page: number): Promise<void> {
  const handle = await open(path, "r+");
  await handle.write(Buffer.alloc(pageSize, 0xa5), 0, pageSize, (page - 1) * pageSize);
  await handle.close();
}

/** Whether this is where a row begins in its table, which has its body after its keys, and not an entry of the index. */
const isRow = (file: Buffer, at: number): boolean => file.subarray(at, at + 60).includes("{");

test("a sound file is copied with its tables, ETags and Timestamps, and versions go on from its last", async () => {
  const { tables, lost } = await repair();

  expect(tables).toEqual([
    { table: "Things", rows: 301, expectedRows: 301 },
    { table: "Empty", rows: 0, expectedRows: 0 },
  ]);
  expect(lost).toEqual([]);
  expect(await rowsIn("Things")).toEqual(written);
  await using storage = await openStorage(`file:${newPath}`);
  const { etag = "" } = await storage.write("Things", insert({}, "later"));
  expect(written.every((row) => String(row["odata.etag"]) < etag)).toBe(true);
});

test("a row that is not what was written is lost, and named; all others are copied", async () => {
  tamper((raw) => raw.exec("UPDATE rows2 SET body = CAST(replace(body, '\"n\":7,', '\"n\":8,') AS BLOB)"));

  const { lost } = await repair();

  expect(lost).toEqual([
    {
      table: "Things",
      key: { partitionKey: "p", rowKey: "r007" },
      message: "The row differs from what was written: its checksum is wrong.",
    },
  ]);
  expect(await rowsIn("Things")).toEqual(written.filter(({ RowKey }) => RowKey !== "r007"));
});

test("a row whose key was damaged in its table is found by its index, and one whose entry was by its table", async () => {
  const file = await readFile(path);
  const damage = (key: string, isEntry: boolean): void => {
    for (let at = file.indexOf(`p${key}`); at !== -1; at = file.indexOf(`p${key}`, at + 1))
      if (isRow(file, at) !== isEntry) file.write("x", at + 1);
  };
  damage("r020", false);
  damage("r040", true);
  await writeFile(path, file);
  expect((await verifyDatabase(`file:${path}`)).isClean).toBe(false);

  expect((await repair()).lost).toEqual([]);
  expect(await rowsIn("Things")).toEqual(written);
});

test("rows of a page that can't be read are lost, and named by the index", async () => {
  const file = await readFile(path);
  let at = file.indexOf("pr150");
  while (!isRow(file, at)) at = file.indexOf("pr150", at + 1);
  await overwrite(Math.floor(at / pageSize) + 1);

  const { lost } = await repair();

  const lostKeys = lost.map(({ key }) => key.rowKey);
  const rows = await rowsIn("Things");
  expect(lostKeys.length).toBeGreaterThan(5);
  expect([...rows.map(({ RowKey }) => RowKey), ...lostKeys].toSorted()).toEqual(
    written.map(({ RowKey }) => RowKey).toSorted(),
  );
  expect(written).toEqual(expect.arrayContaining(rows));
});

test("a file that was cut gives the rows that are still there", async () => {
  const { length } = await readFile(path);
  await truncate(path, Math.floor(length / 2 / pageSize) * pageSize);
  await expect(verifyDatabase(`file:${path}`)).rejects.toMatchObject({ code: "storage.damaged" });

  const { tables } = await repair();

  const rows = await rowsIn("Things");
  expect(rows.length).toBeGreaterThan(50);
  expect(tables).toContainEqual({ table: "Things", rows: rows.length, expectedRows: 301 });
  expect(written).toEqual(expect.arrayContaining(rows));
});

test("a file in use is repaired with what is in its log, which stays as it is", async () => {
  await using storage = await openStorage(`file:${path}`);
  await storage.write("Things", insert({}, "more"));
  const log = await readFile(`${path}-wal`);

  const { tables, lost } = await repair();

  expect([tables[0]?.rows, lost]).toEqual([302, []]);
  expect(await readFile(`${path}-wal`)).toEqual(log);
});

test("of two rows with the same keys, the later one is copied", async () => {
  tamper((raw) => {
    raw.exec("DROP INDEX rows2_key; CREATE INDEX rows2_key ON rows2 (pk, rk)");
    raw.exec(
      "CREATE TABLE first AS SELECT * FROM rows2 WHERE rk = 'r009'; DELETE FROM rows2 WHERE rk = 'r009'",
    );
  });
  await using storage = await openStorage(`file:${path}`);
  await storage.write("Things", insert({ n: "later" }, "r009"));
  await storage.close();
  tamper((raw) => raw.exec("UPDATE first SET id = 5000; INSERT INTO rows2 SELECT * FROM first"));

  const { lost } = await repair();

  expect(lost).toMatchObject([
    { key: { rowKey: "r009" }, message: expect.stringMatching(/two rows/) as string },
  ]);
  expect((await rowsIn("Things")).find(({ RowKey }) => RowKey === "r009")).toMatchObject({ n: "later" });
});

test.each([
  ["a letter of its name", (raw: DatabaseSync) => renameInTable(raw)],
  ["its entry in the list of tables", (raw: DatabaseSync) => deleteFromTable(raw)],
  ["its checksum there", (raw: DatabaseSync) => raw.exec("UPDATE table_names SET crc = crc + 1")],
])("a table that lost %s keeps its name and its rows", async (_what, damage) => {
  tamper(damage);

  expect((await repair()).lost).toEqual([]);
  expect(await rowsIn("Things")).toEqual(written);
});

/** Runs a change while SQLite does not know the index of names, and so does not change it. */
function withoutIndex(raw: DatabaseSync, change: string): void {
  raw.exec("PRAGMA writable_schema = 1");
  const index = raw
    .prepare("SELECT * FROM sqlite_schema WHERE name = 'sqlite_autoindex_table_names_1'")
    .get();
  const declared = "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE";
  raw.exec("DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_table_names_1'");
  raw.exec(`UPDATE sqlite_schema SET sql = replace(sql, ' UNIQUE', '') WHERE name = 'table_names'`);
  raw.exec("PRAGMA writable_schema = RESET");
  raw.exec(change);
  raw.exec("PRAGMA writable_schema = 1");
  raw.exec(
    `UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL COLLATE', 'NOT NULL UNIQUE COLLATE') WHERE name = 'table_names'`,
  );
  expect(raw.prepare("SELECT sql FROM sqlite_schema WHERE name = 'table_names'").get()?.["sql"]).toContain(
    declared,
  );
  raw
    .prepare(
      "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage) VALUES ('index', ?, 'table_names', ?)",
    )
    .run(index?.["name"] as string, index?.["rootpage"] as number);
  raw.exec("PRAGMA writable_schema = RESET");
}

const renameInTable = (raw: DatabaseSync): void =>
  withoutIndex(raw, "UPDATE table_names SET name = 'Thongs' WHERE name = 'Things'");
const deleteFromTable = (raw: DatabaseSync): void =>
  withoutIndex(raw, "DELETE FROM table_names WHERE name = 'Things'");

test("a file that exists is not written to, and a repair that was stopped leaves none", async () => {
  await writeFile(newPath, "precious");
  await expect(repairDatabase(`file:${path}`, `file:${newPath}`)).rejects.toMatchObject({
    code: "storage.file-exists",
    applied: "no",
  });
  await expect(repairDatabase(`file:${path}`, `file:${path}`)).rejects.toMatchObject({
    code: "storage.file-exists",
  });
  expect(await readFile(newPath, "utf8")).toBe("precious");

  const other = folder.file("other.db");
  const stop = new AbortController();
  const stopped = repairDatabase(`file:${path}`, `file:${other}`, {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(stopped).rejects.toMatchObject({ code: "storage.cancelled" });
  expect((await readdir(folder.path)).filter((name) => name.startsWith("other"))).toEqual([]);
});

test("a repair that was killed leaves a part, which the next one replaces unless it is still being written", async () => {
  await copyFile(path, `${newPath}.part`);
  const running: Promise<unknown>[] = [];
  const names: string[] = [];
  const first = await repairDatabase(`file:${path}`, `file:${newPath}`, {
    onProgress() {
      if (running.length > 0) return;
      names.push(...readdirSync(folder.path));
      running.push(repairDatabase(`file:${path}`, `file:${newPath}`).catch((error: unknown) => error));
    },
  });

  expect(names).toContain("new.db.part");
  expect(names).not.toContain("new.db");
  expect(await running[0]).toMatchObject({
    code: "storage.file-exists",
    message: expect.stringMatching(/new\.db(\.part)? exists/) as string,
  });
  expect(first.tables).toContainEqual({ table: "Things", rows: 301, expectedRows: 301 });
  expect((await readdir(folder.path)).filter((name) => name.startsWith("new"))).toEqual(["new.db"]);
  expect(await rowsIn("Things")).toEqual(written);
});

test("what is no file of this library is refused, and nothing is written", async () => {
  await writeFile(folder.file("text.db"), "no database\n".repeat(1000));
  const codeOf = (target: string, into = `file:${newPath}`): Promise<string> =>
    repairDatabase(target, into).then(
      () => "none",
      ({ code }: { code: string }) => code,
    );

  expect(await codeOf(`file:${folder.file("text.db")}`)).toBe("storage.not-a-database");
  expect(await codeOf(`file:${folder.file("none.db")}`)).toBe("storage.cannot-open");
  expect(await codeOf("memory:")).toBe("storage.unknown-target");
  expect(await codeOf(`file:${path}`, "memory:")).toBe("storage.unknown-target");
  expect(await codeOf(`file:${path}`, `file:${folder.file("none/new.db")}`)).toBe("storage.cannot-open");
  await expect(
    repairDatabase(`file:${path}`, `file:${newPath}`, { lost: true } as object),
  ).rejects.toMatchObject({
    code: "storage.option",
  });
  expect(await readdir(folder.path)).not.toContain("new.db");
});
