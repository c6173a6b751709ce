import type { JSX } from "preact";
import type { PartitionRange, Survey } from "../../api/jobs.ts";
import { counted } from "../text/counted.ts";
import { printable } from "../text/printable.ts";
import { HorizontalAxis, VerticalAxis } from "./axis.tsx";
import { countTicks, itemTicks } from "./ticks.ts";

const plotWidth = 960;
const plotHeight = 180;
/** Keys that the axis names. */
const namedKeys = 5;

/** Rows of neighbouring partitions, in key order. */
export function Distribution({ survey }: { readonly survey: Survey }): JSX.Element {
  const { ranges, rows, partitions } = survey;
  const most = Math.max(...ranges.map((range) => range.rows));
  const ticks = countTicks(most);
  const width = plotWidth / ranges.length;
  return (
    <figure>
      <figcaption>
        <strong>Key distribution</strong> {counted(rows, "row")} in {counted(partitions, "partition")}; a bar
        is {ranges.length === partitions ? "a partition" : "a range of partitions"}, the highest{" "}
        {counted(most, "row")}
      </figcaption>
      <div class="plot-frame">
        <VerticalAxis ticks={ticks} title="rows" />
        <svg
          class="plot"
          viewBox={`0 0 ${plotWidth} ${plotHeight}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Rows by PartitionKey, up to ${most.toLocaleString("en")}`}
        >
          {ticks.map(({ at, label }) => (
            <line
              key={label}
              class="rule"
              x1={0}
              x2={plotWidth}
              y1={(1 - at) * plotHeight}
              y2={(1 - at) * plotHeight}
            />
          ))}
          {ranges.map((range, i) => (
            <Bar
              key={i}
              range={range}
              left={i * width}
              width={width}
              height={(range.rows / most) * plotHeight}
            />
          ))}
        </svg>
        <HorizontalAxis
          ticks={itemTicks(
            ranges.map(({ from }) => from),
            namedKeys,
          )}
          title="PartitionKey"
        />
      </div>
    </figure>
  );
}

interface BarProps {
  readonly range: PartitionRange;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

function Bar({ range: { from, to, rows, partitions }, left, width, height }: BarProps): JSX.Element {
  const barWidth = Math.min(Math.max(width - (width > 4 ? 1 : 0), 0.5), 80);
  const shown = Math.max(1, height);
  return (
    <rect
      class="bar"
      x={left + Math.max(0, width - barWidth) / 2}
      y={plotHeight - shown}
      width={barWidth}
      height={shown}
    >
      <title>{`${printable(from)}${partitions > 1 ? ` … ${printable(to)}` : ""}: ${counted(rows, "row")}`}</title>
    </rect>
  );
}
