import type * as observable from "@observablehq/plot";
import type { parseHTML as parse } from "linkedom";
import { StressError } from "../stress-error.ts";

/** What draws pictures, and the document that it draws in. */
export interface Plotter {
  readonly plot: typeof observable;
  readonly parseHTML: typeof parse;
}

/**
 * Loads what draws pictures: optional peers, since most tests draw none.
 *
 * @throws StressError `stress.no-plot`
 */
export async function loadPlotter(): Promise<Plotter> {
  try {
    const [plot, { parseHTML }] = await Promise.all([import("@observablehq/plot"), import("linkedom")]);
    return { plot, parseHTML };
  } catch (cause) {
    throw StressError.noPlot(cause);
  }
}
