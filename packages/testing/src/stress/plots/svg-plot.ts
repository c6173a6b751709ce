import type { PlotOptions } from "@observablehq/plot";
import type { StressFigures, StressStep } from "../stress-report.ts";
import { amount, subjectOf, outcomeOf } from "./describe-figures.ts";
import { loadPlotter, type Plotter } from "./load-plotter.ts";

const width = 820;
const rateHeight = 340;
const latencyHeight = 220;
const titleHeight = 70;

/** Colours that differ in light and in dark, and for most who see few colours. */
const colours = { good: "#2f8f6b", bad: "#d9822b", half: "#5b7fc7" } as const;

/** Text and lines take the colour that the reader's system asks for; the background is the page's. */
const style = `
  svg { color: #1f2328; font-family: system-ui, sans-serif; font-size: 12px; background: none; }
  @media (prefers-color-scheme: dark) { svg { color: #e6edf3; } }
`;

/**
 * What was served, and how long it took, against what was offered: one SVG file that stands alone.
 *
 * @throws StressError `stress.no-plot`
 */
export async function svgPlot(figures: StressFigures): Promise<string> {
  const plotter = await loadPlotter();
  const steps = figures.steps.toSorted((a, b) => a.offered - b.offered);
  const height = titleHeight + rateHeight + latencyHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(subjectOf(figures))}</title><style>${style}</style>`,
    `<g fill="currentColor"><text x="50" y="20" font-weight="600">${escaped(subjectOf(figures))}</text>`,
    ...sentencesOf(outcomeOf(figures)).map(
      (text, i) => `<text x="50" y="${38 + 18 * i}">${escaped(text)}</text>`,
    ),
    "</g>",
    `<g transform="translate(0,${titleHeight})">${drawn(plotter, rates(plotter, figures, steps))}</g>`,
    `<g transform="translate(0,${titleHeight + rateHeight})">${drawn(plotter, latencies(plotter, steps))}</g>`,
    "</svg>\n",
  ].join("\n");
}

function drawn({ plot, parseHTML }: Plotter, options: PlotOptions): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  return plot.plot({ ...options, document, style: { background: "none" } }).outerHTML;
}

const margins = { width, marginLeft: 60, marginRight: 40, marginBottom: 44 } as const;

const offeredAxis = (steps: readonly StressStep[]) => ({
  label: "offered, entities a second →",
  labelAnchor: "center" as const,
  labelOffset: 38,
  domain: [0, Math.max(...steps.map(({ offered }) => offered))],
  tickFormat: amount,
});

function rates({ plot }: Plotter, { target }: StressFigures, steps: readonly StressStep[]): PlotOptions {
  const most = Math.max(...steps.map(({ offered }) => offered));
  return {
    ...margins,
    height: rateHeight,
    x: offeredAxis(steps),
    y: { label: "↑ served, entities a second", domain: [0, Math.max(most, target ?? 0)], tickFormat: amount },
    marks: [
      plot.gridX({ strokeOpacity: 0.15 }),
      plot.gridY({ strokeOpacity: 0.15 }),
      plot.line(
        [0, most].map((end) => ({ offered: end, served: end })),
        {
          x: "offered",
          y: "served",
          stroke: "currentColor",
          strokeOpacity: 0.5,
          strokeDasharray: "3,3",
        },
      ),
      ...(target === undefined
        ? []
        : [
            plot.ruleY([target], { stroke: "currentColor", strokeOpacity: 0.7 }),
            plot.text([target], {
              x: 0,
              y: target,
              text: () => "target",
              dx: 6,
              dy: -7,
              textAnchor: "start",
              fill: "currentColor",
            }),
          ]),
      plot.line(steps, { x: "offered", y: "served", stroke: colours.half, strokeWidth: 2 }),
      plot.dot(steps, {
        x: "offered",
        y: "served",
        r: 4,
        fill: ({ isSustained }: StressStep) => (isSustained ? colours.good : colours.bad),
      }),
    ],
  };
}

/** One step's latency, of half or of 99 % of its work. */
interface Latency {
  readonly offered: number;
  readonly ms: number;
  readonly name: string;
}

function latencies({ plot }: Plotter, steps: readonly StressStep[]): PlotOptions {
  const points = steps.flatMap(({ offered, p50Ms, p99Ms }): Latency[] =>
    p50Ms === undefined || p99Ms === undefined
      ? []
      : [
          { offered, ms: p50Ms, name: "p50" },
          { offered, ms: p99Ms, name: "p99" },
        ],
  );
  return {
    ...margins,
    height: latencyHeight,
    x: offeredAxis(steps),
    y: { label: "↑ milliseconds, p50 and p99", zero: true, tickFormat: amount },
    color: { domain: ["p50", "p99"], range: [colours.half, colours.bad] },
    marks: [
      plot.gridX({ strokeOpacity: 0.15 }),
      plot.gridY({ strokeOpacity: 0.15 }),
      plot.line(points, { x: "offered", y: "ms", z: "name", stroke: "name", strokeWidth: 2 }),
      plot.dot(points, { x: "offered", y: "ms", fill: "name", r: 3 }),
      ...(["p50", "p99"] as const).map((name) =>
        plot.text(
          points.filter((point) => point.name === name).slice(-1),
          // Apart from each other, where their lines end close together.
          {
            x: "offered",
            y: "ms",
            text: "name",
            fill: "name",
            textAnchor: "start",
            dx: 8,
            dy: name === "p50" ? 6 : -6,
          },
        ),
      ),
    ],
  };
}

/** The verdict is as long as two lines. */
const sentencesOf = (text: string): string[] => text.split(/(?<=\.) /);

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
