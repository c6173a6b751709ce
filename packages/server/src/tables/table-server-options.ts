import { type CheckOptions, defineOptions, trueOrFalse, wholeNumber } from "@partita/core/internal";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../http/server-options.ts";

/** What a table server serves, and where. */
export interface TableServerOptions extends ServerOptions {
  /** Entities of a page at most: 1 to 1000, which is the default. */
  readonly pageSize?: number | undefined;
  /** Sends an empty page with a continuation before each page of a query, as the service may; default false. */
  readonly emptyPages?: boolean | undefined;
  /**
   * Entities that each partition returns and takes in a second at most, as a service has its limits: what is beyond them is
   * answered with 503 `ServerBusy`. A tenth of a second's entities may come at once. No limit when absent.
   */
  readonly throttle?: number | undefined;
}

/** Options that were checked, with what absent ones mean. */
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
