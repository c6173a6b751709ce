import { chmod, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { virtualClock } from "@partita/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checksumOfText } from "../../../src/adapters/embedded/row-checksum.ts";
import { openStorage, type StorageError, type StoredQuery } from "../../../src/index.ts";
import { insert, key, read } from "./things.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(() => rm(folder, { recursive: true }));

const file = (name = "test.db"): string => join(folder, name);
const rejection = async (promise: Promise<unknown>): Promise<StorageError> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: StorageError) => error,
  );

const row = (rowKey: string): { type: "insert"; entity: { PartitionKey: string; RowKey: string } } => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: rowKey },
});

async function filled(path: string): Promise<void> {
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  for (let i = 0; i < 50; i++) await storage.write("Things", row(`r${i}`));
}

test("data is there again after reopening, and ETags keep rising", async () => {
  const first = await openStorage(`file:${file()}`, { clock: virtualClock(2_000_000_000_000) });
  await first.createTable("Things");
  const { etag = "" } = await first.write("Things", row("a"));
  await first.close();

  await using second = await openStorage(`file:${file()}`, { clock: virtualClock(1_000_000_000_000) });
  const stored = await second.get("Things", { partitionKey: "p", rowKey: "a" });
  const later = await second.write("Things", row("b"));

  expect(stored?.["odata.etag"]).toBe(etag);
  expect((later.etag ?? "") > etag).toBe(true);
});

test("the file is readable by its owner only", async () => {
  await filled(file());

  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test("the file is in WAL mode, so that readers never wait for writers", async () => {
  await filled(file());
  const header = await readFile(file());

  expect(header.subarray(0, 15).toString()).toBe("SQLite format 3");
  expect([header.readUInt8(18), header.readUInt8(19)]).toEqual([2, 2]);
});

test("a closed storage refuses work and says so", async () => {
  const storage = await openStorage("memory:");
  await storage.close();

  expect(await rejection(storage.listTables())).toMatchObject({ code: "storage.closed", applied: "no" });
  await storage.close();
});

test("an unknown target is refused without repeating it", async () => {
  const error = await rejection(openStorage("postgres://user:secret@host"));

  expect(error.code).toBe("storage.unknown-target");
  expect(error.message).not.toContain("secret");
});

test("a folder that does not exist, and a folder instead of a file", async () => {
  expect(await rejection(openStorage(`file:${join(folder, "none", "x.db")}`))).toMatchObject({
    code: "storage.cannot-open",
  });
  expect(await rejection(openStorage(`file:${folder}`))).toMatchObject({ code: "storage.cannot-open" });
});

test("a folder that may not be written", async () => {
  // The superuser may write anywhere but into the kernel's own file systems.
  const isSuperuser = process.getuid?.() === 0;
  const readOnly = isSuperuser ? "/sys/kernel" : folder;
  if (!isSuperuser) await chmod(folder, 0o500);

  const error = await rejection(openStorage(`file:${join(readOnly, "x.db")}`));
  if (!isSuperuser) await chmod(folder, 0o700);

  expect(error.code).toBe("storage.read-only");
  expect(error.message).toMatch(/read-only.*Choose a folder/);
});

test("a file that is no database, and another program's database", async () => {
  await writeFile(
    file("text.db"),
    "This is a letter and no database, and it is long enough to be read as a header.\n".repeat(20),
  );
  const foreign = new DatabaseSync(file("foreign.db"));
  foreign.exec("CREATE TABLE mine (x)");
  foreign.close();

  expect(await rejection(openStorage(`file:${file("text.db")}`))).toMatchObject({
    code: "storage.not-a-database",
  });
  expect(await rejection(openStorage(`file:${file("foreign.db")}`))).toMatchObject({
    code: "storage.not-a-database",
  });
  expect((await readFile(file("text.db"), "utf8")).startsWith("This is a letter")).toBe(true);
});

test("a file of a newer version is refused and left alone", async () => {
  await filled(file());
  const newer = new DatabaseSync(file());
  newer.exec("PRAGMA user_version = 99");
  newer.close();

  const error = await rejection(openStorage(`file:${file()}`));

  expect(error.code).toBe("storage.newer-format");
  expect(error.message).toMatch(/format 99.*Update the library/);
});

test("a damaged file is told as damaged, on open or on the first read", async () => {
  await filled(file());
  const handle = await open(file(), "r+");
  const { size } = await handle.stat();
  for (let at = 4096; at < size; at += 64) await handle.write(Buffer.alloc(64, 0xa5), 0, 64, at);
  await handle.close();

  const error = await rejection(
    (async () => {
      await using storage = await openStorage(`file:${file()}`);
      await storage.query("Things", {});
    })(),
  );

  expect(error.code).toBe("storage.damaged");
});

test("a file that another process locks is busy after the time allowed, and free afterwards", async () => {
  await filled(file());
  await using storage = await openStorage(`file:${file()}`, { busyTimeoutMs: 100 });
  const other = new DatabaseSync(file());
  other.exec("BEGIN IMMEDIATE");

  const error = await rejection(storage.write("Things", row("late")));
  expect(error).toMatchObject({ code: "storage.server-busy", status: 503, applied: "no" });
  expect(error.message).toMatch(/locked by another process/);
  expect((await storage.query("Things", {})).entities).toHaveLength(50);

  other.exec("ROLLBACK");
  other.close();
  await storage.write("Things", row("late"));
});

/** A file as format 2 had it. */
function writeFormat2(path: string): void {
  const raw = new DatabaseSync(path);
  raw.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE tables (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
    CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), ts INTEGER NOT NULL);
    INSERT INTO clock (id, ts) VALUES (1, 1700000000000000);
    PRAGMA application_id = ${0x50617274};
    PRAGMA user_version = 2;`);
  for (const [index, name] of ["Things", "Others"].entries()) {
    const rows = `rows${index + 1}`;
    raw.prepare("INSERT INTO tables (name) VALUES (?)").run(name);
    raw.exec(`CREATE TABLE ${rows} (
      id INTEGER PRIMARY KEY, pk TEXT NOT NULL, rk TEXT NOT NULL, ts INTEGER NOT NULL, body TEXT NOT NULL,
      crc INTEGER NOT NULL, UNIQUE (pk, rk))`);
    const insert = raw.prepare(`INSERT INTO ${rows} (pk, rk, ts, body, crc) VALUES ('p', ?, ?, ?, ?)`);
    for (let n = 0; n < 100; n++) {
      const [rk, body] = [`r${String(n).padStart(3, "0")}`, `{"n":${n}}`];
      insert.run(rk, n + 1, body, checksumOfText("p", rk, n + 1, body));
    }
  }
  raw.close();
}

const nIs = (value: number): StoredQuery => ({
  filter: { op: "eq", name: "n", literal: { edm: "Edm.Int32", value } },
});

test("a file of format 2 is brought to the present format with all its rows, which scans find then and after changes", async () => {
  writeFormat2(file());
  await using storage = await openStorage(`file:${file()}`);
  const found = async (table: string, n: number): Promise<string[]> =>
    (await storage.query(table, nIs(n))).entities.map(({ RowKey }) => RowKey);

  expect(await storage.listTables()).toEqual(["Others", "Things"]);
  for (const table of ["Things", "Others"]) {
    expect((await storage.query(table, {})).entities).toHaveLength(100);
    expect(await found(table, 42)).toEqual(["r042"]);
  }
  const { etag = "" } = await storage.write("Things", {
    type: "merge",
    entity: { PartitionKey: "p", RowKey: "r042", n: 500 },
    etag: "*",
  });
  expect(await found("Things", 500)).toEqual(["r042"]);
  expect(await found("Things", 42)).toEqual([]);
  // Versions go on from the last.
  expect(etag > `W/"datetime'2023-11-14`).toBe(true);
  await storage.write("Others", {
    type: "upsert-replace",
    entity: { PartitionKey: "p", RowKey: "r001", n: 7 },
  });
  await storage.createTable("More");
  expect(await found("Others", 7)).toEqual(["r001", "r007"]);
  const raw = new DatabaseSync(file());
  expect(raw.prepare("PRAGMA user_version").get()).toEqual({ user_version: 7 });
  expect(raw.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  raw.close();
});

test("a program that opened the file in format 2 writes nothing more to it once it is in format 5", async () => {
  writeFormat2(file());
  const old = new DatabaseSync(file());
  const tick = old.prepare("SELECT ts FROM clock");
  expect(tick.get()).toBeDefined();
  await using storage = await openStorage(`file:${file()}`);

  expect(() => tick.get()).toThrow("no such table: clock");
  expect((await storage.query("Things", nIs(3))).entities).toHaveLength(1);
  old.close();
});

test("a file of format 2 that another process writes to is busy, and stays as it is; later it is opened", async () => {
  writeFormat2(file());
  const other = new DatabaseSync(file());
  other.exec("BEGIN IMMEDIATE");

  expect(await rejection(openStorage(`file:${file()}`, { busyTimeoutMs: 50 }))).toMatchObject({
    code: "storage.server-busy",
    applied: "no",
  });
  expect(other.prepare("PRAGMA user_version").get()).toEqual({ user_version: 2 });
  other.exec("COMMIT");
  other.close();
  await using storage = await openStorage(`file:${file()}`);
  expect((await storage.query("Things", nIs(3))).entities).toHaveLength(1);
});

test("several storages open a file of format 2 at once", async () => {
  writeFormat2(file());
  const storages = await Promise.all([1, 2, 3, 4].map(() => openStorage(`file:${file()}`)));

  for (const storage of storages) {
    expect((await storage.query("Things", nIs(3))).entities).toHaveLength(1);
    await storage.close();
  }
});

test("a file of a format before 2 is refused and left alone", async () => {
  writeFormat2(file());
  const raw = new DatabaseSync(file());
  raw.exec("PRAGMA user_version = 1");
  raw.close();

  expect(await rejection(openStorage(`file:${file()}`))).toMatchObject({ code: "storage.older-format" });
});

test.each(["a new file", "a file of format 2"])("%s holds each key once, whoever writes it", async (kind) => {
  if (kind === "a file of format 2") writeFormat2(file());
  const storages = await Promise.all([1, 2, 3].map(() => openStorage(`file:${file()}`)));
  await storages[0]?.createTable("Keys");
  const tables = kind === "a new file" ? ["Keys"] : ["Keys", "Things"];
  const types = ["insert", "upsert-merge", "upsert-replace"] as const;
  for (const table of tables) {
    const writes = Array.from({ length: 40 }, (_, i) =>
      storages.flatMap((storage, s) =>
        types.map((type) =>
          storage.write(table, { type, entity: { PartitionKey: "k", RowKey: `${i}`, n: s } }).then(
            () => type,
            (error: StorageError) => error.serviceCode,
          ),
        ),
      ),
    );
    const answers = (await Promise.all(writes.flat())).filter((answer) => answer !== undefined);
    const refused = answers.filter((answer) => answer === "EntityAlreadyExists").length;

    expect(answers.length).toBe(40 * 9);
    expect(answers.filter((answer) => answer === "insert").length + refused).toBe(40 * 3);
    const raw = new DatabaseSync(file());
    const { id } = raw.prepare("SELECT id FROM table_names WHERE name = ?").get(table) as { id: number };
    expect(raw.prepare(`SELECT count(*) AS n FROM rows${id} WHERE pk = 'k'`).get()).toEqual({ n: 40 });
    expect(() =>
      raw.exec(`INSERT INTO rows${id} (pk, rk, ts, body, crc) VALUES ('k', '0', 1, '{}', 1)`),
    ).toThrow("UNIQUE");
    raw.close();
  }
  for (const storage of storages) await storage.close();
});

test("a row whose text is damaged is told as damaged, and spoils no neighbour", async () => {
  const path = join(folder, "x.db");
  {
    await using storage = await openStorage(`file:${path}`);
    await storage.createTable("Things");
    await storage.write("Things", insert({}));
  }
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE rows1 SET body = '{ secret'");
  raw.close();
  await using storage = await openStorage(`file:${path}`);

  const [merge, other] = await Promise.allSettled([
    storage.write("Things", { type: "merge", entity: { ...key, A: 1 }, etag: "*" }),
    storage.write("Things", insert({}, "other")),
  ]);

  expect(merge).toMatchObject({ status: "rejected", reason: { code: "storage.damaged" } });
  expect(other.status).toBe("fulfilled");
  await expect(read(storage)).rejects.toMatchObject({ code: "storage.damaged" });
});
