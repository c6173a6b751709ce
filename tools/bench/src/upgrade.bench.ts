// Upgrades: 1,000,000 rows in the background, compared with reading and rewriting them by hand, and reading
// rows where half of them are old.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { padded } from "@partita/core/keys";
import { add, rename, upgrades } from "@partita/core/upgrades";
import { upgradeTable } from "@partita/maintenance";
import { compare, repeat } from "./compare.ts";
import { reportRow } from "./report-row.ts";
import { insertThings } from "./thing.ts";

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

let peak = 0;
await background();
await reading();

async function background(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "partita-upgrade-"));
  const [old, file] = [join(folder, "old.db"), join(folder, "work.db")];
  const prepare = (): void => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    copyFileSync(old, file);
  };
  await fill(old);
  const name = `upgrade of ${total.toLocaleString("en")} in the background`;
  await compare({
    name,
    title: `Upgrade ${total.toLocaleString("en")} rows in the background, for each row`,
    clock: "process",
    rounds: 1,
    warmMs: 0,
    units: total,
    baseline: {
      name: "node:sqlite by hand: read, rewrite, transactions of 100",
      prepare,
      run: () => byHand(file),
    },
    ours: {
      name: "Partita: counted, upgraded, looked through again",
      target: { atMost: 3, goal: 2.2 },
      prepare,
      run: () => withPartita(file),
    },
  });
  reportRow({
    name: `${name}: memory`,
    title: `Most memory while ${total.toLocaleString("en")} rows are upgraded`,
    unit: "bytes",
    counted: "heap after each page",
    contenders: [{ name: "Partita", role: "ours", samples: [peak] }],
  });
  rmSync(folder, { recursive: true });
}

async function fill(file: string): Promise<void> {
  await using storage = await openStorage(`file:${file}`, { durability: "normal" });
  await createTables(storage, [Blog]);
  for (let from = 0; from < total; from += 1000)
    await insertThings(
      storage,
      "Blogs",
      Array.from({ length: 1000 }, (_, i) => rowOf(from + i, true)),
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
  const report = await upgradeTable(storage, [Blog], {
    onProgress: () => (peak = Math.max(peak, process.memoryUsage().heapUsed)),
  });
  if (!report.isClean || report.upgraded !== total) throw new Error("Not every row was upgraded.");
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
    name: "page half of older rows",
    title: "Read 1,000 rows, half of them one version old",
    clock: "thread",
    rounds: 15,
    baseline: { name: "all of the present version", run: read(0) },
    ours: { name: "half of them upgraded in memory", target: { atMost: 1.35 }, run: read(1) },
  });
}
