import {
  type Budget,
  countedMemory,
  describeBudgets,
  type OpenPlace,
  pages,
} from "@partita/test-support/budgets";
import { manualClock } from "@partita/testing";
import { type QueueStorage, type ReceivedMessage, tableQueues } from "../src/index.ts";

/** Queues with a queue `work`, which this process has found before, and a message of it that is leased. */
interface Place {
  readonly queues: QueueStorage;
  readonly leased: ReceivedMessage;
}

const shards = 4;
const visibilityMs = 60_000;

const open: OpenPlace<Place> = async (counter, messages) => {
  // The shard of the next put. While it is the last one, receives begin with the first.
  let shard = 0;
  const queues = tableQueues(await countedMemory(counter), {
    clock: manualClock(Date.UTC(2026, 0, 1)),
    random: () => shard / shards,
    shards,
  });
  for (const queue of ["work", "idle"]) await queues.createQueue(queue);
  await queues.put("work", "leased");
  shard = shards - 1;
  const [leased] = await queues.receive("work", { visibilityMs });
  for (let i = 0; i < messages; i++) {
    shard = i % shards;
    await queues.put("work", `message ${i}`);
  }
  shard = shards - 1;
  return { queues, leased: leased as ReceivedMessage };
};

/** A receive asks one shard after another until it has all. */
const receiving = (wanted: number) => (messages: number) =>
  `${messages < wanted * shards ? shards : 1} query, 1 transact`;

const removing = (messages: number): { query: number; transact: number } => ({
  query: shards,
  transact: Math.min(messages, shards) * Math.ceil(messages / shards / 100),
});

const budgets: readonly Budget<Place>[] = [
  ["put a message", "1 write", ({ queues }) => queues.put("work", "text")],
  [
    "put a message into a queue that it has not used",
    "1 get, 1 write",
    ({ queues }) => queues.put("idle", "text"),
  ],
  ["receive a message", "1 query, 1 transact", ({ queues }) => queues.receive("work", { visibilityMs })],
  ["receive 32 messages", receiving(32), ({ queues }) => queues.receive("work", { visibilityMs, max: 32 })],
  ["find an empty queue", `1 get, ${shards} query`, ({ queues }) => queues.receive("idle", { visibilityMs })],
  [
    "renew a message",
    "1 get, 1 transact",
    ({ queues, leased }) => queues.update("work", leased, { visibilityMs }),
  ],
  [
    "change a message",
    "1 get, 1 transact",
    ({ queues, leased }) => queues.update("work", leased, { visibilityMs, text: "new" }),
  ],
  ["remove a message", "1 write", ({ queues, leased }) => queues.remove("work", leased)],
  ["peek at a message", "1 query", ({ queues }) => queues.peek("work")],
  [
    "count the messages",
    (messages) => `${shards * pages(messages / shards)} query`,
    ({ queues }) => queues.approximateCount("work"),
  ],
  ["list the queues", "1 query", ({ queues }) => queues.listQueues()],
  ["create a queue", "1 write", ({ queues }) => queues.createQueue("new")],
  ["create a queue that exists", "1 get, 1 write", ({ queues }) => queues.createQueue("work")],
  ["clear a queue", removing, ({ queues }) => queues.clear("work")],
  [
    // The queue is marked as deleted, and its row is deleted after its messages.
    "delete a queue",
    (messages) => ({ get: 2, ...removing(messages), write: 2 }),
    ({ queues }) => queues.deleteQueue("work"),
  ],
];

describeBudgets([1, 1000], "messages", open, budgets);
