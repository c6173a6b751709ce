import { dot, gridX, gridY, line, text } from "@observablehq/plot";
import { writePicture } from "./picture.ts";
import type { Results } from "../run/results-file.ts";

/** Colours that differ in light and dark mode, as lines and as text. */
const lineColours = [
  "#4f7bd9",
  "#c8781f",
  "#d64f5f",
  "#2b9c98",
  "#46a049",
  "#c455a0",
  "#8a6cd1",
  "#a0795a",
  "#7b8794",
  "#5a9bb0",
  "#b3647f",
] as const;

const decades = [1e3, 1e4, 1e5, 1e6];
const levels = [1, 10, 100, 1_000, 10_000, 100_000];

interface Point {
  readonly work: string;
  readonly entities: number;
  readonly microseconds: number;
}

/** Lines with the cost of calls while the number of entities grows. */
export function drawGrowth(file: string, { growth }: Results): void {
  const points = growth.flatMap(({ work, points: own }) =>
    own.map(({ entities, nsEach }): Point => ({ work, entities, microseconds: nsEach / 1000 })),
  );
  const most = Math.max(...points.map(({ entities }) => entities));
  const ends = points.filter(({ entities }) => entities === most);
  writePicture(file, "Cost of calls while the number of entities grows", {
    width: 900,
    height: 520,
    marginRight: 330,
    marginBottom: 44,
    marginLeft: 60,
    x: {
      type: "log",
      label: "entities →",
      labelAnchor: "center",
      labelOffset: 38,
      tickFormat: (count: number) => count.toLocaleString("en"),
      ticks: decades,
    },
    y: {
      type: "log",
      label: "↑ µs of CPU",
      tickFormat: (us: number) => us.toLocaleString("en"),
      ticks: levels,
    },
    color: { domain: growth.map(({ work }) => work), range: [...lineColours] },
    marks: [
      gridX(decades, { strokeOpacity: 0.15 }),
      gridY(levels, { strokeOpacity: 0.15 }),
      line(points, { x: "entities", y: "microseconds", z: "work", stroke: "work", strokeWidth: 2 }),
      dot(points, { x: "entities", y: "microseconds", fill: "work", r: 3 }),
      text(spread(ends), {
        x: "entities",
        y: "microseconds",
        text: "work",
        fill: "work",
        textAnchor: "start",
        dx: 10,
      }),
    ],
  });
}

/** Labels at the ends of their lines, moved apart if they are too close. */
function spread(ends: readonly Point[]): readonly Point[] {
  let last = 0;
  return ends
    .toSorted((a, b) => a.microseconds - b.microseconds)
    .map((point) => {
      last = Math.max(point.microseconds, last * 1.45);
      return { ...point, microseconds: last };
    });
}
