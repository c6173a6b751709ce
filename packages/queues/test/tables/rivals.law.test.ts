import { strict as assert } from "node:assert";
import { isLong } from "@partita/test-support/effort";
import { fc, test } from "@fast-check/vitest";
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import { type QueueStorage, tableQueues } from "../../src/index.ts";
import { type FaultPlan, manualClock, randomFaults, randomNumbers, withFaults } from "@partita/testing";
import { afterAll, describe } from "vitest";

const seed = 18;
const second = 1000;

const clock = manualClock(Date.UTC(2026, 0, 1));
const memory = await openStorage("memory:", { clock });
afterAll(() => memory.close());
let queueCount = 0;

/** The same storage, whose requests are carried out, and answered, in the order that a scheduler chooses. */
function inAnyOrder(storage: TableStorage, scheduler: fc.Scheduler): TableStorage {
  const later = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await scheduler.schedule(Promise.resolve());
    try {
      return await work();
    } finally {
      await scheduler.schedule(Promise.resolve());
    }
  };
  return {
    description: storage.description,
    reachedTime: () => storage.reachedTime?.(),
    query: (...args) => later(() => storage.query(...args)),
    get: (...args) => later(() => storage.get(...args)),
    write: (...args) => later(() => storage.write(...args)),
    transact: (...args) => later(() => storage.transact(...args)),
    createTable: (...args) => later(() => storage.createTable(...args)),
    deleteTable: (...args) => later(() => storage.deleteTable(...args)),
    listTables: (...args) => later(() => storage.listTables(...args)),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

const programs = (storage: TableStorage, count: number, numbers: number): readonly QueueStorage[] =>
  Array.from({ length: count }, (_, i) =>
    tableQueues(storage, { clock, random: randomNumbers(numbers + i) }),
  );

async function drain(queue: string): Promise<readonly string[]> {
  const queues = tableQueues(memory, { clock });
  const texts: string[] = [];
  for (;;) {
    const found = await queues.receive(queue, { max: 32, visibilityMs: 60 * second });
    if (found.length === 0) return texts;
    texts.push(...found.map(({ text }) => text));
  }
}

/** What a lost answer leaves unknown is somebody's: the others go on. */
async function unlessLost<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

/** So many takers of several programs ask until nothing is left; what each of them got. */
async function takeAll(queue: string, rivals: readonly QueueStorage[], takers: number, max: number) {
  const taker = async (i: number): Promise<readonly string[]> => {
    const program = rivals[i % rivals.length] as QueueStorage;
    const taken: string[] = [];
    for (let empty = 0; empty < 3;) {
      const found = await unlessLost(program.receive(queue, { max, visibilityMs: 60 * second }));
      if (found === undefined || found.length === 0) empty++;
      for (const { id, deliveries } of found ?? []) {
        assert.equal(deliveries, 1, "a message was received a second time");
        taken.push(id);
      }
    }
    return taken;
  };
  return Promise.all(Array.from({ length: takers }, (_, i) => taker(i)));
}

async function filled(messages: number, shards: number): Promise<string> {
  const queue = `rivals-${++queueCount}`;
  const queues = tableQueues(memory, { clock, shards });
  await queues.createQueue(queue);
  for (let i = 0; i < messages; i++) await queues.put(queue, `${i}`);
  return queue;
}

const numRuns = (short: number): { readonly seed: number; readonly numRuns: number } => ({
  seed,
  numRuns: isLong ? 50 * short : short,
});

describe("rivals for one queue", () => {
  const shards = fc.constantFrom(1, 4);
  const max = fc.constantFrom(1, 3, 32);

  test.prop([fc.scheduler(), shards, max, fc.integer({ min: 1, max: 16 }), fc.nat()], numRuns(20))(
    "16 takers take distinct messages, and all of them",
    async (scheduler, shardCount, most, programCount, numbers) => {
      const queue = await filled(32, shardCount);
      const rivals = programs(inAnyOrder(memory, scheduler), programCount, numbers);
      const taken = takeAll(queue, rivals, 16, most);
      await scheduler.waitFor(taken);
      const ids = (await taken).flat();

      assert.equal(new Set(ids).size, ids.length, "two took one message");
      assert.equal(ids.length + (await drain(queue)).length, 32);
    },
  );

  test.prop([fc.scheduler(), shards, max, fc.nat()], numRuns(20))(
    "16 takers take distinct messages while answers are lost, and none is lost",
    async (scheduler, shardCount, most, numbers) => {
      const queue = await filled(32, shardCount);
      let isOn = true;
      const random = randomFaults({ seed: numbers, rate: 0.1 });
      const plan: FaultPlan = (request) => (isOn ? random(request) : undefined);
      const faulty = withFaults(inAnyOrder(memory, scheduler), plan);
      const taken = takeAll(queue, programs(faulty, 4, numbers), 16, most);
      await scheduler.waitFor(taken);
      const ids = (await taken).flat();
      isOn = false;
      await scheduler.waitFor(faulty.settle());
      assert.equal(new Set(ids).size, ids.length, "two took one message");

      clock.advance(60 * second);
      assert.equal((await drain(queue)).length, 32);
    },
  );

  test.prop([fc.scheduler(), fc.integer({ min: 1, max: 2 }), fc.nat()], numRuns(60))(
    "a deletion loses nothing that was put after it, and nothing of the queue that is created then",
    async (scheduler, deleters, numbers) => {
      const queue = await filled(4, 2);
      const [putter, creator, ...others] = programs(inAnyOrder(memory, scheduler), 2 + deleters, numbers);
      assert.ok(putter !== undefined && creator !== undefined);
      let isGone = false;
      const accepted = { byPutter: [] as string[], byCreator: [] as string[] };
      const putAll = async (program: QueueStorage, by: keyof typeof accepted): Promise<void> => {
        for (let i = 0; i < 12; i++) {
          const text = `${by} ${i}`;
          const isAfter = isGone;
          if ((await unlessLost(program.put(queue, text))) !== undefined && isAfter) accepted[by].push(text);
        }
      };
      const recreate = async (): Promise<void> => {
        await Promise.race(others.map((other) => unlessLost(other.deleteQueue(queue))));
        isGone = true;
        await creator.createQueue(queue);
        await putAll(creator, "byCreator");
      };
      const work = Promise.all([putAll(putter, "byPutter"), recreate()]);
      await scheduler.waitFor(work);
      await scheduler.waitIdle();

      // The other deleter may have come so late that it deleted the new queue.
      if (!(await tableQueues(memory, { clock }).listQueues()).includes(queue)) return;
      const left = new Set(await drain(queue));
      // Of who does not know of the deletion yet, a deletion that still goes on may remove what is put.
      const expected = [...accepted.byCreator, ...(deleters === 1 ? accepted.byPutter : [])];
      assert.deepEqual(
        expected.filter((text) => !left.has(text)),
        [],
      );
    },
  );
});
