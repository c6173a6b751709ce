// Building an index for stored rows, compared with inserting its rows by hand.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStorage } from "@partita/core";
import { buildIndex } from "@partita/maintenance";
import type { StoredEntity } from "@partita/core/storage";
import { compare } from "./compare.ts";
import { rowsByHand, RunnerByAge, runnerValues } from "./runners.ts";
import { insertThings } from "./thing.ts";

const total = Number(process.env["PARTITA_ROWS"] ?? 50_000);
const perRace = 5_000;
const folder = mkdtempSync(join(tmpdir(), "partita-build-index-"));
const [stored, file] = [join(folder, "stored.db"), join(folder, "work.db")];

/** The row of a runner, and its index row. */
const rowsOf = (i: number): StoredEntity[] =>
  rowsByHand(runnerValues(`race ${Math.floor(i / perRace)}`, i % perRace), 1);

{
  await using storage = await openStorage(`file:${stored}`, { durability: "normal" });
  await storage.createTable("Runners");
  for (let from = 0; from < total; from += perRace)
    await insertThings(
      storage,
      "Runners",
      Array.from({ length: perRace }, (_, i) => rowsOf(from + i).slice(0, 1)).flat(),
    );
}

const ready = (at: 0 | 1) =>
  Array.from({ length: total }, (_, i) => {
    const { PartitionKey, RowKey, ...rest } = rowsOf(i)[at] as StoredEntity;
    return [PartitionKey, RowKey, rest] as const;
  });
const [own, copies] = [ready(0), ready(1)];

await compare({
  name: "buildIndex",
  title: `Build an index over ${total.toLocaleString("en")} rows, for each row`,
  clock: "process",
  rounds: 3,
  warmMs: 0,
  units: total,
  baseline: {
    name: "node:sqlite by hand: the same rows inserted, transactions of 100",
    prepare: () => {
      freshFile();
      insertByHand(own);
    },
    run: () => insertByHand(copies),
  },
  ours: {
    name: "Partita: rows read, index written, verified",
    target: { atMost: 3, goal: 2 },
    prepare: () => copyFileSync(stored, freshFile()),
    run: withPartita,
  },
});
rmSync(folder, { recursive: true });

function insertByHand(rows: ReturnType<typeof ready>): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE IF NOT EXISTS a (pk TEXT, rk TEXT, ts INTEGER, body TEXT, UNIQUE (pk, rk))");
  const insert = database.prepare("INSERT INTO a VALUES (?, ?, ?, ?)");
  for (let from = 0; from < total; from += 100) {
    database.exec("BEGIN IMMEDIATE");
    for (const [pk, rk, body] of rows.slice(from, from + 100)) insert.run(pk, rk, from, JSON.stringify(body));
    database.exec("COMMIT");
  }
  database.close();
}

async function withPartita(): Promise<void> {
  await using storage = await openStorage(`file:${file}`, { durability: "normal" });
  const report = await buildIndex(storage, RunnerByAge, "byAge");
  if (!report.isClean || report.written !== total) throw new Error("The index is not complete.");
}

function freshFile(): string {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  return file;
}
