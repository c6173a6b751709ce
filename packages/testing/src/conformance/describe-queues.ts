import type { QueueStorage } from "@partita/queues";
import { type ConformanceRunner, type ConformanceSkip, describeCases } from "./conformance-runner.ts";
import { messageCases } from "./queues/message-cases.ts";
import type { QueueCase } from "./queues/queue-case.ts";
import { queueNameCases } from "./queues/queue-name-cases.ts";
import { receiptCases } from "./queues/receipt-cases.ts";
import { refusedMessageCases } from "./queues/refused-message-cases.ts";

/** Options of the conformance suite for queues. */
export interface DescribeQueuesOptions {
  /** The name of the suite. */
  readonly name: string;
  /** Opens the store to test. Called once; the suite closes the store at the end. */
  readonly open: () => Promise<QueueStorage>;
  /**
   * Prefix of the queue names: up to 40 lower-case letters, digits and single hyphens; default `case-` and the time.
   */
  readonly prefix?: string;
  /** Moves the store's clock. Without it, the suite waits in real time, a few seconds in total. */
  readonly advance?: (ms: number) => void | Promise<void>;
  readonly skip?: readonly ConformanceSkip[];
  /** The test runner's functions, such as those of vitest, jest or node:test; by default the global ones. */
  readonly runner?: ConformanceRunner;
}

/** All cases, for other kinds of runners. */
export const queueCases: readonly QueueCase[] = [
  ...queueNameCases,
  ...messageCases,
  ...receiptCases,
  ...refusedMessageCases,
];

/**
 * Declares one test for each guarantee of `QueueStorage`: the service's semantics, codes and limits. Each test uses its
 * own queue and deletes it.
 *
 * @throws Error if a skip names no case, so outdated skips are noticed
 */
export function describeQueues({
  name,
  open,
  prefix = `case-${Date.now().toString(36)}-`,
  advance = waitFor,
  skip,
  runner,
}: DescribeQueuesOptions): void {
  describeCases({
    call: "describeQueues",
    title: `${name} keeps the promises of a store of queues`,
    open,
    cases: queueCases,
    skip,
    runner,
    async check(queues, { check }, index) {
      const queue = prefix + index;
      await queues.createQueue(queue);
      try {
        await check(queues, queue, async (ms) => advance(ms));
      } finally {
        await queues.deleteQueue(queue).catch(() => undefined);
      }
    },
  });
}

/** Clocks differ between machines, and the service uses whole seconds, so wait a little longer. */
const waitFor = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms + 250));
