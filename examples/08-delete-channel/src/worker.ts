// A worker process. It ends when there is nothing left to do, unless it is killed first.
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
  visibilityMs: 1000, // how long a message of a killed worker stays invisible
  onEvent: (event) => process.send?.(event.type === "step" ? `recorded "${event.step}"` : event.type),
});
do await worker.idle();
while ((await queues.approximateCount(deleteChannel.queue)) > 0);
process.disconnect?.();
