import { isLong } from "@partita/test-support/effort";
import { fc, test } from "@fast-check/vitest";
import { openStorage } from "@partita/core";
import { tableQueues } from "../../src/index.ts";
import { type FaultPlan, manualClock, randomFaults, randomNumbers, withFaults } from "@partita/testing";
import { afterAll, describe } from "vitest";
import { histories, QueueHistory } from "./queue-history.ts";

const seed = 18;

const clock = manualClock(Date.UTC(2026, 0, 1));
const storage = await openStorage("memory:", { clock });
afterAll(() => storage.close());

const seconds = fc.integer({ min: 1, max: 8 });
const steps = histories({ visible: seconds, pass: seconds });
let queueCount = 0;

/** Two programs that share a queue of its own; the requests of each fail as planned. */
async function world(shards: number, numbers: number, plan: FaultPlan) {
  const queue = `law-${++queueCount}`;
  await tableQueues(storage, { clock, shards }).createQueue(queue);
  let isOn = true;
  const faulty = withFaults(storage, (request) => (isOn ? plan(request) : undefined));
  const program = (by: number) => tableQueues(faulty, { clock, random: randomNumbers(numbers + by) });
  return {
    programs: [program(0), program(1)],
    queue,
    now: () => clock.now(),
    pass: async (ms: number) => clock.advance(ms),
    slackMs: 0,
    // Longer than anything is invisible.
    longestMs: 10_000,
    faults: () => faulty.requests.filter(({ fault }) => fault !== undefined).length,
    stopFaults: async () => {
      isOn = false;
      await faulty.settle();
    },
  };
}

describe("queues of a table", () => {
  test.prop([steps, fc.integer({ min: 1, max: 4 }), fc.nat()], { seed, numRuns: isLong ? 20_000 : 250 })(
    "lose no message, have one holder a message, refuse superseded receipts and count deliveries",
    async (history, shards, numbers) => {
      const nothingFails: FaultPlan = () => undefined;
      await new QueueHistory(await world(shards, numbers, nothingFails)).run(history);
    },
  );

  const rate = fc.constantFrom(0.05, 0.2, 0.5);
  test.prop([steps, fc.integer({ min: 1, max: 4 }), fc.nat(), rate], {
    seed,
    numRuns: isLong ? 40_000 : 500,
  })("do so while requests fail, and answers are lost or late", async (history, shards, numbers, often) => {
    const plan = randomFaults({ seed: numbers, rate: often });
    await new QueueHistory(await world(shards, numbers, plan)).run(history);
  });
});
