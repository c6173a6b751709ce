import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStorage, type StorageError, TableError, type TableStorage } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const entity = (i: number, size = 200): StoredEntity => ({
  PartitionKey: `p${i % 3}`,
  RowKey: String(i).padStart(5, "0"),
  N: i,
  Text: String(i)
    .padStart(5, "0")
    .repeat(size / 5),
});

async function filled(path: string, count: number): Promise<void> {
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  for (let i = 0; i < count; i++) await storage.write("Things", { type: "insert", entity: entity(i) });
}

async function allRows(storage: TableStorage): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let after;
  do {
    const page = await storage.query("Things", after === undefined ? {} : { after });
    rows.push(...page.entities);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

// oxlint-disable-next-line typescript/unbound-method -- called with a database of its own
const { exec, prepare } = DatabaseSync.prototype;

/** Puts a function in the place of every statement; it calls `exec` itself. */
const watchExec = (instead: (this: DatabaseSync, sql: string) => void): ReturnType<typeof vi.spyOn> =>
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(instead);

describe("what makes a write durable", () => {
  test.each([
    ["full", "FULL"],
    ["normal", "NORMAL"],
  ] as const)(
    "durability %s is PRAGMA synchronous = %s, over a write-ahead log",
    async (durability, level) => {
      const said: string[] = [];
      watchExec(function (this: DatabaseSync, sql: string) {
        said.push(sql);
        return exec.call(this, sql);
      });
      await using storage = await openStorage(`file:${join(folder, "a.db")}`, { durability });
      await storage.createTable("Things");
      const levels = said.flatMap((sql) => [...sql.matchAll(/synchronous = (\w+)/g)].map(([, name]) => name));
      expect(levels).toEqual([level]);
      expect(said.some((sql) => sql.includes("journal_mode = WAL"))).toBe(true);
    },
  );

  test("a write is acknowledged only after its COMMIT has returned", async () => {
    const order: string[] = [];
    await using storage = await openStorage(`file:${join(folder, "a.db")}`);
    await storage.createTable("Things");
    watchExec(function (this: DatabaseSync, sql: string) {
      const result = exec.call(this, sql);
      if (sql.startsWith("COMMIT")) order.push("COMMIT");
      return result;
    });
    await Promise.all(
      [0, 1, 2].map(async (i) => {
        await storage.write("Things", { type: "insert", entity: entity(i) });
        order.push("acknowledged");
      }),
    );
    await storage.transact("Things", [{ type: "insert", entity: entity(4) }]);
    order.push("acknowledged");

    expect(order.filter((what) => what === "acknowledged")).toHaveLength(4);
    expect(order[0]).toBe("COMMIT");
    expect(order.at(-2)).toBe("COMMIT");
  });

  test("a COMMIT that fails is no acknowledgement", async () => {
    await using storage = await openStorage(`file:${join(folder, "a.db")}`);
    await storage.createTable("Things");
    let isDone = false;
    const spy = watchExec(function (this: DatabaseSync, sql: string) {
      if (!sql.startsWith("COMMIT")) return exec.call(this, sql);
      if (isDone) exec.call(this, sql);
      throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
    });
    // Still open, it was rolled back for certain; otherwise nobody can tell.
    for (const [i, applied] of ["no", "maybe"].entries()) {
      isDone = applied === "maybe";
      const failed = storage.write("Things", { type: "insert", entity: entity(10 + i) });
      await expect(failed).rejects.toMatchObject({ code: "storage.io", applied });
    }
    spy.mockRestore();
    expect(await storage.get("Things", { partitionKey: "p1", rowKey: "00010" })).toBeUndefined();
    expect(await storage.get("Things", { partitionKey: "p2", rowKey: "00011" })).toMatchObject({ N: 11 });
    await storage.write("Things", { type: "insert", entity: entity(1) });
    expect(await storage.get("Things", { partitionKey: "p1", rowKey: "00001" })).toMatchObject({ N: 1 });
  });
});

test("a full disk: a clear error, nothing of the write, and everything from before", async () => {
  const path = join(folder, "full.db");
  await filled(path, 20);
  // The limit is the connection's own: as a full disk, it lets nothing grow.
  await using storage = await openStorage(`file:${path}`);
  let raw: DatabaseSync | undefined;
  vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql: string) {
    // oxlint-disable-next-line typescript/no-this-alias -- the connection that the storage keeps to itself
    raw = this;
    return prepare.call(this, sql);
  });
  await storage.listTables();
  await storage.get("Things", { partitionKey: "p0", rowKey: "00000" });
  await storage.write("Things", {
    type: "upsert-merge",
    entity: { PartitionKey: "p0", RowKey: "00000", N: 0 },
  });
  vi.restoreAllMocks();
  raw?.exec("PRAGMA max_page_count = 1");

  let failures = 0;
  for (let i = 100; i < 160; i++) {
    const error = await storage.write("Things", { type: "insert", entity: entity(i, 4000) }).then(
      () => undefined,
      (reason: StorageError) => reason,
    );
    if (error === undefined) continue;
    failures++;
    expect(error).toMatchObject({ code: "storage.full", applied: "no" });
    expect(error.message).toContain("This write was not stored");
  }
  expect(failures).toBeGreaterThan(0);
  const stored = await allRows(storage);
  expect(stored).toHaveLength(20 + 60 - failures);
  raw?.exec("PRAGMA max_page_count = 1000000");
  await storage.write("Things", { type: "insert", entity: entity(999, 4000) });
  expect(await allRows(storage)).toHaveLength(20 + 60 - failures + 1);
});

test("a lock that another process holds: a clear error after the time allowed, and it works once that is gone", async () => {
  const path = join(folder, "locked.db");
  await filled(path, 3);
  const holder = spawn(
    process.execPath,
    [
      "--no-warnings",
      "-e",
      `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(${JSON.stringify(path)});
       db.exec("BEGIN IMMEDIATE"); console.log("locked"); setInterval(() => undefined, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(holder.stdout, "data");
  await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 100 });
  await expect(storage.write("Things", { type: "insert", entity: entity(50) })).rejects.toMatchObject({
    code: "storage.server-busy",
    applied: "no",
    status: 503,
  });
  expect(await allRows(storage)).toHaveLength(3);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await storage.write("Things", { type: "insert", entity: entity(50) });
  expect(await allRows(storage)).toHaveLength(4);
});

test("100 random byte flips: each ends in a clear error, or in exactly what was written", async () => {
  const path = join(folder, "whole.db");
  await filled(path, 150);
  const whole = await readFile(path);
  await using original = await openStorage(`file:${path}`);
  const written = new Map((await allRows(original)).map((row) => [`${row.PartitionKey}/${row.RowKey}`, row]));
  let state = 20_261_121;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const reported = { error: 0, whole: 0, wrong: 0 };
  for (let i = 0; i < 100; i++) {
    const damaged = Buffer.from(whole);
    const at = random(damaged.length);
    damaged[at] = (damaged[at] as number) ^ (1 + random(255));
    const copy = join(folder, `flip${i}.db`);
    await writeFile(copy, damaged);
    const found = await readEverything(copy);
    reported[verdictOn(found, written)]++;
    await rm(copy, { force: true });
  }
  expect(reported.wrong).toBe(0);
  // Half of the file are rows, and one of two indexes leads to them: what is not read here is free space or the rest.
  expect(reported.error).toBeGreaterThan(30);
});

/** A typed error that quotes nothing; or nothing that was not written, and nothing missing. */
function verdictOn(
  found: readonly StoredEntity[] | Error,
  written: ReadonlyMap<string, StoredEntity>,
): "error" | "whole" | "wrong" {
  if (found instanceof Error)
    return found instanceof TableError && !/0000[0-9]{10}/.test(found.message) ? "error" : "wrong";
  const isSame = (row: StoredEntity): boolean =>
    isDeepStrictEqual({ ...row }, { ...written.get(`${row.PartitionKey}/${row.RowKey}`) });
  return found.length === written.size && found.every(isSame) ? "whole" : "wrong";
}

async function readEverything(path: string): Promise<StoredEntity[] | Error> {
  try {
    await using storage = await openStorage(`file:${path}`);
    return await allRows(storage);
  } catch (error) {
    return error as Error;
  }
}

test("a merge does not make a damaged row look whole", async () => {
  const path = join(folder, "merge.db");
  await filled(path, 3);
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE rows1 SET body = CAST(replace(body, '00001', '99999') AS BLOB) WHERE rk = '00001'");
  raw.close();
  await using storage = await openStorage(`file:${path}`);
  const key = { partitionKey: "p1", rowKey: "00001" };
  const merge = { PartitionKey: "p1", RowKey: "00001", Other: 1 };

  await expect(storage.get("Things", key)).rejects.toMatchObject({ code: "storage.damaged" });
  for (const type of ["merge", "upsert-merge"] as const)
    await expect(storage.write("Things", { type, entity: merge, etag: "*" })).rejects.toMatchObject({
      code: "storage.damaged",
      applied: "no",
    });
  await storage.write("Things", { type: "replace", entity: merge, etag: "*" });
  expect(await storage.get("Things", key)).toMatchObject({ Other: 1 });
});
