/** The frames of whoever called a function; their text is made only when it is read. */
export interface Caller {
  readonly stack?: unknown;
}

/** Frames that are looked at for the caller's line: built-in functions may be in between. */
const maxFrames = 10;

/**
 * Remembers who called a public method, for messages and for errors that are made later, where the stack no longer shows
 * it. The function itself is the mark: names of files and functions mean nothing once a program is bundled.
 *
 * @param method - the name of the object's method, which is on the stack: its frame, and those above it, are left out
 */
export function callerOf<Target extends object>(target: Target, method: keyof Target): Caller {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Math.max(stackTraceLimit, maxFrames);
  const caller: Caller = {};
  Error.captureStackTrace(caller, target[method] as () => void);
  Error.stackTraceLimit = stackTraceLimit;
  return caller;
}

/**
 * Whether `callerOf` shows in the `catch` of an asynchronous method who waits for it, so that it is only called after a failure.
 * In Bun, only the beginning of the method shows its caller.
 */
export const showsWaiting: boolean = !("bun" in process.versions);

/**
 * The caller's file, line and column. Names of functions are left out: of one function, they differ from call to call
 * where source maps give them. Built-in functions, such as Array.map, have no line, and those of Node are nobody's.
 */
export function placeOf(caller: Caller): string {
  const lines = String(caller.stack).split("\n");
  const line = lines.find((each) => /:\d+:\d+\)?$/.test(each) && !each.includes("node:"));
  if (line === undefined) return "an unknown place";
  return /\(([^()]+)\)$/.exec(line)?.[1] ?? line.trim().replace(/^at (async )?/, "");
}

/** Puts the caller's frames in the place of an error's own, which only show what a queue of saves runs. */
export function addCaller(error: Error, { stack }: Caller): void {
  const text = String(stack);
  const frames = text.slice(text.indexOf("\n") + 1);
  if (!frames.trimStart().startsWith("at ")) return;
  error.stack = `${error.name}: ${error.message}\n${frames}`;
}
