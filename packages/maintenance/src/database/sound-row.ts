import type { EntityKey } from "@partita/core";
import {
  checkRow,
  fromOrderedText,
  isDamage,
  isStoredBody,
  parseRow,
  type Row,
} from "@partita/core/internal/embedded";

/** Whether a row is unchanged since it was written. */
export function isSound(row: readonly [...Row, ...rest: unknown[]], ofTable: number): boolean {
  // Reads don't see the type of a stored body.
  if (!isStoredBody(row[3])) return false;
  try {
    checkRow(row, ofTable);
    parseRow(row);
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** The keys of a row. */
export function keyOf([pk, rk]: readonly [pk: unknown, rk: unknown, ...rest: unknown[]]): EntityKey {
  // A damaged key may be of another type, or no text at all.
  return { partitionKey: fromOrderedText(String(pk)), rowKey: fromOrderedText(String(rk)) };
}
