import { type Clock, describeClock } from "./clocks.ts";
import { printRow } from "./print-row.ts";
import { benchmarkName, report, type ReportedContender, type ReportedRow, type Target } from "./report.ts";
import { median, quantile, type Ratio, ratioOf } from "./statistics.ts";

/** The cost of one contender in the row's unit: one sample for each round. */
export interface MeasuredContender {
  readonly name: string;
  readonly role: ReportedContender["role"];
  readonly samples: readonly number[];
  readonly target?: Target | undefined;
}

export interface MeasuredRow {
  /** The name of the row in reports. Defaults to the benchmark's name. */
  readonly name?: string;
  readonly title: string;
  readonly unit?: ReportedRow["unit"];
  readonly clock?: Clock;
  /** The measure in words. Defaults to the clock's words. */
  readonly counted?: string;
  readonly contenders: readonly MeasuredContender[];
}

/**
 * Prints a measurement and records it for `--json` and `--check`: medians, the median of the rounds' ratios
 * to the baseline, and the ratio of the lower quartiles. Every benchmark reports with this function.
 */
export function reportRow(measured: MeasuredRow): void {
  const { name = benchmarkName(), title, unit = "ns", clock, contenders } = measured;
  const row: ReportedRow = {
    benchmark: benchmarkName(),
    name,
    title,
    unit,
    ...(clock !== undefined && { clock }),
    contenders: contenders.map((contender) => summarised(contender, contenders)),
  };
  printRow(row, measured.counted ?? describeClock(clock ?? "wall"));
  report({ row });
}

function summarised(
  { name, role, samples, target }: MeasuredContender,
  all: readonly MeasuredContender[],
): ReportedContender {
  const baseline = all.find((each) => each.role === "baseline");
  const ratio = baseline === undefined ? undefined : ratioOf(samples, baseline.samples);
  const targetRatio = target === undefined ? undefined : targetRatioOf(target, samples, all);
  return {
    name,
    role,
    median: median(samples),
    low: quantile(samples, 0.25),
    ...(ratio !== undefined && { ratio }),
    ...(target !== undefined && { target }),
    ...(targetRatio !== undefined && { targetRatio }),
  };
}

function targetRatioOf(
  target: Target,
  own: readonly number[],
  all: readonly MeasuredContender[],
): Ratio | undefined {
  if ("peer" in target) return ratioOf(samplesOf(target.peer, all), own);
  return "of" in target && target.of !== undefined ? ratioOf(own, samplesOf(target.of, all)) : undefined;
}

function samplesOf(name: string, all: readonly MeasuredContender[]): readonly number[] {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} is to be compared with, and is no contender of the row.`);
  return found.samples;
}
