import { framesOf, isOfProgram, startAtProgram, type Traced } from "./program-frames.ts";
import { TableError } from "./table-error.ts";

/** Number of frames that are searched for the caller's line, since built-in functions may be in between. */
const maxFrames = 10;

/**
 * Remembers the caller of a public method, for messages and for later errors: their own stack no longer shows it. The
 * method's function object marks the frame: names of files and functions are unreliable once a program is bundled.
 *
 * @param method - the name of the object's method, which is on the stack: its frame, and those above it, are left out
 */
export const callerOf = <Target extends object>(target: Target, method: keyof Target): Traced =>
  framesOf(target[method] as () => void, maxFrames);

/**
 * Whether `callerOf` in the `catch` of an asynchronous method shows the code that waits for it; if it does, it is only
 * called after a failure. In Bun, only the start of the method shows its caller.
 */
export const showsWaiting: boolean = typeof process !== "object" || !("bun" in process.versions);

/**
 * The caller's file, line and column. Function names are left out: with source maps, the name of the same function
 * differs from call to call. Built-in functions, such as Array.map, have no line, and frames of Node are skipped.
 */
export function placeOf(caller: Traced): string {
  const line = String(caller.stack).split("\n").find(isOfProgram);
  if (line === undefined) return "an unknown place";
  return /\(([^()]+)\)$/.exec(line)?.[1] ?? line.trim().replace(/^at (async )?/, "");
}

/** Replaces an error's own stack frames, which only show the queue of saves, by the caller's. */
export function addCaller(error: Error, caller: Traced): void {
  if (/\n\s+at /.test(String(caller.stack))) startAtProgram(error, caller);
}

/** In the `catch` of an asynchronous method: adds the code that waits for it to an error without a frame of the program. */
export function addWaiting(error: unknown): unknown {
  if (TableError.is(error) && !String(error.stack).split("\n").some(isOfProgram))
    startAtProgram(error, framesOf());
  return error;
}
