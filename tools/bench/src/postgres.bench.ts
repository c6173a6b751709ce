// PostgreSQL as a storage, compared with the same rows by hand: SQL over one table of the same columns, with the same
// client library. Wall time with 16 requests at once, and CPU time of this process.
import { openStorage } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { initPostgres } from "@partita/postgres";
import { startPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { compare, type Contender } from "./compare.ts";
import { thing } from "./thing.ts";

const server = await startPostgres({ settings: { fsync: "on", shared_buffers: "256MB" } });
const target = server.target();
await initPostgres(target);
const storage = await openStorage(target, { maxConnections: 16 });
const pool = new pg.Pool({ connectionString: target, max: 16 });
await storage.createTable("Things");
await pool.query(`create sequence versions;
  create table hand (t int, pk text collate "C", rk text collate "C", version bigint, at bigint, body jsonb, primary key (t, pk, rk))`);

const together = 16;
const pageRows = 1000;
const bytesPerRow = 400;
const bodyOf = ({ PartitionKey: _pk, RowKey: _rk, ...rest }: StoredEntity): string => JSON.stringify(rest);
const microseconds = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

let partitions = 0;
let turn = 0;
const known = new Set<string>();
/** 100 new rows. */
const newRows = (): StoredEntity[] => {
  const partition = `new-${partitions++}`;
  return Array.from({ length: 100 }, (_, i) => thing(partition, i, bytesPerRow));
};

const insertByHand = (rows: readonly StoredEntity[]): Promise<unknown> =>
  pool.query({
    name: "insert",
    text: `insert into hand select 1, $1, r, nextval('versions'), ${microseconds}, b
      from unnest($2::text[], $3::jsonb[]) as given(r, b) returning version`,
    values: [rows[0]?.PartitionKey, rows.map(({ RowKey }) => RowKey), rows.map(bodyOf)],
  });

const rows = Array.from({ length: pageRows }, (_, i) => thing("page", i, bytesPerRow));
for (let from = 0; from < pageRows; from += 100) {
  const part = rows.slice(from, from + 100);
  await insertByHand(part);
  await storage.transact("Things", part.map(insertOf));
}

await both(
  "a transaction of 100 inserts",
  "transactions of 100 inserts, 16 at once, for each row",
  1600,
  [1.3, 1.4],
  {
    byHand: () => atOnce(() => insertByHand(newRows())),
    ours: () => atOnce(() => storage.transact("Things", newRows().map(insertOf))),
  },
);

await both("a point read", "point reads, 16 at once, for each", together, [1.3, 1.4], {
  byHand: () =>
    atOnce(async (i) => {
      const found = await pool.query<{ body: unknown }>({
        name: "get",
        text: "select version, at, body from hand where t = 1 and pk = $1 and rk = $2",
        values: ["page", String(i).padStart(6, "0")],
      });
      if (found.rows.length !== 1) throw new Error("Nothing was found.");
    }),
  ours: () =>
    atOnce(async (i) => {
      const row = await storage.get("Things", { partitionKey: "page", rowKey: String(i).padStart(6, "0") });
      if (row === undefined) throw new Error("Nothing was found.");
    }),
});

const versions = Array.from({ length: together }, () => "");
const etags = Array.from({ length: together }, () => "");
for (let i = 0; i < together; i++) {
  const rk = String(i).padStart(6, "0");
  etags[i] = (await storage.get("Things", { partitionKey: "page", rowKey: rk }))?.["odata.etag"] ?? "";
  const found = await pool.query<{ version: string }>(
    "select version from hand where pk = 'page' and rk = $1",
    [rk],
  );
  versions[i] = found.rows[0]?.version ?? "";
}
let count = 0;
await both("a merge", "merges of one property under an ETag, 16 at once, for each", together, [1.3, 1.4], {
  byHand: () =>
    atOnce(async (i) => {
      const changed = await pool.query<{ version: string }>({
        name: "merge",
        text: `update hand set version = nextval('versions'), at = greatest(at + 1, ${microseconds}), body = body || $3
          where t = 1 and pk = $1 and rk = $2 and version = $4 returning version`,
        values: ["page", String(i).padStart(6, "0"), JSON.stringify({ n: count++ }), versions[i]],
      });
      versions[i] = changed.rows[0]?.version ?? "";
    }),
  ours: () =>
    atOnce(async (i) => {
      const entity = { PartitionKey: "page", RowKey: String(i).padStart(6, "0"), n: count++ };
      const { etag = "" } = await storage.write("Things", {
        type: "merge",
        entity,
        etag: etags[i] as string,
      });
      etags[i] = etag;
    }),
});

await both("a page", "a page of 1,000 rows, for each row", pageRows, [1.5, 1.5], {
  byHand: async () => {
    const page = await pool.query({
      name: "page",
      text: "select pk, rk, version, at, body from hand where t = 1 and pk = $1 order by rk limit 1000",
      values: ["page"],
    });
    if (page.rows.length !== pageRows) throw new Error(`Read ${page.rows.length} rows.`);
  },
  ours: async () => {
    const filter = { op: "eq", name: "PartitionKey", literal: { edm: "Edm.String", value: "page" } } as const;
    const { entities } = await storage.query("Things", { filter });
    if (entities.length !== pageRows) throw new Error(`Read ${entities.length} rows.`);
  },
});

await compare({
  name: "postgres: a mixed transaction",
  title:
    "PostgreSQL: transactions of 100 operations of all kinds, compared with 100 inserts, 16 at once, for each row",
  rounds: 9,
  units: 1600,
  sampleMs: 100,
  warmMs: 1000,
  baseline: {
    name: "100 inserts",
    run: () => atOnce(() => storage.transact("Things", newRows().map(insertOf))),
  },
  ours: {
    name: "20 inserts, 40 upserts, 20 replaces, 20 merges",
    target: { atMost: 1.8 },
    run: () =>
      atOnce(async (i) => {
        await storage.transact("Things", mixed(`mixed-${i}`));
      }),
  },
});

await storage.close();
await pool.end();
await server.stop();

function insertOf(entity: StoredEntity): WriteOperation {
  return { type: "insert", entity };
}

/** Rows 0 to 79 of a partition are there after its first transaction; the others are new each time. */
function mixed(partition: string): WriteOperation[] {
  const offset = 1000 + 20 * turn++;
  const isKnown = known.has(partition);
  known.add(partition);
  return Array.from({ length: 100 }, (_, i): WriteOperation => {
    if (i < 20) return insertOf(thing(partition, offset + i, bytesPerRow));
    const entity = thing(partition, i, bytesPerRow);
    if (i < 40 || !isKnown) return { type: "upsert-replace", entity };
    if (i < 60) return { type: "upsert-merge", entity };
    return { type: i < 80 ? "replace" : "merge", entity, etag: "*" };
  });
}

/** Runs work for the numbers 0 to 15 at once. */
async function atOnce(work: (i: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: together }, (_, i) => work(i)));
}

/** Compares in wall time and in CPU time. */
async function both(
  name: string,
  title: string,
  units: number,
  [wall, process]: readonly [wall: number, process: number],
  { byHand, ours }: { readonly byHand: Contender["run"]; readonly ours: Contender["run"] },
): Promise<void> {
  for (const [clock, atMost] of [
    ["wall", wall],
    ["process", process],
  ] as const)
    await compare({
      name: clock === "wall" ? `postgres: ${name}` : `postgres: ${name}, CPU`,
      title: `PostgreSQL: ${title}`,
      clock,
      rounds: 9,
      units,
      sampleMs: 100,
      warmMs: 1000,
      baseline: { name: "SQL by hand, with pg", run: byHand },
      ours: { name: "@partita/postgres", target: { atMost }, run: ours },
    });
}
