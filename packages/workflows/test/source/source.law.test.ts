import { openStorage, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { isLong } from "@partita/test-support/effort";
import { manualClock, randomNumbers } from "@partita/testing";
import { countedStorage, countedUntil, type Death } from "@partita/test-support/death";
import { untilQuiet } from "@partita/test-support/requests";
import { expect, test } from "vitest";
import { startWorker, type Worker, workflowStatus } from "../../src/index.ts";
import { deleteChannelAndBlogs, fill, isOfChess, queue, rowsOf } from "./delete-channel.ts";

// A worker that ends without a word at any of its requests: what it sent is carried out or not, and nothing follows.

const flow = deleteChannelAndBlogs(300);
const posts = 101;

/** A history: workers that come one after another, each where the one before has ended, or all at once. */
interface History {
  /** Where each worker ends; undefined for one that lives on. */
  readonly deaths: readonly (Death | undefined)[];
  readonly areTogether: boolean;
}

/** Lives through a history, and checks what is left. @returns the requests of each worker */
async function live({ deaths, areTogether }: History): Promise<number[]> {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  await using storage = await openStorage("memory:");
  await fill(storage, posts);
  const before = (await rowsOf(storage)).filter(isOfChess);
  const queues = tableQueues(storage, { clock, shards: 1 });
  await flow.start(queues, { channel: "Football" }, { id: "Football" });

  const counts = deaths.map(() => 0);
  const workers: Worker[] = [];
  let dead = 0;
  const start = (death: Death | undefined, i: number): void => {
    const dying = countedStorage(
      storage,
      countedUntil(death, () => {
        dead++;
        return new Promise<never>(() => undefined);
      }),
    );
    const own = counted(dying, () => (counts[i] = (counts[i] ?? 0) + 1));
    const options = { storage: own, queues: tableQueues(own, { clock, shards: 1 }), workflows: [flow] };
    workers.push(startWorker({ ...options, clock, visibilityMs: 1000 }));
  };
  for (let step = 0; step % 4 > 0 || (await left(queues)) > 0; step++) {
    if (step === 2000)
      throw new Error(`The queue is not empty after ${step} steps: ${JSON.stringify(deaths)}`);
    while (workers.length < deaths.length && (areTogether || workers.length <= dead))
      start(deaths[workers.length], workers.length);
    await untilQuiet();
    clock.advance(100);
  }

  expect(await rowsOf(storage)).toEqual(before);
  expect(await workflowStatus(storage, flow, "Football")).toMatchObject({
    state: "done",
    steps: ["mark", "blogs", "late posts", "late", "channel"].map((name) => ({ name })),
  });
  // Those that have ended never stop.
  await Promise.all(
    workers.filter((_, i) => deaths[i] === undefined).map((worker) => stopped(worker, clock)),
  );
  return counts;
}

async function stopped(worker: Worker, clock: { advance(ms: number): void }): Promise<void> {
  let isStopped = false;
  void worker.stop().then(() => (isStopped = true));
  while (!isStopped) {
    clock.advance(50);
    await untilQuiet();
  }
}

const left = (queues: QueueStorage): Promise<number> => queues.approximateCount(queue);

const counted = (inner: TableStorage, count: () => void): TableStorage =>
  new Proxy(inner, {
    get: (target, name: keyof TableStorage) => {
      const member: unknown = target[name];
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        count();
        return Reflect.apply(member, target, args);
      };
    },
  });

test.each([
  ["one worker that comes after it", false, isLong ? 1 : 2],
  ["another worker beside it", true, isLong ? 1 : 6],
])("the channel and its posts are gone, wherever a worker ends, by %s", async (_, areTogether, every) => {
  const [requests = 0] = await live({ deaths: [undefined], areTogether });

  expect(requests).toBeGreaterThan(20);
  // Where not every request is met, those that are carried out are other ones.
  for (const [first, isCarriedOut] of [
    [1, false],
    [every, true],
  ] as const)
    for (let request = first; request <= requests; request += every)
      await live({ deaths: [{ request, isCarriedOut }, undefined], areTogether });
});

test("the same where several workers end, one after another or together", async () => {
  const random = randomNumbers(20_261_122);
  const death = (): Death => ({ request: 1 + Math.floor(random() * 40), isCarriedOut: random() < 0.5 });

  for (let i = 0; i < (isLong ? 500 : 10); i++)
    expect(
      await live({ deaths: [death(), death(), death(), undefined], areTogether: random() < 0.5 }),
    ).toHaveLength(4);
});
