/** Where a public method was called from; the text is made only when it is asked for. */
export interface Caller {
  readonly stack?: string;
}

/**
 * Remembers the frames of whoever called a public method, for errors that are made later, where the stack no longer
 * tells it.
 *
 * @param method - the name of the object's public method: its frame, and those above it, are left out
 */
export function callerOf<Target extends object>(target: Target, method: keyof Target): Caller {
  const caller: Caller = {};
  Error.captureStackTrace(caller, target[method] as () => void);
  return caller;
}

/** Puts the caller's frames in the place of an error's own, which only show what a queue of saves runs. */
export function addCaller(error: Error, { stack }: Caller): void {
  const frames = stack?.slice(stack.indexOf("\n") + 1) ?? "";
  if (!frames.trimStart().startsWith("at ")) return;
  error.stack = `${error.name}: ${error.message}\n${frames}`;
}
