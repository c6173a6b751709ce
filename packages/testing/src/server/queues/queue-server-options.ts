import { aFunction, type CheckOptions, defineOptions } from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import type { QueueFaultPlan } from "../../faults/faulty-queues.ts";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../server-options.ts";

/** What a queue server serves, and where. */
export interface QueueServerOptions extends ServerOptions {
  /**
   * The queues, which stay open when it closes; `tableQueues(storage)` when absent. They carry texts as they are: open
   * those of a service with `messageEncoding: "text"`.
   */
  readonly queues?: QueueStorage | undefined;
  /** Lets requests fail over their sockets; `withFaults(server, plan)` does it later. */
  readonly faults?: QueueFaultPlan | undefined;
}

/** Options that were checked, with what absent ones mean. */
export interface CheckedQueueServer extends CheckedServer {
  readonly queues: QueueStorage | undefined;
  readonly faults: QueueFaultPlan | undefined;
}

const call = "startQueueServer";

const checkEach: CheckOptions = defineOptions<QueueServerOptions>(
  `${call}(options)`,
  {
    ...serverChecks,
    queues: {
      takes: "open queues: tableQueues(storage)",
      accepts: (value) => typeof (value as Partial<QueueStorage> | null)?.receive === "function",
    },
    faults: { ...aFunction, takes: "a plan of faults: a function" },
  },
  "server.option",
);

/** @throws OptionError `server.option` */
export function checkQueueServerOptions(options: QueueServerOptions): CheckedQueueServer {
  checkEach(options);
  const { queues, faults } = options;
  return { ...checkServer(call, options), queues, faults };
}
