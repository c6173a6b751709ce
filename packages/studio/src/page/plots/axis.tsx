import type { JSX } from "preact";
import { printable } from "../text/printable.ts";
import type { Tick } from "./ticks.ts";

interface AxisProps {
  readonly ticks: readonly Tick[];
  /** The quantity and its unit. */
  readonly title: string;
}

/** A vertical axis with figures, left of a plot. */
export const VerticalAxis = ({ ticks, title }: AxisProps): JSX.Element => (
  <div class="axis-y" aria-hidden="true">
    <span class="axis-title">{title}</span>
    {ticks.map(({ at, label }) => (
      <span key={label} class="tick" style={{ bottom: `${at * 100}%` }}>
        {label}
      </span>
    ))}
  </div>
);

/** A horizontal axis with figures, below a plot. The outer labels stay within it. */
export const HorizontalAxis = ({ ticks, title }: AxisProps): JSX.Element => (
  <div class="axis-x" aria-hidden="true">
    {ticks.map(({ at, label }, i) => (
      <span
        key={i}
        class="tick"
        data-edge={at < 0.02 ? "first" : at > 0.98 ? "last" : undefined}
        style={{ left: `${at * 100}%` }}
        title={printable(label)}
      >
        {printable(label)}
      </span>
    ))}
    <span class="axis-title">{title}</span>
  </div>
);
