// Loading the quickstart's 135,483 rows durably: the program itself compared with inserting the same rows by
// hand.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createTables, openStorage } from "@partita/core";
import { load } from "@partita/example-quickstart/load";
import { City, Country, Place } from "@partita/example-quickstart/places";
import { readSource, type SourcePartition } from "@partita/example-quickstart/source";
import { compare } from "./compare.ts";
import { quietly } from "./quietly.ts";

const source = readSource(Number.POSITIVE_INFINITY);
const file = join(tmpdir(), `partita-bench-${process.pid}.db`);

// CPU time and wall time. The latter includes waiting for the disk.
for (const [name, clock, target] of [
  ["load", "process", { atMost: 1.9, goal: 1.6 }],
  ["load: wall", "wall", { atMost: 1.5, goal: 1.3 }],
] as const)
  await compare({
    name,
    title: "Load 135,483 entities, durable",
    clock,
    rounds: 5,
    baseline: { name: "node:sqlite by hand, transactions of 100", run: loadByHand },
    ours: { name: "change detection, validation, transactions", target, run: loadWithPartita },
  });

async function loadWithPartita(): Promise<void> {
  await using storage = await openStorage(`file:${freshFile()}`);
  await createTables(storage, [Place, Country, City]);
  await quietly(() => load(storage, source));
}

async function loadByHand(): Promise<void> {
  const database = new DatabaseSync(freshFile());
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE places (id INTEGER PRIMARY KEY, pk TEXT, rk TEXT, ts INTEGER, body TEXT, UNIQUE (pk, rk))",
  );
  const insert = database.prepare("INSERT INTO places (pk, rk, ts, body) VALUES (?, ?, ?, ?)");
  let ts = 0;
  const rows = source.flatMap(rowsOf);
  for (let from = 0; from < rows.length; from += 100) {
    database.exec("BEGIN IMMEDIATE");
    for (const [pk, rk, body] of rows.slice(from, from + 100)) insert.run(pk, rk, ++ts, body());
    database.exec("COMMIT");
  }
  database.close();
}

function rowsOf({ country, cities }: SourcePartition): [pk: string, rk: string, body: () => string][] {
  const { country: pk, ...rest } = country;
  return [
    [pk, "Country", () => JSON.stringify({ Kind: "Country", ...rest })],
    ...cities.map((city): [string, string, () => string] => {
      const { country: own, population, id, ...stored } = city;
      const rk = `City_${9_999_999_999 - population}_${String(id).padStart(9, "0")}`;
      return [own, rk, () => JSON.stringify({ Kind: "City", ...stored })];
    }),
  ];
}

function freshFile(): string {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  return file;
}

freshFile();
