import type { Asked, ReportedContender, ReportedGrowth, ReportedLine, ReportedRow } from "../report.ts";

/** A figure may be worse than asked by this share: machines are busy. */
const tolerance = 0.15;

/** How many figures are asked, and a sentence for each that falls short. */
export interface Judgement {
  readonly asked: number;
  readonly shortfalls: readonly string[];
}

/**
 * What is worse than asked by more than the tolerance. A ratio counts as the better of its two figures: other programs
 * may spoil the median of the rounds or the lower quartiles, and rarely both.
 */
export function shortfallsOf(lines: readonly ReportedLine[]): Judgement {
  const judged = lines.flatMap((line) => ("row" in line ? judgeRow(line.row) : [judgeGrowth(line.growth)]));
  return { asked: judged.length, shortfalls: judged.filter((shortfall) => shortfall !== undefined) };
}

function judgeRow({ benchmark, name, contenders }: ReportedRow): (string | undefined)[] {
  const place = name === benchmark ? name : `${benchmark}, ${name}`;
  return contenders.flatMap((contender) => {
    if (contender.asked === undefined) return [];
    const problem = problemOf(contender, contender.asked);
    return [problem === undefined ? undefined : `${place}: ${contender.name} ${problem}`];
  });
}

function problemOf({ ratio, peerRatio, median, low }: ReportedContender, asked: Asked): string | undefined {
  if ("atMost" in asked) {
    const found = Math.min(ratio?.median ?? Number.NaN, ratio?.low ?? Number.NaN);
    if (found <= asked.atMost * (1 + tolerance)) return undefined;
    return `costs ${found.toFixed(2)} times the floor; asked are ${asked.atMost} at most`;
  }
  if ("atLeast" in asked) {
    const found = Math.max(peerRatio?.median ?? Number.NaN, peerRatio?.low ?? Number.NaN);
    if (found >= asked.atLeast / (1 + tolerance)) return undefined;
    return `leaves ${asked.peer} at ${found.toFixed(2)} times its cost; asked are ${asked.atLeast.toFixed(2)} at least`;
  }
  const found = Math.min(median, low);
  if (found <= asked.most * (1 + tolerance)) return undefined;
  return `takes ${found.toFixed(0)}; asked are ${asked.most} at most`;
}

function judgeGrowth({ work, points, atMost }: ReportedGrowth): string | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `growth, ${work}: nothing was measured`;
  const found = last.nsEach / first.nsEach;
  if (found <= atMost * (1 + tolerance)) return undefined;
  const [few, many] = [first.entities, last.entities].map((count) => count.toLocaleString("en"));
  return `growth, ${work}: of ${many} entities each costs ${found.toFixed(2)} times what it does of ${few}; asked are ${atMost} at most`;
}
