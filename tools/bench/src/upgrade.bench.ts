// Upgrades: 1,000,000 rows in the background beside reading and rewriting them by hand, and reading rows half of which are old.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type StoredEntity,
  TableContext,
  text,
} from "@partita/core";
import { padded } from "@partita/core/keys";
import { add, rename, upgrades, upgradeTable } from "@partita/core/upgrades";
import { compare, repeat } from "./compare.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: padded(4) },
  rowKey: { id: padded(8) },
  properties: { text: text(), author: text(), Stars: int32(), State: text() },
  version: upgrades({ text: text(), author: text(), Rating: int32() }).to(
    2,
    rename("Rating", "Stars"),
    add("State", text(), "open"),
  ),
}) {}

const total = Number(process.env["PARTITA_ROWS"] ?? 1_000_000);
const rowOf = (i: number, isOld: boolean): StoredEntity => ({
  PartitionKey: String(Math.floor(i / 10_000)).padStart(4, "0"),
  RowKey: String(i).padStart(8, "0"),
  text: `Post ${i}, as long as such posts are wont to be`,
  author: `author-${i % 100}`,
  ...(isOld ? { Rating: i % 6 } : { SchemaVersion: 2, Stars: i % 6, State: "open" }),
});

await background();
await reading();

async function background(): Promise<void> {
  const file = join(tmpdir(), `partita-upgrade-${process.pid}.db`);
  const remove = (): void => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  };
  const fill = async (): Promise<void> => {
    remove();
    await using storage = await openStorage(`file:${file}`, { durability: "normal" });
    await createTables(storage, [Blog]);
    for (let from = 0; from < total; from += 1000)
      await Promise.all(
        Array.from({ length: 10 }, (_, j) =>
          storage.transact(
            "Blogs",
            Array.from({ length: 100 }, (_u, k) => ({
              type: "insert",
              entity: rowOf(from + j * 100 + k, true),
            })),
          ),
        ),
      );
  };
  console.log(`\nUpgrade ${total.toLocaleString("en")} rows in the background (limit 3.5)`);
  const times: number[] = [];
  for (const work of [byHand, withPartita]) {
    await fill();
    const started = performance.now();
    await Promise.resolve(work(file));
    times.push(performance.now() - started);
  }
  remove();
  const [hand, ours] = times as [number, number];
  console.log(
    `  ${(hand / 1000).toFixed(1)} s    1.00 ×  node:sqlite by hand: read, rewrite, transactions of 100`,
  );
  console.log(
    `  ${(ours / 1000).toFixed(1)} s  ${(ours / hand).toFixed(2).padStart(6)} ×  Partita: counted, upgraded, looked through again`,
  );
}

function byHand(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  const { name } = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rows%'")
    .get() as {
    name: string;
  };
  const select = database.prepare(`SELECT id, body FROM ${name} WHERE id > ? ORDER BY id LIMIT 100`);
  const update = database.prepare(`UPDATE ${name} SET ts = ?, body = ? WHERE id = ?`);
  let [last, ts] = [0, Date.now() * 1000];
  for (;;) {
    const rows = select.all(last) as unknown as { id: number; body: Uint8Array }[];
    if (rows.length === 0) break;
    database.exec("BEGIN IMMEDIATE");
    for (const { id, body } of rows) {
      const { Rating, ...rest } = JSON.parse(Buffer.from(body.buffer).toString()) as { Rating: number };
      const row = JSON.stringify({ SchemaVersion: 2, ...rest, Stars: Rating, State: "open" });
      update.run(++ts, Buffer.from(row), id);
      last = id;
    }
    database.exec("COMMIT");
  }
  database.close();
}

async function withPartita(file: string): Promise<void> {
  await using storage = await openStorage(`file:${file}`, { durability: "normal" });
  globalThis.gc?.();
  let peak = 0;
  const report = await upgradeTable(storage, [Blog], {
    onProgress: () => (peak = Math.max(peak, process.memoryUsage().heapUsed)),
  });
  if (!report.isClean || report.upgraded !== total) throw new Error("Not every row was upgraded.");
  console.log(`  heap at most ${Math.round(peak / 1e6)} MB`);
}

async function reading(): Promise<void> {
  const stores = await Promise.all(
    [false, true].map(async (hasOld) => {
      const storage = await openStorage("memory:");
      await createTables(storage, [Blog]);
      for (let i = 0; i < 1000; i++)
        await storage.write("Blogs", { type: "insert", entity: rowOf(i, hasOld && i % 2 === 0) });
      return storage;
    }),
  );
  const read = (i: number) =>
    repeat(20, async () => {
      const context = new TableContext(stores[i] as (typeof stores)[number]);
      const found = await context.query(Blog).where({ channel: 0 }).toArray();
      if (found.length !== 1000) throw new Error(`Read ${found.length} rows.`);
    });
  await compare({
    title: "Read 1,000 rows, half of them one version old (limit 1.35)",
    rounds: 15,
    floor: { name: "all of the present version", run: read(0) },
    ours: { name: "half of them upgraded in memory", run: read(1) },
  });
}
