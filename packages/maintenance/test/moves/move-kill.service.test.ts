import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { amountOf } from "@partita/test-support/effort";
import { randomNumbers } from "@partita/testing";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { createTables, openStorage, SaveError, TableContext, type TableStorage } from "@partita/core";
import { keyOf, Post, PostByMonth } from "./feeds.ts";

const kills = amountOf({ short: 2, full: 4, long: 100 });
const workers = 2;
const total = 800;
/** Requests of a run that nobody disturbs, roughly; a worker that has fewer left comes through. */
const requestsOfRun = 90;

const program = join(import.meta.dirname, "move-process.ts");
const random = randomNumbers(20_261_126);

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

/** One worker. Its arguments: the file, the request that it dies at or 0, whether that is carried out. */
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

/** Counts a change of one post after the other, by the keys of its release, until it is told to stop. */
async function changePosts(
  storage: TableStorage,
  release: "old" | "new",
  counts: number[],
  signal: AbortSignal,
): Promise<void> {
  const own = randomNumbers(release === "old" ? 1 : 2);
  const Class = (release === "old" ? PostByMonth : Post) as typeof PostByMonth;
  while (!signal.aborted) {
    await delay(3);
    const context = new TableContext(storage);
    const n = Math.floor(own() * total);
    const post = await context.find(Class, keyOf(n));
    // The new release finds each post at any time.
    if (post === undefined && release === "new") throw new Error(`Post ${n} is lost.`);
    if (post === undefined) continue;
    post[release] = (post[release] ?? 0) + 1;
    try {
      await context.saveChanges();
      counts[n] = (counts[n] ?? 0) + 1;
    } catch (error) {
      // A worker has moved it meanwhile.
      if (!(error instanceof SaveError) || error.conflicts.length === 0) throw error;
    }
  }
}

test(`two workers that move rows with writers of both releases, killed at ${kills} requests and started again, leave every row once and lose no change`, async () => {
  await using folder = await temporaryFolder();
  let left = kills;
  for (let round = 0; left > 0; round++) {
    const path = folder.file(`${round}.db`);
    await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
    await createTables(storage, [PostByMonth]);
    const context = new TableContext(storage);
    for (let n = 0; n < total; n++) context.create(PostByMonth, { ...keyOf(n), text: `post ${n}` });
    await context.saveChanges();
    const stop = new AbortController();
    const counts = { old: [] as number[], new: [] as number[] };
    const writers = (["old", "new"] as const).map((release) =>
      changePosts(storage, release, counts[release], stop.signal),
    );
    // Up to three runs are killed, the last one comes through.
    for (let run = 0, isDone = false; !isDone; run++) {
      const isLast = run === 3 || left === 0;
      const ends = await Promise.all(
        Array.from({ length: workers }, (_, i) => {
          // Of two workers, one may outlive the other.
          const dies = !isLast && (i === 0 || random() < 0.8);
          const request = dies ? 1 + Math.floor(random() * requestsOfRun) : 0;
          return work(folder, [path, request, random() < 0.5]);
        }),
      );
      left -= ends.filter(({ signal }) => signal === "SIGKILL").length;
      for (const { code, signal, said } of ends) {
        if (signal === "SIGKILL") continue;
        expect(code).toBe(0);
        expect(JSON.parse(said)).toEqual({ isClean: true, leftCount: 0 });
      }
      isDone = ends.every(({ code }) => code === 0);
    }
    stop.abort();
    await Promise.all(writers);

    const found = await new TableContext(storage).findMany(
      Post,
      Array.from({ length: total }, (_, n) => keyOf(n)),
    );
    expect(found.map((post) => [post?.old ?? 0, post?.new ?? 0])).toEqual(
      Array.from({ length: total }, (_, n) => [counts.old[n] ?? 0, counts.new[n] ?? 0]),
    );
    let rows = 0;
    for (
      let page = await storage.query("Posts", {});
      ;
      page = await storage.query("Posts", { after: page.next })
    ) {
      rows += page.entities.filter((row) => row["_row"] === undefined).length;
      expect(page.entities.filter((row) => row["_row"] !== undefined)).toEqual([]);
      if (page.next === undefined) break;
    }
    expect(rows).toBe(total);
  }
}, 1_800_000);
