import { type CheckOptions, defineOptions, trueOrFalse, wholeNumber } from "@partita/core/internal";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../http/server-options.ts";

/** Options of a table server. */
export interface TableServerOptions extends ServerOptions {
  /** Maximum number of entities per page, 1 to 1000; default 1000. */
  readonly pageSize?: number | undefined;
  /** Sends an empty page with a continuation before each page of a query, as the service may do; default false. */
  readonly emptyPages?: boolean | undefined;
  /**
   * Maximum number of entities that each partition returns and accepts per second, 1 or more. Like the service, the server
   * responds to requests beyond this limit with 503 `ServerBusy`. Bursts of a tenth of a second's entities are allowed.
   * No limit when absent. Each server counts for itself, so several servers over one storage allow a multiple of it.
   */
  readonly throttle?: number | undefined;
}

/** Checked options, with defaults. */
export interface CheckedOptions extends CheckedServer {
  readonly pageSize: number;
  readonly emptyPages: boolean;
  readonly throttle: number | undefined;
}

const call = "startTableServer";

const checkEach: CheckOptions = defineOptions<TableServerOptions>(
  `${call}(options)`,
  {
    ...serverChecks,
    pageSize: wholeNumber(1, 1000),
    emptyPages: trueOrFalse,
    throttle: wholeNumber(1),
  },
  "server.option",
);

/** @throws OptionError `server.option` */
export function checkTableServerOptions(options: TableServerOptions): CheckedOptions {
  checkEach(options);
  const { throttle, emptyPages = false, pageSize = 1000 } = options;
  return { ...checkServer(call, options), pageSize, emptyPages, throttle };
}
