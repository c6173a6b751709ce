import { labelOf } from "../label-of.ts";
import { amount } from "../print-row.ts";
import type { ReportedGrowth, ReportedLine, ReportedRow } from "../report.ts";

/** A figure may be worse than asked by this share before `--check` fails: machines are busy. */
const tolerance = 0.15;

/** A figure that was measured, beside what is asked. */
export interface Figure {
  /** The row, and the contender where several of the row are asked for something. */
  readonly name: string;
  /** What the figure says, such as "× the floor". */
  readonly meaning: string;
  readonly found: string;
  readonly asked: string;
  readonly goal: string | undefined;
  readonly holds: boolean;
  /** Worse than asked by more than the tolerance. */
  readonly fallsShort: boolean;
}

/** Every figure that something is asked of. */
export const figuresOf = (lines: readonly ReportedLine[]): Figure[] =>
  lines.flatMap((line) => ("row" in line ? figuresOfRow(line.row) : figuresOfGrowth(line.growth)));

/** A ratio counts as the better of its two figures: other programs may spoil one of them, and rarely both. */
function figuresOfRow(row: ReportedRow): Figure[] {
  return row.contenders.flatMap((contender) => {
    const { asked, ratio: toFloor, askedRatio, median, low } = contender;
    if (asked === undefined) return [];
    const name = labelOf(row, contender.name);
    if ("atMost" in asked) {
      const base = asked.of ?? row.contenders.find(({ role }) => role === "floor")?.name ?? "the floor";
      const ratio = asked.of === undefined ? toFloor : askedRatio;
      return [atMost(name, `× ${base}`, least(ratio?.median, ratio?.low), asked.atMost, asked.goal)];
    }
    if ("most" in asked) {
      const show = (value: number): string => amount(value, row.unit);
      return [atMost(name, "", least(median, low), asked.most, asked.goal, show)];
    }
    const found = Math.max(askedRatio?.median ?? Number.NaN, askedRatio?.low ?? Number.NaN);
    return [
      {
        name,
        meaning: `${asked.peer}, × ours`,
        found: twoDigits(found),
        asked: `at least ${twoDigits(asked.atLeast)}`,
        goal: asked.goal === undefined ? undefined : twoDigits(asked.goal),
        holds: found >= asked.atLeast,
        fallsShort: !(found >= asked.atLeast / (1 + tolerance)),
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
    asked: `at most ${show(limit)}`,
    goal: goal === undefined ? undefined : show(goal),
    holds: found <= limit,
    // A figure that is not there falls short, too.
    fallsShort: !(found <= limit * (1 + tolerance)),
  };
}

const least = (median: number | undefined, low: number | undefined): number =>
  Math.min(median ?? Number.NaN, low ?? Number.NaN);

const twoDigits = (value: number): string => value.toFixed(2);

/** A figure as one line for people. */
export const describeFigure = ({ name, meaning, found, asked, goal, holds }: Figure): string =>
  `${found.padStart(9)}  asked ${asked.padEnd(14)} ${(goal === undefined ? "" : `goal ${goal}`).padEnd(10)} ${holds ? "holds" : "SHORT"}  ${name}${meaning === "" ? "" : ` (${meaning})`}`;
