import { type CheckOptions, defineOptions } from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../http/server-options.ts";

/** Options of a queue server. */
export interface QueueServerOptions extends ServerOptions {
  /**
   * The queues, which stay open when the server closes; `tableQueues(storage)` when absent. Texts are passed through
   * unchanged, so open a service's queues with `messageEncoding: "text"`.
   */
  readonly queues?: QueueStorage | undefined;
}

/** Checked options, with defaults. */
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
