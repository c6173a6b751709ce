import type { DatabaseSync } from "node:sqlite";
import type { EntityKey } from "@partita/core";
import type { Row } from "@partita/core/internal/embedded";
import type { RestoredTable } from "./restored-file.ts";
import { isSound, keyOf } from "./sound-row.ts";
import type { NamedTable } from "./read-tables.ts";
import { readableEntries, readableRow, readableRows } from "./readable-rows.ts";

/** A row of a damaged file that is not in the new one. */
export interface LostRow {
  readonly table: string;
  /** May be damaged itself. */
  readonly key: EntityKey;
  /** Why it was lost, without values of properties. */
  readonly message: string;
}

/**
 * Copies the undamaged rows of a table into a new one, first in the order of the table, then in the order of its index:
 * this finds rows with damaged keys, and names rows that can't be read. Yields after every row.
 *
 * @param ofTable - the initial value of the checksums of the rows
 * @param onLost - called for each row that was not copied
 */
export function* repairRows(
  database: DatabaseSync,
  { id: tableId, checksum: ofTable }: Pick<NamedTable, "id" | "checksum">,
  into: RestoredTable,
  onLost: (key: EntityKey, message: string) => void,
): Generator<void> {
  const lost = new Map<bigint, Omit<LostRow, "table">>();
  for (const { id, row } of readableRows(database, tableId)) {
    if (!isSound(row, ofTable)) lost.set(id, { key: keyOf(row), message: changed });
    else if (!into.add(row))
      onLost(keyOf(row), "There are two rows with these keys: the older one was left out.");
    yield;
  }
  for (const { id, pk, rk } of readableEntries(database, tableId)) {
    yield;
    if (into.has(pk, rk)) continue;
    const found = readableRow(database, tableId, id);
    const key = keyOf([pk, rk]);
    if (found === undefined) lost.set(id, { key, message: "The row is not in its table." });
    else if (found === "unreadable") lost.set(id, { key, message: "The row can't be read." });
    else {
      const [, , ...rest] = found.row;
      // Either its own keys were damaged, or those of the index entry.
      const whole = [[pk, rk, ...rest] as Row, found.row].find((row) => isSound(row, ofTable));
      if (whole === undefined) lost.set(id, { key, message: changed });
      else {
        into.add(whole);
        lost.delete(id);
      }
    }
  }
  for (const { key, message } of lost.values()) onLost(key, message);
}

const changed = "The row differs from what was written: its checksum is wrong.";
