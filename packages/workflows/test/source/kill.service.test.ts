import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { openQueues, tableQueues } from "@partita/queues";
import { isLong } from "@partita/test-support/effort";
import { startAzurite, startAzuriteQueues } from "@partita/test-support/azurite";
import type { Death } from "@partita/test-support/death";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { randomNumbers } from "@partita/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workflowStatus } from "../../src/index.ts";
import { deleteChannelAndBlogs, fill, isOfChess, queue, rowsOf } from "./delete-channel.ts";

const program = join(import.meta.dirname, "worker-process.ts");
const flow = deleteChannelAndBlogs(50);

let code: TemporaryFolder;
beforeAll(async () => void (code = await temporaryFolder()));
afterAll(() => code[Symbol.asyncDispose]());

/** Where tables and queues are; the queues are in the tables where nothing is said. */
interface Places {
  readonly tables: string;
  readonly queues?: string;
}

/** Runs workers in processes of their own. @returns whether each of them was killed */
async function run(
  { tables, queues = "" }: Places,
  deaths: readonly (Death | undefined)[],
  aheadMs: number,
): Promise<boolean[]> {
  const exits = deaths.map(async (death) => {
    const { request = 0, isCarriedOut = false } = death ?? {};
    const args = [tables, queues, request, isCarriedOut, aheadMs].map(String);
    const child = spawn(process.execPath, ["--conditions=@partita/source", program, ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      // Most of a worker's life would be reading the sources.
      env: { ...process.env, NODE_COMPILE_CACHE: code.file("code") },
    });
    const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(exitCode === 0 || signal === "SIGKILL").toBe(true);
    return signal === "SIGKILL";
  });
  return Promise.all(exits);
}

/** Workers that are killed together, again and again, before others live on. @returns how many were killed */
async function live(places: Places, rounds: readonly (readonly Death[])[], workers: number): Promise<number> {
  await using storage = await openStorage(places.tables);
  await fill(storage, 230);
  const before = (await rowsOf(storage)).filter(isOfChess);
  await using queues =
    places.queues === undefined ? tableQueues(storage, { shards: 1 }) : await openQueues(places.queues);
  await flow.start(queues, { channel: "Football" }, { id: "Football" });

  let kills = 0;
  // Longer than the message of a killed process is invisible, each time.
  let aheadMs = 0;
  const later = (): number => (places.queues === undefined ? (aheadMs += 61_000) : 0);
  for (const deaths of rounds)
    kills += (await run(places, deaths, later())).filter((isKilled) => isKilled).length;
  await run(places, Array.from({ length: workers }), later());

  expect(await rowsOf(storage)).toEqual(before);
  expect(await queues.approximateCount(queue)).toBe(0);
  expect(await workflowStatus(storage, flow, "Football")).toMatchObject({
    state: "done",
    steps: ["mark", "blogs", "late posts", "late", "channel"].map((name) => ({ name })),
  });
  return kills;
}

/** The same on a file of its own. */
async function liveOnFile(rounds: readonly (readonly Death[])[], workers: number): Promise<number> {
  await using folder = await temporaryFolder();
  return await live({ tables: `file:${folder.file("channels.db")}` }, rounds, workers);
}

/** The same on an emulator of its own. */
async function liveOnAzurite(rounds: readonly (readonly Death[])[], workers: number): Promise<number> {
  const [tables, queues] = await Promise.all([startAzurite(), startAzuriteQueues()]);
  try {
    const places = { tables: tables.connectionString, queues: queues.connectionString };
    return await live(places, rounds, workers);
  } finally {
    await Promise.all([tables.stop(), queues.stop()]);
  }
}

/** More requests than a run makes that nobody disturbs, on any store. */
const mostRequests = 200;
const random = randomNumbers(20_261_122);
const randomDeath = (): Death => ({
  request: 1 + Math.floor(random() * 30),
  isCarriedOut: random() < 0.5,
});

test.each([[1], [2]])(
  "%d worker(s) of a file, killed at random requests and started again, delete the channel and its posts",
  async (workers) => {
    const rounds = [Array.from({ length: workers }, randomDeath)];
    expect(await liveOnFile(rounds, workers)).toBeGreaterThan(0);
  },
);

test("two workers of an emulator, killed in the middle of their work, delete the channel and its posts", async () => {
  const deaths = [
    { request: 12, isCarriedOut: true },
    { request: 4, isCarriedOut: false },
  ];
  expect(await liveOnAzurite([deaths], 2)).toBeGreaterThan(0);
});

const stores = { file: liveOnFile, emulator: liveOnAzurite };
const cases = (["file", "emulator"] as const).flatMap((store) =>
  [1, 2].flatMap((workers) => [false, true].map((isCarriedOut) => ({ store, workers, isCarriedOut }))),
);

test.runIf(isLong).each(cases)(
  "the same for every request on $store, by $workers worker(s), which is carried out: $isCarriedOut",
  async ({ store, workers, isCarriedOut }) => {
    let request = 0;
    let kills: number;
    do {
      const deaths = Array.from({ length: workers }, () => ({ request: request + 1, isCarriedOut }));
      kills = await stores[store]([deaths], workers);
      expect(++request).toBeLessThan(mostRequests);
    } while (kills > 0);
    // The last one was beyond the end of the run.
    expect(request).toBeGreaterThan(20);
  },
);
