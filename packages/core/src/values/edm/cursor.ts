/**
 * Additional results of the functions that read bytes. Each sets `at` to the end of the value, after a closing
 * quotation mark, or to -1 if the bytes are not in the usual form. The JSON parser and the property's serializer then
 * read the value.
 */
export interface Cursor {
  /** The first byte after the value; -1 if it is not in the usual form. */
  at: number;
  /** For a date: its ticks of 100 ns below the millisecond; -1 if it has fewer than seven fractional digits. */
  ticks: number;
  /** The first byte of the row that is being read. */
  row: number;
  /** The bytes that are packed after the row; undefined if there are none. */
  packed: Uint8Array | undefined;
}

export const cursor: Cursor = { at: 0, ticks: 0, row: 0, packed: undefined };

/** The end of a value that is not in the usual form. */
export const failed = -1;
