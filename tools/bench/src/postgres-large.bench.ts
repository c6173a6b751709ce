// Two million rows in PostgreSQL: point reads during 30 scans, and the memory of a program that scans them all.
import { fork } from "node:child_process";
import { once } from "node:events";
import { openStorage, type TableStorage } from "@partita/core";
import { followPages } from "@partita/core/internal";
import type { FilterNode } from "@partita/core/storage";
import { initPostgres } from "@partita/postgres";
import { startPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { reportRow } from "./report-row.ts";
import { quantile } from "./statistics.ts";

const [partitions, rowsPerPartition, scans, readers, seconds] = [200, 10_000, 30, 4, 10];
const nothing: FilterNode = { op: "lt", name: "n", literal: { edm: "Edm.Int32", value: -1 } };

if (process.send === undefined) await measure();
else await scan(process.argv[2] ?? "", process.argv[3] === "nothing");

async function measure(): Promise<void> {
  const server = await startPostgres({ settings: { shared_buffers: "512MB", max_wal_size: "4GB" } });
  const target = server.target();
  await initPostgres(target);
  await using storage = await openStorage(target);
  await fill(storage, target);

  const during = [
    ["no scans", undefined],
    ["30 scans by pages", "all"],
    ["30 scans that find nothing", "nothing"],
  ] as const;
  for (const [what, scanned] of during) {
    const scanner = scanned && fork(import.meta.filename, [target, scanned]);
    if (scanner !== undefined) await once(scanner, "message");
    const times = await read(storage);
    scanner?.kill("SIGKILL");
    for (const [share, part] of [
      [0.5, "median"],
      [0.99, "99th percentile"],
    ] as const)
      reportRow({
        name: `postgres: reads during ${what}, ${part}`,
        title: `PostgreSQL, two million rows: point reads by ${readers} clients during ${what}, ${part}`,
        clock: "wall",
        contenders: [
          {
            name: "@partita/postgres",
            role: "ours",
            samples: [quantile(times, share)],
            target: share === 0.99 ? { most: 50e6 } : undefined,
          },
        ],
      });
  }
  await streamAll(storage);
  await storage.close();
  await server.stop();
}

/** Rows as Partita writes them, made by the server itself. */
async function fill(storage: TableStorage, target: string): Promise<void> {
  await storage.createTable("Things");
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  await client.query(
    `insert into partita.rows (t, pk, rk, version, at, body, bytes)
      select 1, 'p' || p, lpad(r::text, 6, '0'), nextval('partita.versions'), 1, jsonb_build_object('n', r, 'text', repeat('x', 200)), 240
      from generate_series(0, $1::int) p, generate_series(0, $2::int) r`,
    [partitions - 1, rowsPerPartition - 1],
  );
  await client.query("vacuum analyze partita.rows");
  await client.end();
}

/** The latencies of reads, in nanoseconds. */
async function read(storage: TableStorage): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + 1000 * seconds;
  const work = async (reader: number): Promise<void> => {
    for (let i = 0; performance.now() < end; i++) {
      const from = performance.now();
      const key = {
        partitionKey: `p${(i * 7 + reader) % partitions}`,
        rowKey: String((i * 7919) % rowsPerPartition).padStart(6, "0"),
      };
      if ((await storage.get("Things", key)) === undefined) throw new Error("Nothing was found.");
      times.push((performance.now() - from) * 1e6);
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, i) => work(i)));
  return times;
}

/** In a process of its own: scans until it is killed. */
async function scan(target: string, findsNothing: boolean): Promise<void> {
  const storage = await openStorage(target, { maxConnections: scans });
  await storage.listTables();
  process.send?.("ready");
  const query = findsNothing ? { filter: nothing } : {};
  await Promise.all(
    Array.from({ length: scans }, async () => {
      for (;;) for await (const { entities } of followPages(storage, "Things", query)) void entities.length;
    }),
  );
}

/** The growth of memory while all rows pass by. */
async function streamAll(storage: TableStorage): Promise<void> {
  const memory = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().rss;
  };
  const [before, began] = [memory(), performance.now()];
  let [count, most] = [0, 0];
  for await (const { entities } of followPages(storage, "Things", {})) {
    count += entities.length;
    if (count % 100_000 === 0) most = Math.max(most, memory());
  }
  if (count !== partitions * rowsPerPartition) throw new Error(`Read ${count} rows.`);
  reportRow({
    name: "postgres: a scan of all rows",
    title: "PostgreSQL: a scan of two million rows, for each row",
    clock: "wall",
    contenders: [
      { name: "@partita/postgres", role: "ours", samples: [((performance.now() - began) * 1e6) / count] },
    ],
  });
  reportRow({
    name: "postgres: memory of a scan",
    title: "PostgreSQL: growth of memory during a scan of two million rows",
    unit: "bytes",
    counted: "resident memory",
    contenders: [
      {
        name: "@partita/postgres",
        role: "ours",
        samples: [Math.max(0, most - before)],
        target: { most: 100e6 },
      },
    ],
  });
}
