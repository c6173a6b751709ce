import { type CheckOptions, defineOptions } from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../http/server-options.ts";

/** What a queue server serves, and where. */
export interface QueueServerOptions extends ServerOptions {
  /**
   * The queues, which stay open when it closes; `tableQueues(storage)` when absent. They carry texts as they are: open
   * those of a service with `messageEncoding: "text"`.
   */
  readonly queues?: QueueStorage | undefined;
}

/** Options that were checked, with what absent ones mean. */
export interface CheckedQueueServer extends CheckedServer {
  readonly queues: QueueStorage | undefined;
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
  },
  "server.option",
);

/** @throws OptionError `server.option` */
export function checkQueueServerOptions(options: QueueServerOptions): CheckedQueueServer {
  checkEach(options);
  return { ...checkServer(call, options), queues: options.queues };
}
