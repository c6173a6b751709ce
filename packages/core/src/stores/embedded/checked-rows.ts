import { findEnd } from "./count-rows.ts";
import type { Position } from "../sql/page-query.ts";
import { comparePositions, rangesBetween, type Start, startAfter } from "./key-ranges.ts";
import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import type { Statements } from "./table-statements.ts";

/** How long a row counts as checked: a disk can also change bytes while a program runs. */
const checkedMs = 60 * 60 * 1000;
const maxBounds = 1000;

/** Bounds of keys in a table. */
export interface RowsWithin {
  readonly statements: Statements;
  readonly tableId: number;
  readonly bounds: KeyBounds;
}

/**
 * Records which rows of a file were compared with their checksums, so SQLite may skip them: a damaged value must not
 * hide its row from a filter. The first scan of a key range reads all of its rows, and again after an hour.
 */
export class CheckedRows {
  /** Per bounds, the position before which all rows were checked; undefined if all rows were. */
  readonly #checked = new Map<string, { readonly until: Start | undefined; readonly at: number }>();

  /** Whether the rows within the bounds were checked up to this position, or to the end if it is undefined. */
  has(rows: RowsWithin, end: Position | undefined): boolean {
    const checked = this.#get(rows);
    return checked !== undefined && isAfter(checked.until, end);
  }

  /** Records that the rows from a start up to this position were checked, or to the end if it is undefined. */
  add(rows: RowsWithin, start: Start | undefined, end: Position | undefined): void {
    const checked = this.#get(rows);
    if (start !== undefined && !(checked && follows(rows, checked.until, start))) return;
    if (checked !== undefined && isAfter(checked.until, end)) return;
    const [oldest] = this.#checked.keys();
    if (this.#checked.size >= maxBounds && oldest !== undefined) this.#checked.delete(oldest);
    this.#checked.set(keyOf(rows), { until: end && startAfter(end), at: checked?.at ?? Date.now() });
  }

  #get(rows: RowsWithin): { readonly until: Start | undefined; readonly at: number } | undefined {
    const checked = this.#checked.get(keyOf(rows));
    if (checked === undefined || Date.now() - checked.at < checkedMs) return checked;
    this.#checked.delete(keyOf(rows));
    return undefined;
  }
}

const keyOf = ({ tableId, bounds }: RowsWithin): string => `${tableId} ${JSON.stringify(bounds)}`;

/** Whether the row at this position is one of those before a start. */
const isAfter = (until: Start | undefined, end: Position | undefined): boolean =>
  until === undefined || (end !== undefined && comparePositions(end, until.at) <= (until.inclusive ? -1 : 0));

/** Whether no row lies between the first start and the second one. */
function follows(rows: RowsWithin, until: Start | undefined, start: Start): boolean {
  if (until === undefined || comparePositions(start.at, until.at) <= 0) return true;
  const next = findEnd(rows, rangesBetween(rows.bounds, until, start.at), 1);
  return next !== undefined && start.inclusive && comparePositions(next, start.at) === 0;
}
