import { type CheckOptions, defineOptions, wholeNumber } from "@partita/core/internal";

/** Options for draining a server. */
export interface DrainOptions {
  /**
   * How long the server still accepts requests while `/health` responds with 503, in milliseconds, 0 to 600,000; default
   * 0. Choose more than your load balancer needs to notice.
   */
  readonly acceptMs?: number | undefined;
  /**
   * How long requests in progress may then take, in milliseconds, 0 to 600,000; default 10,000. After that, the server
   * closes their connections.
   */
  readonly finishMs?: number | undefined;
}

const maxMs = 600_000;

/** @throws OptionError `server.option` */
export const checkDrainOptions: CheckOptions = defineOptions<DrainOptions>(
  "drain(options)",
  { acceptMs: wholeNumber(0, maxMs), finishMs: wholeNumber(0, maxMs) },
  "server.option",
);
