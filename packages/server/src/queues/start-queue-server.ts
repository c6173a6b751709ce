import { StorageError } from "@partita/core";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { signatureKey } from "../authorization/signature-key.ts";
import { openServed, startServer } from "../http/start-server.ts";
import { ServiceSettings } from "../settings/service-settings.ts";
import { checkSettings, probeSettings } from "../settings/settings-table.ts";
import { QueueMetadata } from "./queue-metadata.ts";
import { queueProtocol } from "./queue-protocol.ts";
import type { QueueServer } from "./queue-server.ts";
import { checkQueueServerOptions, type QueueServerOptions } from "./queue-server-options.ts";
import type { QueueService } from "./queue-service.ts";

/**
 * Starts a queue service over any queues, for tests of any client: the REST protocol of Azure Queue storage with its
 * signatures, limits and error codes. It listens on 127.0.0.1 unless you set `host`. By default `tableQueues` stores
 * messages in the storage. Metadata, access policies and service properties are in the storage's table
 * `PartitaServerSettings`, together with those of a table server. Several servers over one storage, with the same account
 * and key, are one service.
 *
 * Message texts are stored unchanged. A text with characters that XML 1.0 does not allow is refused with 400
 * `InvalidXmlDocument`; if another program has stored such a text, responses contain U+FFFD instead of these
 * characters.
 *
 * @throws OptionError `server.option`; Error `EADDRINUSE` if the port is in use; StorageError
 *   `storage.foreign-settings` if the storage has a table with that name and other contents
 */
export async function startQueueServer(options: QueueServerOptions = {}): Promise<QueueServer> {
  const checked = checkQueueServerOptions(options);
  const { account, key, scheme, clock } = checked;
  const now = (): number => clock.now();
  const storage = await openServed(checked);
  await checkSettings(storage);
  // One partition per queue: messages come in the order of their times, as in the service for the most part. Nothing is
  // cached, since another server over the storage may delete a queue.
  const queues = checked.queues ?? tableQueues(storage, { clock, shards: 1, cacheMs: 0 });
  let served = queues;
  const service: QueueService = {
    get queues() {
      return served;
    },
    unwrapped: queues,
    metadata: new QueueMetadata(storage),
    settings: new ServiceSettings(storage, queueSettings, now),
    probe: async (signal) => {
      await probeSettings(storage, signal);
      if (checked.queues !== undefined) await probeQueues(checked.queues, signal);
    },
    account,
    key: signatureKey(key),
    scheme,
    now,
  };
  const server = await startServer("queue", service, queueProtocol(service), storage, checked);
  return Object.assign(server, {
    wrapQueues<Wrapped extends QueueStorage>(wrap: (queues: QueueStorage) => Wrapped): Wrapped {
      const wrapped = wrap(queues);
      served = wrapped;
      return wrapped;
    },
  });
}

/** Finds out whether queues respond, even if they have no queue with this name. */
async function probeQueues(queues: QueueStorage, signal: AbortSignal): Promise<void> {
  await queues.peek("health", { signal }).catch((error: unknown) => {
    if (!(StorageError.is(error) && error.status === 404)) throw error;
  });
}

const queueSettings = {
  properties: "queue-properties",
  policies: "queue-policies",
  permissions: "raup",
} as const;
