import type { Row } from "../../api/cells.ts";
import type { KeptGrid } from "./grid-view.ts";
import type { ListMarks } from "./row-list.ts";
import { keepInTab, keptInTab } from "./tab-storage.ts";

/** The part of an entry of the history that is too long for a URL. */
export interface EntryState {
  /** The known pages. With them, a position far down is found without reading the rows before it. */
  readonly marks: ListMarks | undefined;
  readonly selected: readonly Row[];
  /** The text of the query, which may not have run. */
  readonly typed: string;
  readonly grid: KeptGrid;
  /** The id of the element with the focus. */
  readonly focused: string | undefined;
}

/** What the page showed when it ended. */
interface LastEntry {
  readonly search: string;
  readonly entry: EntryState;
}

const storedAs = "partita-studio-entry";

/**
 * Stores what the page shows at its end. A browser may have read the history of the tab before, so the last changes of
 * its entry can be missing there.
 */
export function keepLastEntry(last: LastEntry): void {
  // If it is too large, the history has all but the last quarter of a second.
  keepInTab(storedAs, last);
}

/** What the page showed before a reload, once. Undefined if it was not reloaded. */
export function takeLastEntry(): LastEntry | undefined {
  const last = keptInTab<LastEntry>(storedAs);
  keepInTab(storedAs, undefined);
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "reload" ? last : undefined;
}
