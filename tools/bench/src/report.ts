import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "./clocks.ts";
import type { Ratio } from "./statistics.ts";

/** The target of a contender, and a later goal in the same terms. */
export type Target =
  /** Maximum ratio to the cost of the baseline, or of another contender. */
  | { readonly atMost: number; readonly of?: string; readonly goal?: number }
  /** Minimum ratio of a peer's cost to ours. */
  | { readonly peer: string; readonly atLeast: number; readonly goal?: number }
  /** Maximum cost in the row's unit. */
  | { readonly most: number; readonly goal?: number };

/** The cost of one contender of a row. */
export interface ReportedContender {
  readonly name: string;
  readonly role: "baseline" | "ours" | "peer";
  /** In the row's unit: the median of the rounds, and their lower quartile. */
  readonly median: number;
  readonly low: number;
  /** Compared with the baseline. Absent if there is none. */
  readonly ratio?: Ratio;
  readonly target?: Target;
  /**
   * For `target.of`: the cost compared with that contender. For `target.peer`: the peer's cost compared with
   * this one.
   */
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

/** The cost of work on one entity, as the number of entities grows. */
export interface ReportedGrowth {
  readonly benchmark: string;
  readonly work: string;
  readonly points: readonly GrowthPoint[];
  /**
   * Maximum ratio of the cost with the most entities to the cost with the fewest. Absent for work that visits
   * all of them.
   */
  readonly atMost?: number;
}

export interface GrowthPoint {
  readonly entities: number;
  readonly nsEach: number;
}

/** A line of the file that `pnpm bench` collects from its processes. */
export type ReportedLine = { readonly row: ReportedRow } | { readonly growth: ReportedGrowth };

/** The benchmark that this process runs. */
export const benchmarkName = (): string => basename(process.argv[1] ?? "").replace(".bench.ts", "");

/** Records a measurement for `pnpm bench --json` and `--check`. */
export function report(line: ReportedLine): void {
  const file = process.env["PARTITA_BENCH_LINES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
