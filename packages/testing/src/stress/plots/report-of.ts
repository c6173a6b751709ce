import type { StressFigures, StressReport } from "../stress-report.ts";
import { svgPlot } from "./svg-plot.ts";
import { textPlot } from "./text-plot.ts";

/** Makes the report of these figures. */
export const reportOf = (figures: StressFigures): StressReport => ({
  ...figures,
  plot: () => textPlot(figures),
  svg: () => svgPlot(figures),
  json: () => `${JSON.stringify(figures, undefined, 2)}\n`,
});
