/** The frames of a moment; their text is only made when it is read. */
export interface Traced {
  readonly stack?: unknown;
}

/**
 * Whether a line of a stack is a frame of the program: its file is not of Node, undici or Partita, unless a bundler put
 * Partita's files into the program's own.
 */
export const isOfProgram = (line: string): boolean =>
  /:\d+:\d+\)?$/.test(line) && !/node:|\/node_modules\/(?:@partita|undici)\//.test(line);

/**
 * Lets the stack of an error start at the line of the program that called Partita, if there is one. The text is made
 * when it is read.
 */
export function startAtProgram(error: Error, traced: Traced): void {
  const { stackTraceLimit } = Error;
  Object.defineProperty(error, "stack", {
    get() {
      const frames = String(traced.stack).split("\n").slice(1);
      const first = Math.max(0, frames.findIndex(isOfProgram));
      return [`${error.name}: ${error.message}`, ...frames.slice(first, first + stackTraceLimit)].join("\n");
    },
    set(value) {
      Object.defineProperty(error, "stack", { value, writable: true });
    },
    configurable: true,
  });
}

/**
 * The frames of this moment.
 *
 * @param without - a function on the stack: its frame, and those of calls in it, are left out
 * @param atLeast - how many frames to record; 50 are enough to find the program's line after the frames of a store
 */
export function framesOf(without?: Function, atLeast = 50): Traced {
  const { stackTraceLimit } = Error;
  const traced: Traced = {};
  Error.stackTraceLimit = Math.max(stackTraceLimit, atLeast);
  Error.captureStackTrace(traced, without);
  Error.stackTraceLimit = stackTraceLimit;
  return traced;
}
