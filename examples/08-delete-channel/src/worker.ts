// A worker process: it ends when there is nothing left to do, if it lives that long.
import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { startWorker } from "@partita/workflows";
import { deleteChannel } from "./delete-channel.ts";

const [target = ""] = process.argv.slice(2);
await using storage = await openStorage(target);
const queues = tableQueues(storage);
await using worker = startWorker({
  storage,
  queues,
  workflows: [deleteChannel],
  visibilityMs: 1000, // how long others wait for a worker that was killed
  onEvent: (event) => process.send?.(event.type === "step" ? `recorded "${event.step}"` : event.type),
});
do await worker.idle();
while ((await queues.approximateCount(deleteChannel.queue)) > 0);
process.disconnect?.();
