// A process of its own: a worker that kills itself at a request of its own count, or ends when the queue is empty.
import { openStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import { openQueues, tableQueues } from "@partita/queues";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { startWorker } from "../../src/index.ts";
import { countedQueues } from "../support/counted-queues.ts";
import { deleteChannelAndBlogs, queue } from "./delete-channel.ts";

/** The tables, the queues where they are not tables, a request by its number, whether it is carried out, and by how much the clock is ahead. */
const [tables = "", queueTarget = "", request = "0", isCarriedOut = "false", aheadMs = "0"] =
  process.argv.slice(2);

// A clock that is ahead makes the message of a process that was killed visible again at once.
const clock = { ...systemClock, now: () => Date.now() + Number(aheadMs) };
const isFile = queueTarget === "";
await using storage = await openStorage(
  tables,
  isFile ? { busyTimeoutMs: 600_000, durability: "normal" } : {},
);
const counted = countedUntil(deathOf(request, isCarriedOut), killProcess);
const own = countedStorage(storage, counted);
const watched = isFile ? tableQueues(storage, { clock }) : await openQueues(queueTarget);
await using worker = startWorker({
  storage: own,
  queues: isFile ? tableQueues(own, { clock, shards: 1 }) : countedQueues(watched, counted),
  workflows: [deleteChannelAndBlogs(50)],
  visibilityMs: isFile ? 60_000 : 1000,
  clock,
});
do await worker.idle();
while ((await watched.approximateCount(queue)) > 0);
