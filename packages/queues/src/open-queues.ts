import { checkRuntime, describeType, logAsEnvironmentSays } from "@partita/core/internal";
import { checkOpenQueues, type OpenQueuesOptions } from "./azure/queue-options.ts";
import { StorageError } from "@partita/core";
import { observeQueues } from "./port/observe-queues.ts";
import type { QueueStorage } from "./port/queue-storage.ts";

/**
 * Opens the queues of Azure Queue storage or of an emulator (`UseDevelopmentStorage=true`): by a connection
 * string, or by the URL of the queue endpoint with a `credential` or ending with a shared access signature.
 * For queues in a table, including the embedded store, use `tableQueues`.
 *
 * Nothing is sent until the first request, and each request is sent once. After a lost response, you may send
 * a `put` again, which can store the message twice.
 *
 * @example
 * ```ts
 * // Needs Azurite on this machine.
 * await using queues = await openQueues("UseDevelopmentStorage=true");
 * await queues.createQueue("orders");
 * await queues.put("orders", JSON.stringify({ order: "7" }));
 * for (const message of await queues.receive("orders", { visibilityMs: 30_000 }))
 *   await queues.remove("orders", message);
 * ```
 *
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.connection-string`,
 * `storage.node-version`
 */
export async function openQueues(target: string, options: OpenQueuesOptions = {}): Promise<QueueStorage> {
  checkRuntime();
  checkTarget(target);
  checkOpenQueues(options);
  await logAsEnvironmentSays();
  const { openRestQueues } = await import("./azure/rest-queues.ts");
  return observeQueues(await openRestQueues(target, options));
}

function checkTarget(target: unknown): void {
  if (typeof target !== "string")
    throw unknownTarget(`openQueues(target) takes a text, but got ${describeType(target)}`);
  if (target.trim() === "") throw unknownTarget("openQueues(target) got an empty text");
  if (/^(?:file|memory):/.test(target))
    throw unknownTarget("A file holds tables. For queues in it, use tableQueues(await openStorage(target))");
}

/** The target is not repeated, because it may be a connection string with a key. */
const unknownTarget = (problem: string): StorageError =>
  new StorageError(
    "storage.unknown-target",
    `${problem}. openQueues takes "UseDevelopmentStorage=true" for an emulator on this machine, a connection string (AccountName=…;AccountKey=…), or the URL of a queue endpoint. If it comes from an environment variable, check that the variable is set.`,
    { applied: "no" },
  );
