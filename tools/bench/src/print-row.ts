import type { ReportedContender, ReportedRow, Target } from "./report.ts";

/** Prints one measurement as a table. */
export function printRow({ title, unit, contenders }: ReportedRow, counted: string): void {
  console.log(`\n${title} (${counted})`);
  for (const contender of contenders) {
    const { median, ratio, name } = contender;
    const beside =
      ratio === undefined
        ? ""
        : `  ${times(ratio.median).padStart(8)}  (lower quartiles ${times(ratio.low)})`;
    console.log(`  ${amount(median, unit).padStart(11)}${beside}  ${name}${targetOf(contender, unit)}`);
  }
}

function targetOf({ target, targetRatio }: ReportedContender, unit: ReportedRow["unit"]): string {
  if (target === undefined) return "";
  const found = targetRatio === undefined ? "" : `, found ${times(targetRatio.median)}`;
  return `  [target: ${describeTarget(target, unit)}${found}]`;
}

/** A target in words. */
export function describeTarget(target: Target, unit: ReportedRow["unit"]): string {
  if ("atMost" in target)
    return `at most ${times(target.atMost)}${target.of === undefined ? "" : ` ${target.of}`}`;
  if ("most" in target) return `at most ${amount(target.most, unit)}`;
  return `${target.peer} at least ${times(target.atLeast)}`;
}

const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;

/** A cost in the most readable unit. */
export function amount(value: number, unit: ReportedRow["unit"]): string {
  if (unit === "bytes") return value < 10_000 ? `${value.toFixed(0)} B` : `${(value / 1000).toFixed(1)} kB`;
  if (value < 10_000) return `${value.toFixed(0)} ns`;
  if (value < 1e7) return `${(value / 1000).toFixed(1)} µs`;
  return value < 1e10 ? `${(value / 1e6).toFixed(1)} ms` : `${(value / 1e9).toFixed(1)} s`;
}
