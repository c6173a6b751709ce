// A process of its own: a worker that kills itself at a request of its own count, or ends when the queue is empty.
import { openStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import { tableQueues } from "@partita/core/queues";
import { startWorker } from "../../src/index.ts";
import { deleteChannelAndBlogs, dyingAt, queue } from "./delete-channel.ts";

/** The file, a request by its number, whether it is carried out, and by how much the clock is ahead. */
const [path = "", request = "0", isCarriedOut = "false", aheadMs = "0"] = process.argv.slice(2);

// A clock that is ahead makes the message of a process that was killed visible again at once.
const clock = { ...systemClock, now: () => Date.now() + Number(aheadMs) };
await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
const death = { request: Number(request), isCarriedOut: isCarriedOut === "true" };
const own = dyingAt(storage, death.request === 0 ? undefined : death, () => {
  process.kill(process.pid, "SIGKILL");
  return new Promise<never>(() => undefined);
});
const watched = tableQueues(storage, { clock });
await using worker = startWorker({
  storage: own,
  queues: tableQueues(own, { clock, shards: 1 }),
  workflows: [deleteChannelAndBlogs(50)],
  visibilityMs: 60_000,
  clock,
});
do await worker.idle();
while ((await watched.approximateCount(queue)) > 0);
