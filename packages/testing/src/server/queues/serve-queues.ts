import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { isQueueRead, type QueueFaultLog, type QueueFaultPlan } from "../../faults/faulty-queues.ts";
import { plannedFaults } from "../../faults/planned-faults.ts";
import { takePlansFor } from "../../faults/plans-of-servers.ts";
import { Turns } from "../../turns.ts";
import { signatureKey } from "../authorization/signature-key.ts";
import { admitRequest } from "../handlers/admit-request.ts";
import { schemeOf, startListening } from "../http/start-listener.ts";
import { ServiceSettings } from "../settings/service-settings.ts";
import { QueueMetadata } from "./queue-metadata.ts";
import { queueProtocol } from "./queue-protocol.ts";
import type { QueueServer } from "./queue-server.ts";
import { checkQueueServerOptions, type QueueServerOptions } from "./queue-server-options.ts";
import type { QueueService } from "./queue-service.ts";

/** Does what `startQueueServer` promises. */
export async function serveQueues(options: QueueServerOptions): Promise<QueueServer> {
  const checked = checkQueueServerOptions(options);
  const { tls, account, key, clock } = checked;
  const now = (): number => clock.now();
  const storage = checked.storage ?? (await openStorage("memory:", { clock }));
  let run: QueueService["run"] = (_type, _queue, work) => work();
  const install = (plan: QueueFaultPlan): QueueFaultLog => {
    const planned = plannedFaults(plan);
    run = (type, queue, work) => planned.run({ type, queue }, !isQueueRead(type), work);
    return planned.log;
  };
  if (checked.faults !== undefined) install(checked.faults);
  const service: QueueService = {
    // One partition a queue: messages come in the order of their times, as the service's mostly do, and one server gains
    // nothing by more of them.
    queues: checked.queues ?? tableQueues(storage, { clock, shards: 1 }),
    metadata: await QueueMetadata.read(storage),
    settings: await ServiceSettings.read(storage, queueSettings, now),
    changes: new Turns(1),
    run: (type, queue, work) => run(type, queue, work),
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
  const server: QueueServer = {
    service: "queue",
    url,
    port,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=${schemeOf(tls)};AccountName=${account};AccountKey=${key};QueueEndpoint=${url};`,
    close,
    [Symbol.asyncDispose]: close,
  };
  takePlansFor(server, install);
  return server;
}

const queueSettings = {
  properties: "queue-properties",
  policies: "queue-policies",
  permissions: "raup",
} as const;
