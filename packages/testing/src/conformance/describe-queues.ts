import type { QueueStorage } from "@partita/queues";
import { type ConformanceRunner, type ConformanceSkip, describeCases } from "./conformance-runner.ts";
import { messageCases } from "./queues/message-cases.ts";
import type { QueueCase } from "./queues/queue-case.ts";
import { queueNameCases } from "./queues/queue-name-cases.ts";
import { receiptCases } from "./queues/receipt-cases.ts";
import { refusedMessageCases } from "./queues/refused-message-cases.ts";

/** What the conformance suite of queues runs over. */
export interface DescribeQueuesOptions {
  /** How the suite is called. */
  readonly name: string;
  /** Opens the store to test; called once, and closed at the end. */
  readonly open: () => Promise<QueueStorage>;
  /**
   * What the names of the suite's queues begin with, up to 40 letters in lower case, digits and single hyphens; default
   * `case-` and the time.
   */
  readonly prefix?: string;
  /** Moves the store's clock; absent, time is waited for, a few seconds in all. */
  readonly advance?: (ms: number) => void | Promise<void>;
  readonly skip?: readonly ConformanceSkip[];
  /** The runner's own functions, as vitest, jest and node:test have them; the global ones when absent. */
  readonly runner?: ConformanceRunner;
}

/** Every case, for runners of another kind. */
export const queueCases: readonly QueueCase[] = [
  ...queueNameCases,
  ...messageCases,
  ...receiptCases,
  ...refusedMessageCases,
];

/**
 * Declares one test per promise of `QueueStorage`: the service's semantics, codes and limits. Each has a queue of its
 * own, which it removes.
 *
 * @throws Error when a skip names no case, so that skips do not outlive their reason
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

/** Clocks of two machines, and whole seconds of a service: a little later it is certainly over. */
const waitFor = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms + 250));
