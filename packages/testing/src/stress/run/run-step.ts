import { monotonicTime } from "@partita/core/internal";
import type { Clock } from "@partita/core/storage";
import { type WorkRecord, workDue } from "./work-record.ts";

/** What is offered in a step, and who does it. */
export interface OfferedStep {
  /** Calls of the mix in a second. */
  readonly callsPerSecond: number;
  readonly seconds: number;
  /** How long after the step answers still count. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The load that is due next. */
  readonly nextLoad: () => number;
  /** Begins a call; it must not wait for it. */
  readonly begin: (record: WorkRecord, sinceBegin: () => number) => void;
}

/** A timer ends no sooner. */
const shortestWaitMs = 1;

/**
 * Offers calls at an even rate: each is due at a time that was fixed before the first one began, whether those before it are
 * done or not (an open loop), and is begun at once when this machine was late. So a partition that slows down does not slow
 * down what it is asked, and no latency is left out.
 *
 * @returns a record for each call that was due, when the step and the time for late answers are over
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
    // Somebody else is to come in, even where the machine is always late.
    if (records.length % 64 === 0) await waitUntil(0);
  }
  const endMs = seconds * 1000 + graceMs;
  while (sinceBegin() < endMs) await waitUntil(endMs);
  return records;
}

/** When calls are due, in milliseconds since the step began: at an even distance, half of it at both ends. */
export function* dueTimes(callsPerSecond: number, seconds: number): Iterable<number> {
  const count = Math.max(1, Math.round(callsPerSecond * seconds));
  const distanceMs = (seconds * 1000) / count;
  for (let i = 0; i < count; i++) yield (i + 0.5) * distanceMs;
}
