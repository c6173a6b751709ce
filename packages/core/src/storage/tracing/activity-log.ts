import { tracingChannel, type TracingChannelSubscribers } from "node:diagnostics_channel";
import { accepted, aFunction } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { describeActivity, type Fields } from "./describe-activity.ts";

/** The activities that can be logged: the tracing channels, by their names after `partita:`. */
export type LoggedActivity = (typeof activities)[number];

const activities = ["query", "request", "save", "queue", "task", "step"] as const;

/** The activities that a slow log contains by default; long tasks and steps are normal. */
const quick: readonly LoggedActivity[] = ["query", "request", "save"];

/** The contents and target of a log. */
export interface ActivityLogOptions {
  /** The activities to log; all by default, with `slowMs` queries, requests and saves. */
  readonly only?: readonly LoggedActivity[] | undefined;
  /**
   * Logs activities that took at least this many milliseconds; 0 by default. For a query, only the time of reading
   * counts.
   */
  readonly slowMs?: number | undefined;
  /** Takes each line, without its end; by default lines go to the standard error. Its exceptions are not caught. */
  readonly write?: ((line: string) => void) | undefined;
}

const checkOptions: CheckOptions = defineOptions<ActivityLogOptions>(
  "logActivity(options)",
  {
    only: accepted(
      `a list of ${activities.join(", ")}`,
      (value) => Array.isArray(value) && value.length > 0 && value.every((each) => activities.includes(each)),
    ),
    slowMs: accepted("milliseconds, 0 or more", (ms) => typeof ms === "number" && ms >= 0),
    write: aFunction,
  },
  "log.option",
);

/** Logs until it is disposed of. @throws OptionError `log.option` */
export function logActivity(options: ActivityLogOptions): Disposable {
  checkOptions(options);
  const { slowMs = 0, write = toStandardError } = options;
  const only = options.only ?? (options.slowMs === undefined ? activities : quick);
  const logs = [...new Set(only)].map((name) => {
    const channel = tracingChannel<object, object>(`partita:${name}`);
    const subscribers = loggerOf(name, slowMs, write);
    channel.subscribe(subscribers);
    return () => channel.unsubscribe(subscribers);
  });
  return {
    [Symbol.dispose]() {
      for (const stop of logs.splice(0)) stop();
    },
  };
}

const nothing = (): undefined => undefined;

function loggerOf(
  name: LoggedActivity,
  slowMs: number,
  write: (line: string) => void,
): TracingChannelSubscribers<object> {
  const begun = new Map<object, number>();
  return {
    start: (event) => void begun.set(event, performance.now()),
    end: nothing,
    asyncStart: nothing,
    error: nothing,
    asyncEnd(event) {
      const from = begun.get(event);
      begun.delete(event);
      // Activities that started before the log did.
      if (from === undefined) return;
      const fields = event as Fields;
      const ms = (fields["readMs"] as number | undefined) ?? performance.now() - from;
      if (ms >= slowMs) write(`partita:${name} ${ms.toFixed(1)} ms ${describeActivity(name, fields)}`);
    },
  };
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

interface AskedLog {
  /** `PARTITA_DEBUG`: names, `*` for any letters, `-` before names to leave out. */
  readonly debug: string | undefined;
  /** `PARTITA_SLOW_MS`. */
  readonly slowMs: string | undefined;
}

/** Starts the log of a process; invalid settings are reported there, since no caller could handle an error. */
export function logByEnvironment({ debug, slowMs: slowText }: AskedLog): Disposable | undefined {
  const only = debug === undefined ? undefined : namedBy(debug);
  const slowMs = slowText === undefined ? undefined : Number(slowText);
  if (slowMs !== undefined && !(slowMs >= 0))
    return complain(`PARTITA_SLOW_MS takes milliseconds, such as 200, but is ${JSON.stringify(slowText)}.`);
  if (only?.length === 0)
    return complain(
      `PARTITA_DEBUG=${debug} names nothing. It takes a list of ${activities.join(", ")}, or * for all.`,
    );
  return logActivity({ only, slowMs });
}

function complain(problem: string): undefined {
  toStandardError(`partita: ${problem}`);
}

/** `query,request`, `*,-queue`, or `1` and `true` for all. */
function namedBy(patterns: string): LoggedActivity[] {
  const all = patterns.split(/[\s,]+/).filter((pattern) => pattern !== "");
  const wanted = all.filter((pattern) => !pattern.startsWith("-"));
  const unwanted = all.filter((pattern) => pattern.startsWith("-")).map((pattern) => pattern.slice(1));
  return activities.filter(
    (name) =>
      wanted.some((pattern) => matches(name, pattern)) && !unwanted.some((pattern) => matches(name, pattern)),
  );
}

function matches(name: string, pattern: string): boolean {
  if (pattern === "1" || pattern === "true") return true;
  const letters = pattern.replace(/^partita:/, "").replace(/[^\w*]/g, "");
  return new RegExp(`^${letters.replaceAll("*", ".*")}$`).test(name);
}
