import type { TableStorage } from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { hasPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initPostgres, openPostgres } from "../src/index.ts";
import { freshSchema, server, sql } from "./fresh-schema.ts";

const insert = (rowKey: string): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: rowKey },
});

describe.runIf(hasPostgres)("a deleted table", () => {
  let target = "";
  let s = "";
  let storage: TableStorage;
  beforeAll(async () => {
    target = await freshSchema();
    s = new URL(target).searchParams.get("schema") ?? "";
    storage = await openPostgres(target);
  });
  afterAll(() => storage.close());

  const fill = (table: string, count: number): Promise<unknown> =>
    sql(
      `insert into ${s}.rows (t, pk, rk, version, at, body, bytes)
       select (select id from ${s}.tables where name = $1), 'p', i::text, i, i, '{}', 8 from generate_series(1, $2::int) i`,
      [table, count],
    );

  /** Rows of tables that no longer exist. */
  const leftRows = async (): Promise<number> =>
    Number((await sql(`select count(*) from ${s}.rows where t not in (select id from ${s}.tables)`))[0]?.[0]);

  const views = async (): Promise<unknown[]> =>
    (await sql("select viewname from pg_views where schemaname = $1 order by 1", [`${s}_views`])).flat();

  test("leaves no rows, and its number is not used again", async () => {
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) {
      await storage.createTable("Again");
      ids.push(Number((await sql(`select id from ${s}.tables where name = 'Again'`))[0]?.[0]));
      await fill("Again", 12_000);
      await storage.deleteTable("Again");
    }

    expect(new Set(ids).size).toBe(3);
    await expect.poll(leftRows).toBe(0);
  });

  test("is swept by the next program that opens the storage", async () => {
    await storage.createTable("Late");
    const late = new pg.Client({ connectionString: server() });
    await late.connect();
    await late.query("begin");
    await late.query(`select * from ${s}.write('Late', 'p', 'late', 'i', null, null, '{}', null)`);
    await storage.deleteTable("Late");
    await late.query("commit");
    await late.end();

    await (await openPostgres(target)).close();

    await expect.poll(leftRows).toBe(0);
  });

  test("holds no other request while another program sweeps it, and is swept after that", async () => {
    await storage.createTable("Busy");
    await fill("Busy", 10);
    const other = new pg.Client({ connectionString: server() });
    await other.connect();
    await other.query("begin");
    await other.query(`select ${s}.sweep(1)`);

    await storage.deleteTable("Busy");
    await storage.createTable("Other");
    await storage.transact("Other", [insert("a"), insert("b")]);
    expect((await storage.query("Other", {})).entities).toHaveLength(2);
    await storage.deleteTable("Other");
    expect(await leftRows()).toBe(12);
    await other.query("commit");
    await other.end();

    await expect.poll(leftRows).toBe(0);
  });

  test("takes its view along", async () => {
    await storage.createTable("Shown");
    await storage.write("Shown", insert("a"));
    expect(await views()).toEqual(["Shown"]);
    expect(await sql(`select "RowKey" from ${s}_views."Shown"`)).toEqual([["a"]]);

    await storage.deleteTable("SHOWN");
    expect(await views()).toEqual([]);
  });

  test("is deleted although its view is in use, has dependents, or belongs to another role", async () => {
    await storage.createTable("Used");
    await sql(`create view ${s}_views.mine as select * from ${s}_views."Used"`);
    const reader = new pg.Client({ connectionString: server() });
    await reader.connect();
    await reader.query("begin");
    await reader.query(`select * from ${s}_views."Used"`);
    await storage.deleteTable("Used");
    expect(await views()).toEqual(["Used", "mine"]);
    await reader.end();

    await storage.createTable("Used");
    await storage.write("Used", insert("b"));
    expect(await sql(`select "RowKey" from ${s}_views.mine`)).toEqual([["b"]]);

    const role = `other_${s}`;
    const { grantsFor } = await initPostgres(target);
    await sql(`create role ${role} login`);
    await sql(grantsFor(role).join("\n"));
    await sql(`grant create, usage on schema ${s}_views to ${role}`);
    const url = new URL(target);
    url.username = role;
    await using theirs = await openPostgres(url.href);
    await theirs.deleteTable("Used");
    await theirs.createTable("Used");
    expect(await storage.listTables()).toEqual(["Used"]);
  });
});
