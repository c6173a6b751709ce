import { type Check, type CheckOptions, defineOptions, wholeNumber } from "@partita/core/internal";
import { checkServer, type CheckedServer, serverChecks, type ServerOptions } from "../http/server-options.ts";

/** Where a server of page blobs listens, and how much it answers. */
export interface PageBlobServerOptions extends Omit<ServerOptions, "storage"> {
  /**
   * Ranges of one answer at most: a call that finds more is answered with 500 `OperationTimedOut`, as the service answers
   * one that takes too long. No limit when absent.
   */
  readonly maxRangesPerResponse?: number | undefined;
}

/** Options that were checked, with what absent ones mean. */
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
