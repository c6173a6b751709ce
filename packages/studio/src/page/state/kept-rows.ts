import type { Row } from "../../api/cells.ts";

/** Rows that are kept with their values. */
const maxComplete = 200;
/** Rows that are kept at all. Browsers limit the size of an entry of their history. */
const maxKept = 20_000;

/** Selected rows for the history of the tab. Of many rows, it keeps what later requests need: keys, ETags, classes. */
export function keptRows(selected: readonly Row[]): readonly Row[] {
  if (selected.length <= maxComplete) return selected;
  return selected.slice(0, maxKept).map(({ partitionKey, rowKey, etag, className }) => ({
    partitionKey,
    rowKey,
    etag,
    className,
    cells: [],
  }));
}
