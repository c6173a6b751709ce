import type { TableStorage } from "@partita/core";
import type { ContinuationToken, FilterNode, StoredQuery } from "@partita/core/storage";
import { hasPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres, openPostgresPool } from "../src/index.ts";
import { freshSchema, server, sql } from "./fresh-schema.ts";

const count = process.env["PARTITA_LONG"] === undefined ? 50_000 : 200_000;

const equals = (name: string, value: string): FilterNode => ({
  name,
  op: "eq",
  literal: { edm: "Edm.String", value },
});

/** The pages of a query. */
async function* pagesOf(storage: TableStorage, table: string, query: StoredQuery): AsyncGenerator<number> {
  let from: { after?: ContinuationToken } | undefined = {};
  while (from !== undefined) {
    const { entities, next } = await storage.query(table, { ...query, ...from });
    yield entities.length;
    from = next === undefined ? undefined : { after: next };
  }
}

/** The number of rows in each page. */
async function sizesOf(storage: TableStorage, table: string, query: StoredQuery): Promise<number[]> {
  const sizes: number[] = [];
  for await (const size of pagesOf(storage, table, query)) sizes.push(size);
  return sizes;
}

describe.runIf(hasPostgres)("pages of many rows", () => {
  let schema = "";
  let storage: TableStorage;
  beforeAll(async () => {
    const target = await freshSchema();
    schema = new URL(target).searchParams.get("schema") ?? "";
    storage = await openPostgres(target);
    await storage.createTable("Rows");
    await storage.createTable("Large");
    await sql(`alter table ${schema}.rows set (autovacuum_enabled = off)`);
    await sql(`insert into ${schema}.rows (t, pk, rk, version, at, body, bytes)
      select 1, 'p' || i % 20, lpad(i::text, 8, '0'), i, i, jsonb_build_object('text', repeat('x', 500)), 520
      from generate_series(1, ${count}) i`);
    // Bodies of 512 KiB, which do not shrink when PostgreSQL compresses them.
    const properties = Array.from(
      { length: 16 },
      (_, i) =>
        `'p${i}', (select string_agg(md5(random()::text || j || r), '') from generate_series(1, 1024) j)`,
    );
    await sql(`insert into ${schema}.rows (t, pk, rk, version, at, body, bytes)
      select 2, 'p', lpad(r::text, 3, '0'), r, r, jsonb_build_object(${properties.join(",")}), 524288
      from generate_series(1, 200) r`);
  });
  afterAll(() => storage.close());

  test.each([false, true])(
    "a scan that finds nothing looks at 10,000 rows a page (backwards: %s)",
    async (isBackwards) => {
      const pages = await sizesOf(storage, "Rows", { filter: equals("text", "absent"), isBackwards });

      expect(pages).toEqual(Array.from({ length: count / 10_000 + 1 }, () => 0));
    },
  );

  test.each([false, true])(
    "a scan returns each row once, in the order of the keys (backwards: %s)",
    async (isBackwards) => {
      const keys: string[] = [];
      let from: { after?: ContinuationToken } | undefined = {};
      while (from !== undefined) {
        const filter = equals("PartitionKey", "p7");
        const { entities, next }: Awaited<ReturnType<TableStorage["query"]>> = await storage.query("Rows", {
          filter,
          isBackwards,
          top: 999,
          ...from,
        });
        keys.push(...entities.map(({ RowKey }) => RowKey));
        from = next === undefined ? undefined : { after: next };
      }

      expect(keys).toHaveLength(count / 20);
      const sorted = [...new Set(keys)].toSorted();
      expect(keys).toEqual(isBackwards ? sorted.toReversed() : sorted);
    },
  );

  test("pages of large rows have about 4 MiB", async () => {
    const pages = await sizesOf(storage, "Large", {});

    expect(pages[0]).toBe(8);
    expect(pages.reduce((sum, each) => sum + each)).toBe(200);
  });

  test("a page of small rows has the large ones among them, also the first time", async () => {
    await storage.createTable("Mixed");
    const texts = [10, 20_000, 30, 40, 6000].map((length) => "x".repeat(length));
    for (const [i, text] of texts.entries())
      await storage.write("Mixed", {
        type: "insert",
        entity: { PartitionKey: "p", RowKey: String(i), text },
      });

    for (const query of [{}, { top: 2 }, { filter: equals("PartitionKey", "p") }, {}]) {
      const read: unknown[] = [];
      let after: ContinuationToken | undefined;
      do {
        const page = await storage.query("Mixed", { ...query, ...(after !== undefined && { after }) });
        read.push(...page.entities.map((entity) => entity["text"]));
        after = page.next;
      } while (after !== undefined);
      expect(read).toEqual(texts);
    }
  });

  test("a scan of large rows that finds nothing looks at 64 MiB a page", async () => {
    const pages = await sizesOf(storage, "Large", { filter: equals("p3", "absent") });

    expect(pages).toEqual([0, 0]);
  });

  test("reading all rows takes a limited amount of memory", async () => {
    let most = 0;
    let rows = 0;
    for await (const page of pagesOf(storage, "Rows", {})) {
      rows += page;
      most = Math.max(most, process.memoryUsage().heapUsed);
    }

    expect(rows).toBe(count);
    expect(most).toBeLessThan(300 * 1024 * 1024);
  });

  test("pages and rows come from the primary key, without a sort, with and without statistics", async () => {
    const pool = new pg.Pool({ connectionString: server() });
    const sent: pg.QueryConfig[] = [];
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...values: unknown[]) => unknown;
      Object.assign(client, {
        query: (config: pg.QueryConfig, ...others: unknown[]) => {
          if (config.values !== undefined) sent.push(config);
          return query(config, ...others);
        },
      });
    });
    const watched = await openPostgresPool(pool, { schema });
    sent.length = 0;
    await watched.get("Rows", { partitionKey: "p3", rowKey: "00000003" });
    const { next } = await watched.query("Rows", { top: 10 });
    const after = next === undefined ? {} : { after: next };
    for (const filter of [undefined, equals("PartitionKey", "p0"), equals("text", "absent")])
      for (const isBackwards of [false, true])
        for (const from of [{}, after])
          await watched.query("Rows", { isBackwards, ...from, ...(filter !== undefined && { filter }) });
    const statements = sent.filter(({ text }) => text.includes("rows"));
    expect(statements).toHaveLength(14);

    const client = await pool.connect();
    for (const isAnalyzed of [false, true]) {
      if (isAnalyzed) await client.query(`analyze ${schema}.rows, ${schema}.tables`);
      for (const [i, { text, values = [] }] of statements.entries()) {
        const name = `plan_${String(isAnalyzed)}_${i}`;
        await client.query(`prepare ${name} as ${text}`);
        const list = values.map((value) => pg.escapeLiteral(String(value))).join(", ");
        const { rows } = await client.query<Record<string, string>>(`explain execute ${name}(${list})`);
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap|Gather/);
        expect(plan).toMatch(/using rows_pkey/);
      }
    }
    client.release();
    await watched.close();
    await pool.end();
  });
});
