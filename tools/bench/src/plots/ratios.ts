import { barX, gridX, ruleX, text, tickX } from "@observablehq/plot";
import { colours, writePicture } from "./picture.ts";
import type { ReportedContender, ReportedRow } from "../report.ts";
import type { Results } from "../run/results-file.ts";
import { labelOf } from "../label-of.ts";

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly target: number | undefined;
  readonly isMet: boolean;
}

const title = "Cost compared with the baseline";

/** Bars with our costs as ratios to their baselines, and a mark at each target. */
export function drawRatios(file: string, { rows }: Results): void {
  const bars = rows.flatMap((row) =>
    row.contenders.flatMap(({ name, ratio: toBaseline, targetRatio, target }): Bar[] => {
      const ratio = targetRatio ?? toBaseline;
      if (ratio === undefined || target === undefined || !("atMost" in target)) return [];
      const value = Math.min(ratio.median, ratio.low);
      return [{ label: labelOf(row, name), value, target: target.atMost, isMet: value <= target.atMost }];
    }),
  );
  drawBars(file, title, "times the cost of the baseline; the mark is the target", bars, colours.good);
}

/** Bars with the costs of peers as ratios to ours, and a mark at each target. */
export function drawPeers(file: string, { rows }: Results): void {
  const bars = rows.flatMap((row) =>
    row.contenders.filter(({ role }) => role === "peer").map((peer) => barOfPeer(row, peer)),
  );
  const axis = "times the cost of Partita; the mark is the target";
  drawBars(file, "Cost of peers compared with Partita", axis, bars, colours.peer);
}

function barOfPeer(row: ReportedRow, { name, median }: ReportedContender): Bar {
  const ours = row.contenders.filter(({ role }) => role === "ours");
  // Of several ways, the last one with a target is comparable to a peer, because it tracks the entities it
  // reads.
  const same = ours.findLast(({ target }) => target !== undefined) ?? ours.at(-1);
  const target =
    same?.target !== undefined && "peer" in same.target && same.target.peer === name
      ? same.target
      : undefined;
  const value = median / (same?.median ?? Number.NaN);
  const label = `${row.name}: ${name.split(":")[0]}`;
  return { label, value, target: target?.atLeast, isMet: target === undefined || value >= target.atLeast };
}

/** Longer bars and higher targets are drawn here. The figures show the real values. */
const longestBar = 12;

function drawBars(file: string, heading: string, axis: string, all: readonly Bar[], colour: string): void {
  const bars = all.map((bar) => ({
    ...bar,
    length: Math.min(bar.value, longestBar),
    target: bar.target === undefined ? undefined : Math.min(bar.target, longestBar),
  }));
  const longest = Math.max(...bars.map(({ label }) => label.length));
  writePicture(file, heading, {
    width: 820,
    height: 64 + 24 * bars.length,
    marginBottom: 44,
    marginLeft: 12 + 7 * longest,
    marginRight: 50,
    x: {
      label: `${axis} →`,
      labelAnchor: "left",
      labelOffset: 38,
      domain: [0, 1.05 * Math.max(...bars.flatMap(({ length, target }) => [length, target ?? 0]))],
    },
    y: { label: null, domain: bars.map(({ label }) => label), tickSize: 0 },
    marks: [
      gridX({ strokeOpacity: 0.15 }),
      barX(bars, {
        x: "length",
        y: "label",
        fill: ({ isMet }: Bar) => (isMet ? colour : colours.bad),
        insetTop: 3,
        insetBottom: 3,
      }),
      tickX(
        bars.filter(({ target }) => target !== undefined),
        { x: "target", y: "label", stroke: colours.target, strokeWidth: 2.5 },
      ),
      text(bars, {
        x: ({ length, target }: (typeof bars)[number]) => Math.max(length, target ?? 0),
        y: "label",
        text: ({ value }: Bar) => value.toFixed(2),
        textAnchor: "start",
        dx: 6,
        fill: "currentColor",
      }),
      ruleX([1], { stroke: "currentColor", strokeOpacity: 0.6, strokeDasharray: "3,3" }),
      ruleX([0], { stroke: "currentColor" }),
    ],
  });
}
