// Fake timers may replace the globals, but connections run in real time.
import { clearTimeout, setTimeout } from "node:timers";
import { type Clock, systemClock } from "../../../storage/clock.ts";

/** Calls back after a number of milliseconds of a clock. @returns a function that stops the timer */
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
