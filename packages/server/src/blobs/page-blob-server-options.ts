import { type Check, type CheckOptions, defineOptions, wholeNumber } from "@partita/core/internal";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../http/server-options.ts";

/** Options of a page blob server. */
export interface PageBlobServerOptions extends Omit<ServerOptions, "storage"> {
  /**
   * Maximum number of ranges in one response. If a call finds more, the server responds with 500 `OperationTimedOut`,
   * as the service does if a call takes too long. No limit when absent.
   */
  readonly maxRangesPerResponse?: number | undefined;
}

/** Checked options, with defaults. */
export interface CheckedPageBlobServer extends CheckedServer {
  readonly maxRangesPerResponse: number;
}

const call = "startPageBlobServer";

const { storage: _ofTables, ...ofServers } = serverChecks;

const maxRangesPerResponse: Check<number> = wholeNumber(1);

const checkEach: CheckOptions = defineOptions<PageBlobServerOptions>(
  `${call}(options)`,
  { ...ofServers, maxRangesPerResponse },
  "server.option",
);

/** @throws OptionError `server.option` */
export function checkPageBlobServerOptions(options: PageBlobServerOptions): CheckedPageBlobServer {
  checkEach(options);
  const { maxRangesPerResponse: most = Number.POSITIVE_INFINITY } = options;
  return { ...checkServer(call, options), maxRangesPerResponse: most };
}
