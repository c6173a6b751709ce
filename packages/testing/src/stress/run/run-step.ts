import { monotonicTime } from "@partita/core/internal";
import type { Clock } from "@partita/core/storage";
import { type WorkRecord, workDue } from "./work-record.ts";

/** The work of a step. */
export interface OfferedStep {
  /** Calls of the mix per second. */
  readonly callsPerSecond: number;
  readonly seconds: number;
  /** How long responses still count after the step, in milliseconds. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Returns the next load. */
  readonly nextLoad: () => number;
  /** Starts a call; it must not wait for it. */
  readonly begin: (record: WorkRecord, sinceBegin: () => number) => void;
}

/** The shortest delay of a timer. */
const shortestWaitMs = 1;

/**
 * Offers calls at an even rate (an open loop): each is due at a time that is fixed before the first one starts, even if
 * earlier ones are not done, and starts immediately if this machine is late. So a slow partition does not reduce the
 * offered work, and no latency is left out.
 *
 * @returns a record for each due call, once the step and the time for late responses are over
 * @throws the signal's reason
 */
export async function runStep(step: OfferedStep): Promise<readonly WorkRecord[]> {
  const { callsPerSecond, seconds, graceMs, clock, signal, nextLoad, begin } = step;
  const begunAt = monotonicTime(clock);
  const sinceBegin = (): number => monotonicTime(clock) - begunAt;
  const records: WorkRecord[] = [];
  const waitUntil = async (ms: number): Promise<void> => {
    await clock.wait(Math.max(shortestWaitMs, ms - sinceBegin()), signal);
    signal?.throwIfAborted();
  };
  for (const dueMs of dueTimes(callsPerSecond, seconds)) {
    while (sinceBegin() < dueMs) await waitUntil(dueMs);
    const record = workDue(nextLoad(), dueMs);
    records.push(record);
    begin(record, sinceBegin);
    // Yield to other work, even if the machine is always late.
    if (records.length % 64 === 0) await waitUntil(0);
  }
  const endMs = seconds * 1000 + graceMs;
  while (sinceBegin() < endMs) await waitUntil(endMs);
  return records;
}

/**
 * The times of calls in milliseconds since the start of the step: at equal distances, with half a distance at both
 * ends.
 */
export function* dueTimes(callsPerSecond: number, seconds: number): Iterable<number> {
  const count = Math.max(1, Math.round(callsPerSecond * seconds));
  const distanceMs = (seconds * 1000) / count;
  for (let i = 0; i < count; i++) yield (i + 0.5) * distanceMs;
}
