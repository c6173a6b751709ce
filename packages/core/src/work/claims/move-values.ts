// `save/move-row.ts` calls this file while it moves a row with values that are unique over the table. Until the move has
// ended, their reservations name both keys of the row, so other programs look at both.

import {
  claimProperty,
  reservationKey,
  reservationOf,
  reservationRow,
} from "../../model/codec/reservation-rows.ts";
import { rowProperty } from "../../model/declaration/entity-model.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { keyOfOperation, type NewRowWrite } from "../../storage/write-operation.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { isSameKey } from "./claim-value.ts";

/** A row on its way from one key to another. */
export interface MovedValues {
  readonly storage: TableStorage;
  readonly table: string;
  readonly from: EntityKey;
  readonly to: EntityKey;
  /** The RowKeys of its values in unique indexes. */
  readonly rowKeys: readonly string[];
  readonly request: RequestOptions;
}

/** Names the new key in the reservations that name the old one. @throws StorageError if another program was first */
export const nameBothKeys = (moved: MovedValues): Promise<unknown> =>
  replaceHolders(moved, (holders) =>
    holders.some((key) => isSameKey(key, moved.to)) ? holders : [...holders, moved.to],
  );

/** Drops the old key from the reservations. One that stays is harmless. */
export const dropOldKey = (moved: MovedValues): Promise<unknown> =>
  replaceHolders(moved, (holders) => holders.filter((key) => !isSameKey(key, moved.from))).catch(
    () => undefined,
  );

function replaceHolders(
  { storage, table, from, rowKeys, request }: MovedValues,
  change: (holders: readonly EntityKey[]) => readonly EntityKey[],
): Promise<unknown> {
  return inParallel(rowKeys, pointReads, async (rowKey) => {
    const row = await storage.get(table, reservationKey(rowKey), request);
    const found = row && reservationOf(row);
    // A value without a reservation waits for a build of its index.
    if (row === undefined || found === undefined || !found.holders.some((key) => isSameKey(key, from)))
      return;
    const holders = change(found.holders);
    if (holders.length === found.holders.length) return;
    const index = String(row[rowProperty]).replace(/^reservation:/, "");
    const entity = reservationRow(rowKey, index, { ...found, holders });
    await storage.write(table, { type: "replace", entity, etag: found.etag }, request);
  });
}

/** The new index rows of a moved row, with the claims of its old ones. */
export function withClaimsOf(
  { storage, table, from, rowKeys, request }: MovedValues,
  writes: readonly NewRowWrite[],
): Promise<NewRowWrite[]> {
  return inParallel(writes, pointReads, async (write) => {
    const { rowKey } = keyOfOperation(write);
    if (!rowKeys.includes(rowKey)) return write;
    const row = await storage.get(table, { partitionKey: from.partitionKey, rowKey }, request);
    const claim = row?.[claimProperty];
    return claim === undefined
      ? write
      : ({ type: write.type, entity: { ...write.entity, [claimProperty]: claim } } as NewRowWrite);
  });
}
