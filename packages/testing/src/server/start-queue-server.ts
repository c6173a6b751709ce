import type { QueueServer } from "./queues/queue-server.ts";
import type { QueueServerOptions } from "./queues/queue-server-options.ts";

/**
 * Starts a queue service over any queues: the REST protocol of Azure Queue storage with its signatures, limits and error
 * codes, for tests of anything that speaks it. It listens on 127.0.0.1 unless `host` says otherwise. Messages are kept by
 * `tableQueues` in the storage; metadata, access policies and service properties are in its table `PartitaServerSettings`,
 * beside those of a table server.
 *
 * A message is carried as its client wrote it. One with characters that XML 1.0 does not have is refused with 400
 * `InvalidXmlDocument`; where another program has stored such a text, they are answered as U+FFFD.
 *
 * @throws TypeError for options that are not legal; Error `EADDRINUSE` when the port is taken; StorageError
 *   `storage.foreign-settings` when the storage has a table of that name with something else
 */
export async function startQueueServer(options: QueueServerOptions = {}): Promise<QueueServer> {
  // Most tests use something else of this package, and do not load the server for it.
  const { serveQueues } = await import("./queues/serve-queues.ts");
  return serveQueues(options);
}
