import { type QueueStorage, tableQueues } from "@partita/queues";
import { Semaphore } from "@partita/core/internal";
import { signatureKey } from "../authorization/signature-key.ts";
import { openServed, startServer } from "../http/start-server.ts";
import { ServiceSettings } from "../settings/service-settings.ts";
import { QueueMetadata } from "./queue-metadata.ts";
import { queueProtocol } from "./queue-protocol.ts";
import type { QueueServer } from "./queue-server.ts";
import { checkQueueServerOptions, type QueueServerOptions } from "./queue-server-options.ts";
import type { QueueService } from "./queue-service.ts";

/**
 * Starts a queue service over any queues: the REST protocol of Azure Queue storage with its signatures, limits and error
 * codes, for tests of anything that speaks it. It listens on 127.0.0.1 unless `host` says otherwise. Messages are kept by
 * `tableQueues` in the storage; metadata, access policies and service properties are in its table `PartitaServerSettings`,
 * beside those of a table server.
 *
 * A message is carried as its client wrote it. One with characters that XML 1.0 does not have is refused with 400
 * `InvalidXmlDocument`; where another program has stored such a text, they are answered as U+FFFD.
 *
 * @throws OptionError `server.option`; Error `EADDRINUSE` when the port is taken; StorageError
 *   `storage.foreign-settings` when the storage has a table of that name with something else
 */
export async function startQueueServer(options: QueueServerOptions = {}): Promise<QueueServer> {
  const checked = checkQueueServerOptions(options);
  const { account, key, scheme, clock } = checked;
  const now = (): number => clock.now();
  const storage = await openServed(checked);
  // One partition a queue: messages come in the order of their times, as the service's mostly do, and one server gains
  // nothing by more of them.
  const queues = checked.queues ?? tableQueues(storage, { clock, shards: 1 });
  let served = queues;
  const service: QueueService = {
    get queues() {
      return served;
    },
    unwrapped: queues,
    metadata: await QueueMetadata.read(storage),
    settings: await ServiceSettings.read(storage, queueSettings, now),
    changes: new Semaphore(1),
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

const queueSettings = {
  properties: "queue-properties",
  policies: "queue-policies",
  permissions: "raup",
} as const;
