import type { ActivityLogOptions } from "./activity-log.ts";
import { variable } from "../../values/options/variable.ts";

/**
 * Prints requests, queries, saves and the other events of the tracing channels, one line each, without values or keys.
 * The environment variables `PARTITA_DEBUG` and `PARTITA_SLOW_MS` start such a log when the first storage is opened.
 *
 * @returns an object that ends the log when it is disposed
 * @throws OptionError `log.option`
 *
 * @example
 * ```ts
 * using log = await logActivity({ slowMs: 200, write: (line) => console.log(line) });
 * ```
 */
export async function logActivity(options: ActivityLogOptions = {}): Promise<Disposable> {
  const log = await import("./activity-log.ts");
  return log.logActivity(options);
}

let isAsked = false;

/** Starts the log that the environment variables request, once per process. */
export async function logAsEnvironmentSays(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  const [debug, slowMs] = [variable("PARTITA_DEBUG"), variable("PARTITA_SLOW_MS")];
  if (debug === undefined && slowMs === undefined) return;
  const log = await import("./activity-log.ts");
  log.logByEnvironment({ debug, slowMs });
}
