// What replaces the global timers has its own time, and connections have that of the machine.
import { clearTimeout, setTimeout } from "node:timers";
import { type Clock, systemClock } from "../../../storage/clock.ts";

/** Calls back after some milliseconds of a clock. @returns a function that ends the wait */
export function startTimer(clock: Clock, ms: number, onEnd: () => void): () => void {
  if (clock === systemClock) {
    const timer = setTimeout(onEnd, ms);
    return () => clearTimeout(timer);
  }
  const over = new AbortController();
  void clock.wait(ms, over.signal).then(() => {
    if (!over.signal.aborted) onEnd();
  });
  return () => over.abort();
}
