import type { StressFigures, StressReport } from "../stress-report.ts";
import { textPlot } from "./text-plot.ts";

/** The report of these figures. */
export const reportOf = (figures: StressFigures): StressReport => ({
  ...figures,
  plot: () => textPlot(figures),
  async svg() {
    const { svgPlot } = await import("./svg-plot.ts");
    return svgPlot(figures);
  },
  json: () => `${JSON.stringify(figures, undefined, 2)}\n`,
});
