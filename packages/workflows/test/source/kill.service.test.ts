import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/core/queues";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { randomNumbers } from "@partita/testing";
import { expect, test } from "vitest";
import { workflowStatus } from "../../src/index.ts";
import { type Death, deleteChannelAndBlogs, fill, isOfChess, queue, rowsOf } from "./delete-channel.ts";

const isLong = process.env["PARTITA_LONG"] !== undefined;
const program = join(import.meta.dirname, "worker-process.ts");
const flow = deleteChannelAndBlogs(50);

/** Runs workers in processes of their own. @returns whether each of them was killed */
async function run(
  path: string,
  deaths: readonly (Death | undefined)[],
  aheadMs: number,
): Promise<boolean[]> {
  const exits = deaths.map(async (death) => {
    const { request = 0, isCarriedOut = false } = death ?? {};
    const args = [path, request, isCarriedOut, aheadMs].map(String);
    const child = spawn(process.execPath, ["--conditions=@partita/source", program, ...args], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(code === 0 || signal === "SIGKILL").toBe(true);
    return signal === "SIGKILL";
  });
  return Promise.all(exits);
}

/** Kills of one round: workers that are killed together, again and again, before one lives on. */
async function live(rounds: readonly (readonly Death[])[], workers: number): Promise<number> {
  await using folder = await temporaryFolder();
  const path = folder.file("channels.db");
  let kills = 0;
  await using storage = await openStorage(`file:${path}`, { durability: "normal" });
  await fill(storage, 230);
  const before = (await rowsOf(storage)).filter(isOfChess);
  const queues = tableQueues(storage, { shards: 1 });
  await flow.start(queues, { channel: "Football" }, { id: "Football" });

  // Longer than the message of a killed process is invisible, each time.
  let aheadMs = 0;
  for (const deaths of rounds)
    kills += (await run(path, deaths, (aheadMs += 61_000))).filter((isKilled) => isKilled).length;
  await run(path, Array.from({ length: workers }), aheadMs + 61_000);

  expect(await rowsOf(storage)).toEqual(before);
  expect(await queues.approximateCount(queue)).toBe(0);
  expect(await workflowStatus(storage, flow, "Football")).toMatchObject({
    state: "done",
    steps: ["mark", "blogs", "late posts", "late", "channel"].map((name) => ({ name })),
  });
  return kills;
}

/** Requests of a run that nobody disturbs, roughly. */
const requestsOfRun = 50;
const random = randomNumbers(20_261_122);
const randomDeath = (): Death => ({
  request: 1 + Math.floor(random() * requestsOfRun),
  isCarriedOut: random() < 0.5,
});

test.each([[1], [2]])(
  "%d worker(s) of a file, killed at random requests and started again, delete the channel and its posts",
  async (workers) => {
    const rounds = Array.from({ length: 2 }, () => Array.from({ length: workers }, randomDeath));
    expect(await live(rounds, workers)).toBeGreaterThan(0);
  },
);

test.runIf(isLong).each([[1], [2]])("the same for every request, by %d worker(s)", async (workers) => {
  for (let request = 1; request <= requestsOfRun; request++)
    for (const isCarriedOut of [false, true]) {
      const deaths = [{ request, isCarriedOut }, ...Array.from({ length: workers - 1 }, randomDeath)];
      expect(await live([deaths], workers)).toBeLessThanOrEqual(workers);
    }
});
