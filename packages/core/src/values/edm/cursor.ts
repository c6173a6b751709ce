/**
 * What readers of bytes find beside a value. Each leaves in `cursor` where the value ends, after a closing quotation mark; -1 where
 * the bytes are not of the usual form, which the parser and the serializer of the property then read.
 */
export interface Cursor {
  /** The first byte after the value; -1 where it is not of the usual form. */
  at: number;
  /** Of a date: its ticks of 100 ns below the millisecond; -1 where they are written with fewer than seven digits. */
  ticks: number;
  /** Where the row begins that is being read. */
  row: number;
  /** The bytes that are packed after it; undefined where there are none. */
  packed: Uint8Array | undefined;
}

export const cursor: Cursor = { at: 0, ticks: 0, row: 0, packed: undefined };

/** Where a value ends that is not of the usual form. */
export const failed = -1;
