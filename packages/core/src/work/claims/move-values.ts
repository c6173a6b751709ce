// `save/move-row.ts` calls this file while it moves a row with values that are unique over the table. Until the move has
// ended, their reservations name both keys of the row, so other programs look at both.

import {
  claimProperty,
  reservationKey,
  printHolders,
  reservationOf,
} from "../../model/codec/reservation-rows.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { keyOfOperation, type NewRowWrite } from "../../storage/write-operation.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { isSameKey } from "../../values/keys/is-same-key.ts";

/** A row on its way from one key to another. */
interface MovingRow {
  readonly table: string;
  readonly from: EntityKey;
  readonly to: EntityKey;
  /** The RowKeys of its values in unique indexes. */
  readonly rowKeys: readonly string[];
}

/** The values of a row that moves to another key. */
export class MovedValues {
  readonly #storage: TableStorage;
  readonly #row: MovingRow;
  readonly #request: RequestOptions;

  constructor(storage: TableStorage, row: MovingRow, request: RequestOptions) {
    this.#storage = storage;
    this.#row = row;
    this.#request = request;
  }

  /** Names the new key in the reservations that name the old one. @throws StorageError if another program was first */
  async nameBothKeys(): Promise<void> {
    const { to } = this.#row;
    await this.#replaceHolders((holders) =>
      holders.some((key) => isSameKey(key, to)) ? holders : [...holders, to],
    );
  }

  /** Drops the old key from the reservations that name both. One that stays is harmless. */
  async dropOldKey(): Promise<void> {
    const { from, to } = this.#row;
    const drop = this.#replaceHolders((holders) =>
      // A new row under the old key may have got the value since.
      holders.some((key) => isSameKey(key, to)) ? holders.filter((key) => !isSameKey(key, from)) : holders,
    );
    await drop.catch(() => undefined);
  }

  /** The new index rows of the row, with the claims of its old ones. */
  withClaims(writes: readonly NewRowWrite[]): Promise<NewRowWrite[]> {
    const { table, from, rowKeys } = this.#row;
    return inParallel(writes, pointReads, async (write) => {
      const { rowKey } = keyOfOperation(write);
      if (!rowKeys.includes(rowKey)) return write;
      const key = { partitionKey: from.partitionKey, rowKey };
      const row = await this.#storage.get(table, key, this.#request);
      const claim = row?.[claimProperty];
      if (claim === undefined) return write;
      return { type: write.type, entity: { ...write.entity, [claimProperty]: claim } } as NewRowWrite;
    });
  }

  #replaceHolders(change: (holders: readonly EntityKey[]) => readonly EntityKey[]): Promise<unknown> {
    const { table, from, rowKeys } = this.#row;
    return inParallel(rowKeys, pointReads, async (rowKey) => {
      const row = await this.#storage.get(table, reservationKey(rowKey), this.#request);
      const found = row && reservationOf(row);
      // A value without a reservation waits for a build of its index.
      if (row === undefined || found?.holders.some((key) => isSameKey(key, from)) !== true) return;
      const holders = change(found.holders);
      if (holders.length === found.holders.length) return;
      const entity = { ...row, Holders: printHolders(holders) };
      await this.#storage.write(table, { type: "replace", entity, etag: found.etag }, this.#request);
    });
  }
}
