import type { StressStep } from "../stress-report.ts";
import type { WorkRecord } from "./work-record.ts";

/** The plan of a step. */
export interface PlannedStep {
  readonly rate: number;
  readonly seconds: number;
  /** How long responses still count after the step, in milliseconds. */
  readonly graceMs: number;
  /** The average entities per call of each load, as known before the step. */
  readonly means: readonly number[];
}

/** The share of the offered rate that a partition must serve to sustain it. */
const sustainedShare = 0.95;
/** The minimum share of the planned rate that must be offered: with less, a step proves nothing. */
const offeredShare = 0.9;

/**
 * Summarizes the records of a step's due calls. A call that did not start or did not finish its work counts as offered,
 * with the average of its load.
 */
export function summarizeStep(records: readonly WorkRecord[], planned: PlannedStep): StressStep {
  const { rate, seconds, graceMs } = planned;
  const means = meansOf(records, planned.means);
  const endMs = seconds * 1000 + graceMs;
  const sum = (of: (record: WorkRecord) => number): number =>
    records.reduce((total, record) => total + of(record), 0);
  const offered =
    sum(({ isDone, entities, load }) => (isDone ? entities : Math.max(entities, means[load] ?? 0))) / seconds;
  const served =
    sum(({ entities, endedMs }) => (endedMs !== undefined && endedMs <= endMs ? entities : 0)) / seconds;
  const latencies = valuesOf(records, ({ isDone, endedMs, dueMs }) =>
    isDone && endedMs !== undefined ? endedMs - dueMs : undefined,
  );
  const delays = valuesOf(records, ({ begunMs, dueMs }) =>
    begunMs === undefined ? undefined : begunMs - dueMs,
  );
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const codes = records.map(({ otherCode }) => otherCode).filter((code) => code !== undefined);
  return {
    rate,
    seconds,
    offered,
    served,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
    due: records.length,
    notSent: records.filter(({ begunMs }) => begunMs === undefined).length,
    busy: sum(({ busy }) => busy),
    failed: sum(({ failed }) => failed),
    otherErrors: sum(({ otherErrors }) => otherErrors),
    otherCodes: [...new Set(codes)].toSorted(),
    elsewhere: sum(({ elsewhere }) => elsewhere),
    lateMs: percentile(delays, 0.99) ?? 0,
    isSustained: served >= sustainedShare * offered && offered >= offeredShare * rate,
  };
}

/** The average entities per call of each load, over completed calls. */
export function meansOf(records: readonly WorkRecord[], before: readonly number[]): readonly number[] {
  return before.map((known, load) => {
    const done = records.filter((record) => record.isDone && record.load === load);
    const entities = done.reduce((total, record) => total + record.entities, 0);
    return done.length === 0 ? known : entities / done.length;
  });
}

const valuesOf = (
  records: readonly WorkRecord[],
  of: (record: WorkRecord) => number | undefined,
): readonly number[] =>
  records
    .map(of)
    .filter((value) => value !== undefined)
    .toSorted((a, b) => a - b);

/** The nearest-rank percentile, which is always a measured value. Undefined for no values. */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
