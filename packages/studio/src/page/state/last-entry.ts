import type { Row } from "../../api/cells.ts";
import type { KeptGrid } from "./grid-view.ts";
import type { ListMarks } from "./row-list.ts";

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
  try {
    sessionStorage.setItem(storedAs, JSON.stringify(last));
  } catch {
    // Too large for this storage. The history has all but the last quarter of a second.
    sessionStorage.removeItem(storedAs);
  }
}

/** What the page showed before a reload, once. Undefined if it was not reloaded. */
export function takeLastEntry(): LastEntry | undefined {
  const stored = sessionStorage.getItem(storedAs);
  sessionStorage.removeItem(storedAs);
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return stored === null || navigation?.type !== "reload" ? undefined : (JSON.parse(stored) as LastEntry);
}
