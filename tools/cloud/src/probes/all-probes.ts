import { continuation } from "./continuation.ts";
import { etagsAndDates } from "./etags-and-dates.ts";
import { filterSemantics } from "./filters.ts";
import { lateArrivals } from "./late-arrivals.ts";
import type { Probe } from "./probe.ts";

/** Every probe. The one that waits is last. */
export const allProbes: readonly Probe[] = [continuation, filterSemantics, etagsAndDates, lateArrivals];
