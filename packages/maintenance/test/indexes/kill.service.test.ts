import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { amountOf } from "@partita/test-support/effort";
import { randomNumbers } from "@partita/testing";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { createTables, openStorage, SaveError, TableContext, type TableStorage } from "@partita/core";
import { allRows, BuildingRunner, expectedRows, fill, indexRows } from "./runners.ts";

const kills = amountOf({ short: 4, full: 10, long: 100 });
const workers = 2;
const total = 600;
/** Requests of a run that nobody disturbs, roughly; a worker that has fewer left comes through. */
const requestsOfRun = 60;

const program = join(import.meta.dirname, "build-process.ts");
const random = randomNumbers(20_261_124);

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

/** One worker. Its arguments: the file, the index, the request that it dies at or 0, whether that is carried out. */
async function work(folder: TemporaryFolder, args: readonly unknown[]): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=@partita/source", program, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
    // Most of a worker's life would be reading the sources.
    env: { ...process.env, NODE_COMPILE_CACHE: folder.file("code") },
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, said };
}

/** Changes runners one after the other, as a program does that knows the index, until it is told to stop. */
async function changeRunners(storage: TableStorage, signal: AbortSignal): Promise<void> {
  const random = randomNumbers(20_261_125);
  while (!signal.aborted) {
    await delay(5);
    const context = new TableContext(storage);
    const bib = Math.floor((random() * total) / 2);
    const runner = await context.find(BuildingRunner, { race: "R1", bib });
    if (runner === undefined) continue;
    runner.age = 18 + Math.floor(random() * 70);
    runner.email = runner.email === undefined ? `new${bib}@example.org` : undefined;
    await context.saveChanges().catch((error: unknown) => {
      // The build has touched it meanwhile.
      if (!(error instanceof SaveError) || error.conflicts.length === 0) throw error;
    });
  }
}

test(`two workers that build an index beside a writer, killed at ${kills} requests and started again, leave every row once and none missing`, async () => {
  await using folder = await temporaryFolder();
  let left = kills;
  for (let round = 0; left > 0; round++) {
    const path = folder.file(`${round}.db`);
    await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
    await createTables(storage, [BuildingRunner]);
    await fill(storage, total);
    const index = round % 2 === 0 ? "byAge" : "byEmail";
    const stop = new AbortController();
    const writer = changeRunners(storage, stop.signal);
    // Up to three runs are killed, the last one comes through.
    for (let run = 0, isDone = false; !isDone; run++) {
      const isLast = run === 3 || left === 0;
      const ends = await Promise.all(
        Array.from({ length: workers }, (_, i) => {
          // Of two workers, one may outlive the other.
          const dies = !isLast && (i === 0 || random() < 0.8);
          const request = dies ? 1 + Math.floor(random() * requestsOfRun) : 0;
          return work(folder, [path, index, request, random() < 0.5]);
        }),
      );
      left -= ends.filter(({ signal }) => signal === "SIGKILL").length;
      for (const { code, signal, said } of ends) {
        if (signal === "SIGKILL") continue;
        expect(code).toBe(0);
        // Nothing was left for the comparison at the end to repair.
        expect(JSON.parse(said)).toEqual({ missing: 0, extra: 0, different: 0, isClean: true });
      }
      isDone = ends.every(({ code }) => code === 0);
    }
    stop.abort();
    await writer;

    const rows = await allRows(storage);
    const prefix = index === "byAge" ? "AGE:" : "MAIL:";
    const expected = expectedRows(rows).filter((row) => row.includes(`["RowKey","${prefix}`));
    expect(indexRows(rows, prefix)).toEqual(expected);
    expect(rows.filter(({ RowKey }) => RowKey.startsWith("BIB:"))).toHaveLength(total);
  }
});
