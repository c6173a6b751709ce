let running = 0;

/** Counts a request that takes real time, such as one to a server, until it has ended. */
export async function counted<Result>(request: () => Promise<Result>): Promise<Result> {
  running++;
  try {
    return await request();
  } finally {
    running--;
  }
}

/**
 * Resolves when the event loop has done its work and no counted request is running: a test that moves a clock calls it
 * first.
 */
export async function untilQuiet(): Promise<void> {
  do for (let i = 0; i < 8; i++) await new Promise((resolve) => setImmediate(resolve));
  while (running > 0);
}
