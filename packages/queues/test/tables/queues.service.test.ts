import { isLong } from "@partita/test-support/effort";
import { fc, test } from "@fast-check/vitest";
import { openQueues, type QueueStorage } from "../../src/index.ts";
import { type Azurite, startAzuriteQueues } from "@partita/test-support/azurite";
import { afterAll, beforeAll, describe } from "vitest";
import { histories, QueueHistory } from "./queue-history.ts";

const numRuns = isLong ? 200 : 2;

let azurite: Azurite;
let programs: readonly QueueStorage[];
beforeAll(async () => {
  azurite = await startAzuriteQueues();
  programs = [await openQueues(azurite.connectionString), await openQueues(azurite.connectionString)];
});
afterAll(async () => {
  for (const program of programs) await program.close();
  await azurite.stop();
});

/** Time is waited for here: messages stay invisible for one second, or for longer than a history lasts. */
const steps = histories({ visible: fc.constantFrom(1, 300), pass: fc.constant(1) }, 16);
let queueCount = 0;

describe("Azurite's queues", () => {
  test.prop([fc.array(steps, { minLength: 8, maxLength: 8 })], { seed: 18, numRuns, endOnFailure: true })(
    "lose no message, have one holder a message, refuse superseded receipts and count deliveries",
    async (several) => {
      // Histories of several queues wait together.
      await Promise.all(
        several.map(async (history) => {
          const queue = `law-${++queueCount}`;
          await programs[0]?.createQueue(queue);
          const world = {
            programs,
            queue,
            now: () => Date.now(),
            pass: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
            slackMs: 1500,
            faults: () => 0,
            stopFaults: () => Promise.resolve(),
            longestMs: 2600,
          };
          await new QueueHistory(world).run(history);
        }),
      );
    },
    isLong ? 3_600_000 : 60_000,
  );
});
