import { plot } from "simple-ascii-chart";
import type { StressFigures, StressStep } from "../stress-report.ts";
import { amount, outcomeOf, remarksOf, subjectOf, ticksTo } from "./describe-figures.ts";

/** The steps as a table, a plot of served against offered entities, and the verdict. */
export function textPlot(figures: StressFigures): string {
  const steps = figures.steps.toSorted((a, b) => a.rate - b.rate);
  const remarks = remarksOf(figures).map((remark) => `  ${remark}`);
  return [
    subjectOf(figures),
    "",
    ...tableOf(steps),
    chartOf(figures, steps),
    outcomeOf(figures),
    ...remarks,
  ].join("\n");
}

/** Columns of a step, each with its heading. */
const columns: readonly (readonly [heading: string, cell: (step: StressStep) => string])[] = [
  ["rate/s", ({ rate }) => amount(rate)],
  ["offered/s", ({ offered }) => amount(offered)],
  ["served/s", ({ served }) => amount(served)],
  ["p50 ms", ({ p50Ms }) => milliseconds(p50Ms)],
  ["p99 ms", ({ p99Ms }) => milliseconds(p99Ms)],
  ["not sent", ({ notSent }) => amount(notSent)],
  ["503", ({ busy }) => amount(busy)],
  ["500", ({ failed }) => amount(failed)],
  ["other", ({ otherErrors }) => amount(otherErrors)],
  ["sustained", ({ isSustained }) => (isSustained ? "yes" : "no")],
];

function tableOf(steps: readonly StressStep[]): string[] {
  const rows = [
    columns.map(([heading]) => heading),
    ...steps.map((step) => columns.map(([, cell]) => cell(step))),
  ];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i] ?? 0)).join("  "));
}

const milliseconds = (value: number | undefined): string => (value === undefined ? "–" : amount(value));

/** A line of served entities over points of offered ones; they coincide while the partition keeps up. */
function chartOf({ target }: StressFigures, steps: readonly StressStep[]): string {
  const most = Math.max(...steps.flatMap(({ offered, served }) => [offered, served]), target ?? 0);
  const ticks = ticksTo(most);
  const widest = Math.max(...ticks.map((tick) => amount(tick).length));
  return plot(
    steps.map(({ offered, served }): [number, number] => [offered, served]),
    {
      width: 64,
      height: 14,
      title: `Entities per second: ━ served, · offered${target === undefined ? "" : ", ┄ target"}`,
      yRange: [0, most],
      customXAxisTicks: ticks.slice(1),
      customYAxisTicks: ticks,
      // The library makes the axis as wide as the label of the largest value.
      formatter: (value, { axis }) => (axis === "y" ? amount(value).padStart(widest) : amount(value)),
      points: steps.map(({ offered }) => ({ x: offered, y: offered })),
      ...(target !== undefined && { thresholds: [{ y: target }] }),
      symbols: { point: "·", thresholds: { x: "┄", y: "┄" } },
    },
  );
}
