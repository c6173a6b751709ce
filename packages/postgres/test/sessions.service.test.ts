import { setTimeout } from "node:timers/promises";
import type { TableStorage } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { hasPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { initPostgres, openPostgres, openPostgresPool } from "../src/index.ts";
import { freshSchema, server, sql } from "./fresh-schema.ts";

const entity = (rowKey: string, n = 0): StoredEntity => ({
  PartitionKey: "p",
  RowKey: rowKey,
  n,
  text: "\u{1F600} \\ ' \0 ü İ",
  bytes: "AP8=",
  "bytes@odata.type": "Edm.Binary",
  time: "2026-11-27T01:02:03.0000001Z",
  "time@odata.type": "Edm.DateTime",
});

const upsert = (rowKey: string, n?: number): WriteOperation => ({
  type: "upsert-replace",
  entity: entity(rowKey, n),
});

/** Reads and writes of all kinds, which must work in any session. */
async function exercise(storage: TableStorage, table: string): Promise<void> {
  await storage.createTable(table);
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await storage.transact(table, [upsert("a", i), upsert("b", i), upsert(`own ${i}`, i)]);
      await storage.write(table, { type: "merge", entity: { PartitionKey: "p", RowKey: "a", i }, etag: "*" });
    }),
  );
  const filters = [
    ["text", "Edm.String", String(entity("a")["text"])],
    ["bytes", "Edm.Binary", "AP8="],
    ["time", "Edm.DateTime", "2026-11-27T01:02:03.0000001Z"],
  ] as const;
  for (const [name, edm, value] of filters) {
    const filter = { name, op: "eq", literal: { edm, value } } as const;
    const { entities } = await storage.query(table, { filter });
    expect([name, entities.length]).toEqual([name, 22]);
  }
  const row = await storage.get(table.toUpperCase(), { partitionKey: "p", rowKey: "b" });
  expect(row).toMatchObject({ ...entity("b"), n: expect.any(Number) as number });
  expect(Math.abs(Date.parse(String(row?.Timestamp)) - Date.now())).toBeLessThan(60_000);
  const long = "x".repeat(20_000);
  const large = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`p${i}`, long]));
  await storage.write(table, {
    type: "merge",
    entity: { ...large, PartitionKey: "p", RowKey: "a" },
    etag: "*",
  });
  const tooLarge = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`q${i}`, `\u{1F600}${long}`]));
  const refused = storage.write(table, {
    type: "merge",
    entity: { ...tooLarge, PartitionKey: "p", RowKey: "a" },
    etag: "*",
  });
  await expect(refused).rejects.toMatchObject({ serviceCode: "EntityTooLarge", applied: "no" });
  await storage.deleteTable(table);
}

describe.runIf(hasPostgres)("a session", () => {
  let roles = 0;
  /** A target for a role with settings of its own. */
  async function targetFor(settings: Readonly<Record<string, string>>): Promise<string> {
    const target = await freshSchema();
    const role = `role${process.pid}_${roles++}`;
    const { grantsFor } = await initPostgres(target);
    await sql(`create role ${role} login`);
    await sql(grantsFor(role).join("\n"));
    for (const [name, value] of Object.entries(settings))
      await sql(`alter role ${role} set ${name} = ${value}`);
    const url = new URL(target);
    url.username = role;
    return url.href;
  }

  test.each([
    ["serializable transactions", { default_transaction_isolation: "serializable" }],
    ["repeatable read", { default_transaction_isolation: "'repeatable read'" }],
    ["another search path", { search_path: "nowhere" }],
    ["another time zone", { timezone: "'Pacific/Chatham'", datestyle: "'German, DMY'" }],
    [
      "other forms of text",
      { standard_conforming_strings: "off", bytea_output: "escape", backslash_quote: "off" },
    ],
    ["other plans", { plan_cache_mode: "force_custom_plan", jit: "on", debug_parallel_query: "on" }],
    ["limits", { statement_timeout: "20000", lock_timeout: "20000", idle_session_timeout: "20000" }],
  ])("with %s of the role behaves the same", async (_, settings) => {
    await using storage = await openPostgres(await targetFor(settings as Record<string, string>));

    await exercise(storage, "Table1");
    expect(await storage.listTables()).toEqual([]);
  });

  test("goes on after the server ended all idle sessions", async () => {
    const target = await targetFor({});
    // As idle_session_timeout does.
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${new URL(target).username}'`;
    await using storage = await openPostgres(target);

    await storage.createTable("Rows");
    while ((await sql(end)).length > 0) await setTimeout(10);
    await storage.write("Rows", upsert("a"));

    expect((await storage.query("Rows", {})).entities).toMatchObject([{ RowKey: "a" }]);
  });

  test.each(["tr-TR-x-icu", "und-x-icu"])(
    "in a database with the collation %s behaves the same",
    async (locale) => {
      const database = `icu_${locale.slice(0, 2)}_${process.pid}`;
      const icu = locale.replace("-x-icu", "");
      await sql(
        `create database ${database} template template0 encoding 'UTF8' locale_provider icu icu_locale '${icu}'`,
      );
      const url = new URL(server());
      url.pathname = database;
      await initPostgres(url.href);
      const storage = await openPostgres(url.href);

      await exercise(storage, "IiTitle");
      await storage.createTable("TITLE");
      await expect(storage.createTable("title")).rejects.toMatchObject({ serviceCode: "TableAlreadyExists" });
      for (const rowKey of ["a", "B", "ä", "Z", "\u{10000}", "\uffff"])
        await storage.write("title", upsert(rowKey));
      const { entities } = await storage.query("Title", {});
      expect(entities.map(({ RowKey }) => RowKey)).toEqual(["B", "Z", "a", "ä", "\u{10000}", "\uffff"]);

      await storage.close();
      await sql(`drop database ${database} with (force)`);
    },
  );

  async function poolAndStorage(
    max: number,
  ): Promise<{ pool: pg.Pool; schema: string; storage: TableStorage }> {
    const schema = new URL(await freshSchema()).searchParams.get("schema") ?? "";
    const pool = new pg.Pool({ connectionString: server(), max });
    return { pool, schema, storage: await openPostgresPool(pool, { schema }) };
  }

  test.each(["deallocate all", "discard all"])("goes on after %s", async (statement) => {
    const { pool, storage } = await poolAndStorage(1);
    await storage.createTable("Rows");
    for (let i = 0; i < 5; i++) {
      await storage.write("Rows", upsert("a", i));
      await storage.transact("Rows", [upsert("a", i), upsert("b", i)]);
      expect(await storage.get("Rows", { partitionKey: "p", rowKey: "a" })).toMatchObject({ n: i });
      await pool.query(statement);
    }
    await storage.write("Rows", upsert("a"));
    const { rows } = await pool.query("show enable_sort");
    expect(rows).toEqual([{ enable_sort: "off" }]);
    const names = await pool.query<{ name: string }>("select name from pg_prepared_statements");
    expect(names.rows.length).toBeGreaterThan(0);
    for (const { name } of names.rows) expect(Buffer.byteLength(name)).toBeLessThan(64);

    await storage.close();
    await pool.end();
  });

  test("does not write in a transaction that the program left open", async () => {
    const { pool, storage } = await poolAndStorage(1);
    await storage.createTable("Rows");
    const client = await pool.connect();
    await client.query("begin");
    client.release();

    await storage.write("Rows", upsert("a"));
    const careless = await pool.connect();
    await careless.query("rollback");
    careless.release();

    expect(await storage.get("Rows", { partitionKey: "p", rowKey: "a" })).toBeDefined();
    await storage.close();
    await pool.end();
  });

  test("goes on while the schema is created again", async () => {
    const target = await freshSchema();
    await using storage = await openPostgres(target);
    await storage.createTable("Rows");
    let isOver = false;
    const running = Array.from({ length: 8 }, async (_, client) => {
      for (let i = 0; !isOver; i++) {
        await storage.transact("Rows", [upsert(`${client} a`, i), upsert(`${client} b`, i)]);
        await storage.write("Rows", upsert(`${client} c`, i));
        await storage.query("Rows", { top: 3 });
      }
    });
    for (let i = 0; i < 5; i++) {
      const results = await Promise.all([initPostgres(target), initPostgres(target), initPostgres(target)]);
      expect(results.map(({ before }) => before)).toEqual([1, 1, 1]);
    }
    isOver = true;
    await Promise.all(running);
  });

  test("creates one schema for programs that do so together", async () => {
    const url = new URL(server());
    url.searchParams.set("schema", `together_${process.pid}`);

    const results = await Promise.all(Array.from({ length: 4 }, () => initPostgres(url.href)));

    expect(results.filter(({ before }) => before === undefined)).toHaveLength(1);
  });

  test("refuses a pool that is none", async () => {
    await expect(openPostgresPool(undefined as never)).rejects.toMatchObject({ code: "storage.option" });
    await expect(openPostgresPool({} as never)).rejects.toMatchObject({ code: "storage.option" });
  });
});
