import type { EntityKey } from "@partita/core";
import { checkRow, isDamage, isStoredBody, parseRow, type Row } from "@partita/core/internal/embedded";
import { fromOrderedText } from "@partita/core/internal/sql";

/** Whether a row is unchanged since it was written. */
export function isSound(row: readonly [...Row, ...rest: unknown[]], ofTable: number): boolean {
  // Reads accept a body of either column type, so check it here.
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
  // A damaged key may have another type.
  return { partitionKey: fromOrderedText(String(pk)), rowKey: fromOrderedText(String(rk)) };
}
