import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "./clocks.ts";
import type { Ratio } from "./statistics.ts";

/** The target of a contender, and the goal that it should reach later, in the same terms. */
export type Target =
  /** To cost at most so many times what the baseline does, or another contender. */
  | { readonly atMost: number; readonly of?: string; readonly goal?: number }
  /** That a peer costs at least so many times as much. */
  | { readonly peer: string; readonly atLeast: number; readonly goal?: number }
  /** To cost at most so much, in the row's unit. */
  | { readonly most: number; readonly goal?: number };

/** What one contender of a row cost. */
export interface ReportedContender {
  readonly name: string;
  readonly role: "baseline" | "ours" | "peer";
  /** In the row's unit: the median of the rounds, and their lower quartile. */
  readonly median: number;
  readonly low: number;
  /** Beside the baseline; absent where there is none. */
  readonly ratio?: Ratio;
  readonly target?: Target;
  /** For `target.of`: the cost beside that contender. For `target.peer`: what the peer costs beside this one. */
  readonly targetRatio?: Ratio;
}

/** One measurement. */
export interface ReportedRow {
  readonly benchmark: string;
  readonly name: string;
  readonly title: string;
  readonly unit: "ns" | "bytes";
  readonly clock?: Clock;
  readonly contenders: readonly ReportedContender[];
}

/** What work on one entity costs, as their number grows. */
export interface ReportedGrowth {
  readonly benchmark: string;
  readonly work: string;
  readonly points: readonly GrowthPoint[];
  /** How often the cost of the fewest entities the cost of the most may be; absent for work that looks at all of them. */
  readonly atMost?: number;
}

export interface GrowthPoint {
  readonly entities: number;
  readonly nsEach: number;
}

/** A line of the file that `pnpm bench` gathers from its processes. */
export type ReportedLine = { readonly row: ReportedRow } | { readonly growth: ReportedGrowth };

/** The benchmark that this process runs. */
export const benchmarkName = (): string => basename(process.argv[1] ?? "").replace(".bench.ts", "");

/** Keeps a measurement for `pnpm bench --json` and `--check`. */
export function report(line: ReportedLine): void {
  const file = process.env["PARTITA_BENCH_LINES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
