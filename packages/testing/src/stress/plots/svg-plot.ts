import type { StressFigures, StressStep } from "../stress-report.ts";
import { amount, outcomeOf, subjectOf, ticksTo } from "./describe-figures.ts";

const width = 820;
const titleHeight = 70;
const rateHeight = 340;
const latencyHeight = 220;
/** The margins around a chart. */
const [left, right, top, bottom] = [60, 40, 20, 44];

/** Colours that differ in brightness too, and for most colour-blind people. */
const colours = { good: "#2f8f6b", bad: "#d9822b", half: "#5b7fc7" } as const;

/** Text and lines follow the reader's colour scheme; the background is the page's. */
const style = `
  svg { color: #1f2328; font-family: system-ui, sans-serif; font-size: 12px; background: none; }
  @media (prefers-color-scheme: dark) { svg { color: #e6edf3; } }
`;

/** Draws served entities and latency against the offered rate, as one self-contained SVG. */
export function svgPlot(figures: StressFigures): string {
  const steps = figures.steps.toSorted((a, b) => a.offered - b.offered);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${titleHeight + rateHeight + latencyHeight}" role="img">`,
    `<title>${escaped(subjectOf(figures))}</title><style>${style}</style>`,
    `<g fill="currentColor"><text x="50" y="20" font-weight="600">${escaped(subjectOf(figures))}</text>`,
    // The outcome takes up to two lines.
    ...outcomeOf(figures)
      .split(/(?<=\.) /)
      .map((text, i) => `<text x="50" y="${38 + 18 * i}">${escaped(text)}</text>`),
    "</g>",
    ...rates(figures, steps),
    ...latencies(steps),
    "</svg>\n",
  ].join("\n");
}

/** Converts a value to a position in a chart. */
type Scale = (value: number) => number;

/** The area of one chart, with its axes. */
interface Chart {
  /** Its top, from the top of the picture. */
  readonly y: number;
  readonly height: number;
  readonly mostX: number;
  readonly mostY: number;
  readonly label: string;
  readonly marks: (x: Scale, y: Scale) => readonly string[];
}

function chart({ y: from, height, mostX, mostY, label, marks }: Chart): string[] {
  const x: Scale = (value) => left + (value / mostX) * (width - left - right);
  const y: Scale = (value) => height - bottom - (value / mostY) * (height - top - bottom);
  const grid = (path: string): string => `<path d="${path}" stroke="currentColor" stroke-opacity="0.15"/>`;
  return [
    `<g transform="translate(0,${from})" fill="none">`,
    ...ticksTo(mostX).map((tick) => grid(`M${x(tick)} ${y(0)}V${top}`)),
    ...ticksTo(mostY).map((tick) => grid(`M${left} ${y(tick)}H${width - right}`)),
    ...marks(x, y),
    `<g fill="currentColor" font-size="10">`,
    ...ticksTo(mostX).map((tick) => text(x(tick), y(0) + 16, amount(tick), "middle")),
    ...ticksTo(mostY).map((tick) => text(left - 8, y(tick) + 3, amount(tick), "end")),
    text(left - 40, top - 8, `↑ ${label}`, "start"),
    text((left + width - right) / 2, height - 8, "offered, entities per second →", "middle"),
    "</g></g>",
  ];
}

/** A point of a chart. */
type Point = readonly [x: number, y: number];

function rates({ target }: StressFigures, steps: readonly StressStep[]): string[] {
  const most = Math.max(...steps.map(({ offered }) => offered));
  const served = steps.map(({ offered, served: each }): Point => [offered, each]);
  return chart({
    y: titleHeight,
    height: rateHeight,
    mostX: most,
    mostY: Math.max(most, target ?? 0),
    label: "served, entities per second",
    marks: (x, y) => [
      `<path d="M${x(0)} ${y(0)}L${x(most)} ${y(most)}" stroke="currentColor" stroke-opacity="0.5" stroke-dasharray="3,3"/>`,
      ...(target === undefined
        ? []
        : [
            `<path d="M${left} ${y(target)}H${width - right}" stroke="currentColor" stroke-opacity="0.7"/>`,
            `<g fill="currentColor">${text(left + 6, y(target) - 7, "target", "start")}</g>`,
          ]),
      line(
        served.map(([offered, each]) => [x(offered), y(each)]),
        colours.half,
      ),
      ...steps.map(({ offered, served: each, isSustained }) =>
        dot([x(offered), y(each)], 4, isSustained ? colours.good : colours.bad),
      ),
    ],
  });
}

function latencies(steps: readonly StressStep[]): string[] {
  const series = (["p50Ms", "p99Ms"] as const).map((name) =>
    steps.flatMap(({ offered, [name]: ms }): Point[] => (ms === undefined ? [] : [[offered, ms]])),
  );
  return chart({
    y: titleHeight + rateHeight,
    height: latencyHeight,
    mostX: Math.max(...steps.map(({ offered }) => offered)),
    mostY: Math.max(1, ...series.flat().map(([, ms]) => ms)),
    label: "milliseconds, p50 and p99",
    marks: (x, y) =>
      series.flatMap((points, i) => {
        const at = points.map(([offered, ms]): Point => [x(offered), y(ms)]);
        const [endX, endY] = at.at(-1) ?? [left, top];
        const colour = i === 0 ? colours.half : colours.bad;
        // Separate the labels, since their lines may end close together.
        const name = text(endX + 8, endY + (i === 0 ? 9 : -3), i === 0 ? "p50" : "p99", "start");
        return [
          line(at, colour),
          ...at.map((point) => dot(point, 3, colour)),
          `<g fill="${colour}">${name}</g>`,
        ];
      }),
  });
}

const line = (points: readonly Point[], colour: string): string =>
  `<polyline points="${points.join(" ")}" stroke="${colour}" stroke-width="2"/>`;

const dot = ([x, y]: Point, radius: number, colour: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}"/>`;

const text = (x: number, y: number, value: string, anchor: "start" | "middle" | "end"): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(value)}</text>`;

const escaped = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
