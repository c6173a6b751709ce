import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStorage, type TableStorage } from "@partita/core";
import { checksumOfThing, insert, key } from "./things.ts";
import { verifyDatabase, type VerifyProgress, type VerifyReport } from "../../src/index.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  path = join(folder, "test.db");
});
afterEach(() => rm(folder, { recursive: true }));

const secret = "a value that no report has";

/** Opens a file with 30 rows in Things, and none in Empty. */
async function filled(): Promise<TableStorage> {
  const storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  await storage.createTable("Empty");
  await storage.transact(
    "Things",
    Array.from({ length: 30 }, (_, i) => insert({ n: i, secret }, `r${String(i).padStart(2, "0")}`)),
  );
  return storage;
}

const verify = (): Promise<VerifyReport> => verifyDatabase(`file:${path}`);

/** Changes a file behind the library's back. */
function tamper(change: (raw: DatabaseSync) => void): void {
  const raw = new DatabaseSync(path, { defensive: false } as object);
  change(raw);
  raw.close();
}

test("a file that was written to in every way is sound", async () => {
  const storage = await filled();
  const row = (rowKey: string): { PartitionKey: string; RowKey: string } => ({ ...key, RowKey: rowKey });
  const at = (rowKey: string): { partitionKey: string; rowKey: string } => ({ partitionKey: "p", rowKey });
  await storage.write("Things", {
    type: "merge",
    entity: { ...row("r01"), more: "m".repeat(600) },
    etag: "*",
  });
  await storage.write("Things", { type: "replace", entity: { ...row("r02"), n: "text" }, etag: "*" });
  await storage.write("Things", { type: "upsert-merge", entity: { ...row("r03"), n: 1.5 } });
  await storage.write("Things", { type: "upsert-merge", entity: { ...row("new1"), n: -0 } });
  await storage.write("Things", { type: "upsert-replace", entity: { ...row("r04"), g: true } });
  // Nothing is merged: the row gets another version.
  for (const type of ["merge", "upsert-merge"] as const)
    await storage.write("Things", { type, entity: row("r10"), etag: "*" });
  await storage.transact("Things", [
    { type: "merge", entity: row("r11"), etag: "*" },
    { type: "merge", entity: { ...row("r12"), n: "text" }, etag: "*" },
  ]);
  await storage.write("Things", { type: "upsert-replace", entity: row("\u{1f600}\ue000") });
  await storage.write("Things", { type: "delete", key: at("r05"), etag: "*" });
  const refused = await Promise.allSettled([
    storage.write("Things", insert({}, "r06")),
    storage.write("Things", { type: "delete", key: at("none"), etag: "*" }),
    // All of it is taken back, what was applied of it too.
    storage.transact("Things", [
      insert({}, "a"),
      { type: "delete", key: at("r07"), etag: "*" },
      { type: "replace", entity: row("r08"), etag: "*" },
      insert({}, "r09"),
    ]),
  ]);
  await storage.createTable("Gone");
  await storage.write("Gone", insert({}));
  await storage.deleteTable("Gone");
  await storage.close();

  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(await verify()).toEqual({
    isClean: true,
    findings: [],
    findingCount: 0,
    tables: [
      { table: "Things", rows: 31 },
      { table: "Empty", rows: 0 },
    ],
  });
});

test("a row that is gone with its index entries is missed", async () => {
  await (await filled()).close();
  tamper((raw) => raw.exec("DELETE FROM rows1 WHERE rk = 'r07'"));

  const report = await verify();

  expect(report.isClean).toBe(false);
  expect(report.findings).toEqual([
    { check: "totals", table: "Things", message: "There are 29 rows, but 30 were written." },
  ]);
});

test("a row that was changed with its checksum is noticed, though each row is whole", async () => {
  await (await filled()).close();
  const body = '{"n":1}';
  tamper((raw) => {
    const { ts } = raw.prepare("SELECT ts FROM rows1 WHERE rk = 'r07'").get() as { ts: number };
    raw
      .prepare("UPDATE rows1 SET body = CAST(? AS BLOB), crc = ? WHERE rk = 'r07'")
      .run(body, checksumOfThing("r07", ts, body));
  });

  expect((await verify()).findings).toMatchObject([{ check: "totals", table: "Things" }]);
});

test("a row whose text was changed is named by its keys, without its values", async () => {
  await (await filled()).close();
  tamper((raw) =>
    raw.exec("UPDATE rows1 SET body = CAST(replace(body, '\"n\":7', '\"n\":8') AS BLOB) WHERE rk = 'r07'"),
  );

  const report = await verify();

  expect(report.findings).toMatchObject([
    { check: "row", table: "Things", key: { partitionKey: "p", rowKey: "r07" } },
  ]);
  expect(JSON.stringify(report)).not.toContain(secret);
});

/** Runs a change while SQLite does not know an index, and so does not change it. */
function withoutIndex(raw: DatabaseSync, name: string, change: string): void {
  raw.exec("PRAGMA writable_schema = 1");
  const { rootpage, tbl_name, sql } = raw
    .prepare("SELECT rootpage, tbl_name, sql FROM sqlite_schema WHERE name = ?")
    .get(name) as { rootpage: number; tbl_name: string; sql: string };
  raw.prepare("DELETE FROM sqlite_schema WHERE name = ?").run(name);
  raw.exec("PRAGMA writable_schema = RESET");
  raw.exec(change);
  raw.exec("PRAGMA writable_schema = 1");
  raw
    .prepare("INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('index', ?, ?, ?, ?)")
    .run(name, tbl_name, rootpage, sql);
  raw.exec("PRAGMA writable_schema = RESET");
}

test("a row that the index of keys lacks, and one that it alone has, are noticed", async () => {
  await (await filled()).close();
  tamper((raw) => withoutIndex(raw, "rows1_key", "UPDATE rows1 SET rk = 'r99' WHERE rk = 'r07'"));
  const lacking = await verify();
  tamper((raw) => withoutIndex(raw, "rows1_key", "DELETE FROM rows1 WHERE rk = 'r08'"));
  const leftOver = await verify();

  expect(lacking.findings).toContainEqual({
    check: "key",
    table: "Things",
    key: { partitionKey: "p", rowKey: "r99" },
    message: "The row is not found by its keys.",
  });
  expect(leftOver.findings).toContainEqual({
    check: "index",
    table: "Things",
    message: "rows1_key has 30 entries for 29 rows.",
  });
  for (const { findings } of [lacking, leftOver])
    expect(findings.map(({ check }) => check)).toContain("structure");
});

test("a key that is stored twice, since a bit of its index hid the first row, is noticed", async () => {
  await (await filled()).close();
  let page = 0;
  tamper((raw) => {
    const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'rows1_key'";
    page = Number(raw.prepare(sql).get()?.["rootpage"]);
  });
  const before = await readFile(path);
  const at = before.indexOf("pr07", (page - 1) * 4096);
  before.writeUInt8(before.readUInt8(at + 3) + 64, at + 3);
  await writeFile(path, before);
  const storage = await openStorage(`file:${path}`);
  const isHidden = (await storage.get("Things", { partitionKey: "p", rowKey: "r07" })) === undefined;
  if (isHidden) await storage.write("Things", insert({ n: 100 }, "r07"));
  await storage.close();

  const { findings } = await verify();

  expect(isHidden).toBe(true);
  const ofKeys = findings.filter(({ check, table }) => check === "key" && table === "Things");
  expect(ofKeys.map(({ key: found }) => found?.rowKey)).toContain("r07");
});

test("a table whose name differs in a capital is noticed", async () => {
  await (await filled()).close();
  tamper((raw) => raw.exec("UPDATE table_names SET name = 'things' WHERE name = 'Things'"));

  expect((await verify()).findings).toMatchObject([{ check: "tables", table: "things" }]);
});

test("a version that would be given a second time is noticed", async () => {
  await (await filled()).close();
  tamper((raw) => raw.exec("UPDATE state SET ts = ts - 5 WHERE id = 1"));

  expect((await verify()).findings).toMatchObject([{ check: "tables" }]);
});

test("a column that compares by another rule is noticed", async () => {
  await (await filled()).close();
  tamper((raw) => {
    raw.exec("PRAGMA writable_schema = 1");
    raw.exec("UPDATE sqlite_schema SET sql = replace(sql, 'rk TEXT', 'rk NUMB') WHERE name = 'rows1'");
  });

  expect((await verify()).findings).toContainEqual({
    check: "schema",
    message: "The declaration of rows1 has changed.",
  });
});

test("a body whose type was changed from bytes to text is noticed, though it reads as it was written", async () => {
  await (await filled()).close();
  tamper((raw) => raw.exec("UPDATE rows1 SET body = CAST(body AS TEXT) WHERE rk = 'r07'"));

  expect((await verify()).findings).toMatchObject([{ check: "row", key: { rowKey: "r07" } }]);
});

test("a table whose keys nothing guards any more is noticed", async () => {
  await (await filled()).close();
  tamper((raw) => raw.exec("DROP INDEX rows1_key; CREATE INDEX rows1_key ON rows1 (pk, rk)"));

  expect((await verify()).findings).toEqual([
    { check: "schema", message: "The declaration of rows1 has changed." },
  ]);
});

test("a file with thousands of findings lists a hundred, and counts all", async () => {
  const storage = await filled();
  for (let from = 0; from < 1000; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => insert({}, `s${from + i}`)),
    );
  await storage.close();
  tamper((raw) => raw.exec("UPDATE rows1 SET body = CAST('{}' AS BLOB) WHERE ts % 2 >= 0"));
  tamper((raw) => raw.exec("UPDATE rows1 SET crc = crc + 1"));

  const { findings, findingCount } = await verify();

  expect(findings).toHaveLength(100);
  expect(findingCount).toBeGreaterThanOrEqual(1030);
});

test("a file in use is verified in one state, while it is written to and by any process", async () => {
  await using storage = await filled();
  let isWriting = true;
  const writing = (async () => {
    for (let i = 0; isWriting; i++) await storage.write("Things", insert({ i }, `w${i}`));
  })();
  for (let i = 0; i < 10; i++) expect(await verify()).toMatchObject({ isClean: true, findings: [] });
  isWriting = false;
  await writing;

  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  expect((await verify()).isClean).toBe(true);
  other.close();
});

test("progress names the tables and ends at all rows; a signal stops it", async () => {
  await (await filled()).close();
  const seen: VerifyProgress[] = [];
  await verifyDatabase(`file:${path}`, { onProgress: (progress) => seen.push(progress) });
  const stop = new AbortController();
  const stopped = verifyDatabase(`file:${path}`, {
    signal: stop.signal,
    onProgress: ({ table }) => table === "Things" && stop.abort(),
  });

  expect(seen).toEqual([
    { table: undefined, checked: 0, total: 30 },
    { table: "Things", checked: 0, total: 30 },
    { table: "Empty", checked: 30, total: 30 },
  ]);
  await expect(stopped).rejects.toMatchObject({ code: "storage.cancelled" });
  await expect(verifyDatabase(`file:${path}`, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "storage.cancelled",
  });
});

test("what is no file of this library, or of another format, is refused and left alone", async () => {
  await writeFile(join(folder, "text.db"), "no database\n".repeat(1000));
  await (await filled()).close();
  tamper((raw) => raw.exec("PRAGMA application_id = 0x50617274"));
  const before = await readFile(path);
  const codeOf = (target: string): Promise<string> =>
    verifyDatabase(target).then(
      () => "none",
      ({ code }: { code: string }) => code,
    );

  expect(await codeOf(`file:${join(folder, "text.db")}`)).toBe("storage.not-a-database");
  await writeFile(join(folder, "empty.db"), "");
  expect(await codeOf(`file:${join(folder, "empty.db")}`)).toBe("storage.not-a-database");
  expect(await codeOf(`file:${join(folder, "none.db")}`)).toBe("storage.cannot-open");
  expect(await codeOf(`file:${path}`)).toBe("storage.older-format");
  expect(await codeOf("memory:")).toBe("storage.unknown-target");
  expect(await codeOf("UseDevelopmentStorage=true")).toBe("storage.unknown-target");
  expect(await readFile(path)).toEqual(before);
  await expect(verifyDatabase(`file:${path}`, { progress: true } as object)).rejects.toMatchObject({
    code: "storage.option",
  });
});

test("a damaged row stays damaged when nothing is merged into it", async () => {
  await (await filled()).close();
  tamper((raw) =>
    raw.exec("UPDATE rows1 SET body = CAST(replace(body, 'report', 'rumour') AS BLOB) WHERE rk = 'r03'"),
  );
  await using storage = await openStorage(`file:${path}`);

  await storage.write("Things", { type: "merge", entity: { ...key, RowKey: "r03" }, etag: "*" });

  await expect(storage.get("Things", { partitionKey: "p", rowKey: "r03" })).rejects.toMatchObject({
    code: "storage.damaged",
  });
});
