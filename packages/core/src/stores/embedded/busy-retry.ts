import { setTimeout as delay } from "node:timers/promises";
import { isBusy } from "./sqlite-errors.ts";

/**
 * Runs `attempt` until no other process holds the lock it needs, with random pauses of up to 20 ms. The event loop
 * stays free, which SQLite's own busy timeout would block.
 *
 * @param timeoutMs - how long to try; the last busy error is thrown after it
 */
export async function retryWhileBusy<Result>(attempt: () => Result, timeoutMs: number): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(1 + Math.random() * 19);
  }
}
