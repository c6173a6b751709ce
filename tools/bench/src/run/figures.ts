import { labelOf } from "../label-of.ts";
import { amount } from "../print-row.ts";
import type { ReportedGrowth, ReportedLine, ReportedRow } from "../report.ts";

/** A figure may miss its target by this share before `--check` fails, because machines are busy. */
const tolerance = 0.15;

/** A measured figure, and its target. */
export interface Figure {
  /** The row, with the contender if several of its contenders have a target. */
  readonly name: string;
  /** The meaning of the figure, such as "× the baseline". */
  readonly meaning: string;
  readonly found: string;
  readonly target: string;
  readonly goal: string | undefined;
  readonly holds: boolean;
  /** Misses the target by more than the tolerance. */
  readonly fallsShort: boolean;
}

/** Every figure with a target. */
export const figuresOf = (lines: readonly ReportedLine[]): Figure[] =>
  lines.flatMap((line) => ("row" in line ? figuresOfRow(line.row) : figuresOfGrowth(line.growth)));

/**
 * A ratio counts as the better of its two figures, because other programs may distort one of them, but rarely
 * both.
 */
function figuresOfRow(row: ReportedRow): Figure[] {
  return row.contenders.flatMap((contender) => {
    const { target, ratio: toBaseline, targetRatio, median, low } = contender;
    if (target === undefined) return [];
    const name = labelOf(row, contender.name);
    if ("atMost" in target) {
      const base =
        target.of ?? row.contenders.find(({ role }) => role === "baseline")?.name ?? "the baseline";
      const ratio = target.of === undefined ? toBaseline : targetRatio;
      return [atMost(name, `× ${base}`, least(ratio?.median, ratio?.low), target.atMost, target.goal)];
    }
    if ("most" in target) {
      const show = (value: number): string => amount(value, row.unit);
      return [atMost(name, "", least(median, low), target.most, target.goal, show)];
    }
    const found = Math.max(targetRatio?.median ?? Number.NaN, targetRatio?.low ?? Number.NaN);
    return [
      {
        name,
        meaning: `${target.peer}, × ours`,
        found: twoDigits(found),
        target: `at least ${twoDigits(target.atLeast)}`,
        goal: target.goal === undefined ? undefined : twoDigits(target.goal),
        holds: found >= target.atLeast,
        fallsShort: !(found >= target.atLeast / (1 + tolerance)),
      },
    ];
  });
}

function figuresOfGrowth({ work, points, atMost: limit }: ReportedGrowth): Figure[] {
  const [first, last] = [points[0]?.nsEach, points.at(-1)?.nsEach];
  if (limit === undefined) return [];
  const found = (last ?? Number.NaN) / (first ?? Number.NaN);
  return [atMost(`growth: ${work}`, "the most entities, × the fewest", found, limit)];
}

function atMost(
  name: string,
  meaning: string,
  found: number,
  limit: number,
  goal?: number,
  show: (value: number) => string = twoDigits,
): Figure {
  return {
    name,
    meaning,
    found: show(found),
    target: `at most ${show(limit)}`,
    goal: goal === undefined ? undefined : show(goal),
    holds: found <= limit,
    // A missing figure also fails.
    fallsShort: !(found <= limit * (1 + tolerance)),
  };
}

const least = (median: number | undefined, low: number | undefined): number =>
  Math.min(median ?? Number.NaN, low ?? Number.NaN);

const twoDigits = (value: number): string => value.toFixed(2);

/** A figure as one line of text. */
export const describeFigure = ({ name, meaning, found, target, goal, holds }: Figure): string =>
  `${found.padStart(9)}  target ${target.padEnd(14)} ${(goal === undefined ? "" : `goal ${goal}`).padEnd(10)} ${holds ? "holds" : "SHORT"}  ${name}${meaning === "" ? "" : ` (${meaning})`}`;
