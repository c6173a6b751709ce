import { openStorage, type TableStorage } from "@partita/core";
import { exponential } from "@partita/core/rest";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { untilQuiet } from "@partita/test-support/requests";
import { type ManualClock, manualClock } from "@partita/testing";
import { startWorker, type Worker, type WorkerEvent, type WorkerOptions } from "../../src/index.ts";

/** A store, queues and workers whose time passes when a test says so. */
export interface World extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly events: WorkerEvent[];
  start(options: Partial<WorkerOptions>): Worker;
  /** Lets time pass, in small steps, until a condition is met; fails after an hour of it. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets time pass until a worker is idle. */
  idle(worker: Worker): Promise<void>;
  /** Lets so many milliseconds pass in small steps. */
  pass(ms: number): Promise<void>;
  /** Messages of a queue, invisible ones included; 0 where there is no queue. */
  count(queue: string): Promise<number>;
  /** Texts of the messages in a poison queue, parsed. */
  poison(queue: string): Promise<Record<string, unknown>[]>;
}

/** How much time passes at once. */
const stepMs = 250;

export async function openWorld(
  wrap: (storage: TableStorage) => TableStorage = (storage) => storage,
): Promise<World> {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const storage = await openStorage("memory:");
  const queues = tableQueues(storage, { clock });
  const events: WorkerEvent[] = [];
  const workers: Worker[] = [];
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    for (let passed = 0; passed < 3_600_000; passed += stepMs) {
      await untilQuiet();
      if (await condition()) return;
      clock.advance(stepMs);
    }
    throw new Error(`It did not happen within an hour: ${JSON.stringify(events.slice(-5))}`);
  };
  const settled = async (promise: Promise<unknown>): Promise<void> => {
    let isOver = false;
    void promise.finally(() => (isOver = true));
    await until(() => isOver);
  };
  return {
    clock,
    storage,
    queues,
    events,
    until,
    start(options) {
      const worker = startWorker({
        storage: wrap(storage),
        queues,
        clock,
        visibilityMs: 10_000,
        retry: exponential({ delayMs: 1000, minMs: 0, maxMs: 5000 }),
        onEvent: (event) => events.push(event),
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    idle: (worker) => settled(worker.idle()),
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await untilQuiet();
        clock.advance(stepMs);
      }
      await untilQuiet();
    },
    async count(queue) {
      return (await queues.listQueues()).includes(queue) ? queues.approximateCount(queue) : 0;
    },
    async poison(queue) {
      const found = await queues.peek(`${queue}-poison`, { max: 32 });
      return found.map(({ text }) => (JSON.parse(text) as { poison: Record<string, unknown> }).poison);
    },
    async [Symbol.asyncDispose]() {
      await settled(Promise.all(workers.map((worker) => worker.stop())));
      await queues.close();
      await storage.close();
    },
  };
}
