import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { Turns } from "../turns.ts";
import { signatureKey } from "../authorization/signature-key.ts";
import { admitRequest } from "../http/admit-request.ts";
import { schemeOf, startListening } from "../http/start-listener.ts";
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
 * @throws TypeError for options that are not legal; Error `EADDRINUSE` when the port is taken; StorageError
 *   `storage.foreign-settings` when the storage has a table of that name with something else
 */
export async function startQueueServer(options: QueueServerOptions = {}): Promise<QueueServer> {
  const checked = checkQueueServerOptions(options);
  const { tls, account, key, clock } = checked;
  const now = (): number => clock.now();
  const storage = checked.storage ?? (await openStorage("memory:", { clock }));
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
    changes: new Turns(1),
    account,
    key: signatureKey(key),
    scheme: schemeOf(tls),
    now,
  };
  const protocol = queueProtocol(service);
  const { url, port, close } = await startListening(
    (head) => admitRequest(head, service, protocol),
    { ...checked, now, forms: protocol.forms },
    async () => {
      if (checked.storage === undefined) await storage.close();
    },
  );
  return {
    service: "queue",
    url,
    port,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=${schemeOf(tls)};AccountName=${account};AccountKey=${key};QueueEndpoint=${url};`,
    wrapQueues(wrap) {
      const wrapped = wrap(queues);
      served = wrapped;
      return wrapped;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const queueSettings = {
  properties: "queue-properties",
  policies: "queue-policies",
  permissions: "raup",
} as const;
