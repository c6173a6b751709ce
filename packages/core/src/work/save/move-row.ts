// Saves of classes with `formerKeys`, and `moveRows` of `@partita/maintenance`, move rows to other keys through this
// file. Within a partition, a move is one transaction. Otherwise it is four writes, each under a condition:
//
// 1. An empty row reserves the new key.
// 2. The row under the old key is marked as moved, under its ETag. From here on, programs that know only the old key
//    don't find it; all others read it as the entity until step 3.
// 3. The row replaces the reservation, under the ETag of the reservation.
// 4. The row under the old key is deleted, under its ETag.
//
// Reservations of values that are unique over the table name both keys before step 1, and only the new one after step 4.
//
// A program that finds a row in between continues with the next step. A slow mover can't restore a row that was deleted
// after its move, since its reservation no longer exists by then. A test explores all histories of small scenarios over
// this code (`test/work/save/move-row.law.test.ts`).

import { isFormerRow, movedRow, reservedRow } from "../../model/codec/former-keys.ts";
import { etagOf, isEntityRow, withEtag, withoutSystemValues } from "../../model/codec/row-layout.ts";
import { rowProperty } from "../../model/declaration/entity-model.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { MovedValues } from "../claims/move-values.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { keyOfOperation, type NewRowWrite, type WriteOperation } from "../../storage/write-operation.ts";

/** The old or new location of a row. */
interface RowPlace {
  readonly table: string;
  readonly key: EntityKey;
}

/** A row to move, with its index rows. */
export interface RowMove {
  readonly from: RowPlace;
  readonly to: RowPlace;
  /** The row under its new key. */
  readonly moved: (row: StoredEntity) => StoredEntity;
  /** The row's index rows under its old key, and those that it needs under the new one. */
  readonly oldIndexRows: (row: StoredEntity) => readonly EntityKey[];
  readonly newIndexRows: (row: StoredEntity) => readonly NewRowWrite[];
  /** The RowKeys of its values in indexes that are unique over the table; absent if there are no such indexes. */
  readonly uniqueValues?: ((row: StoredEntity) => readonly string[]) | undefined;
  /** Whether the entity is being deleted: if both keys have their own entity, the one under the old key is deleted. */
  readonly isRemoved?: boolean;
}

/** The result of a move. Nothing remains under the old key, unless rows under both keys were written independently. */
export interface Moved {
  /**
   * `moved`: this call did the last step; `absent`: nothing was under the old key; `both`: both keys have their own
   * entities.
   */
  readonly type: "moved" | "absent" | "both";
  /** The ETags of the moved content under its old key, and its ETag under the new key. */
  readonly from: readonly string[];
  readonly etag?: string | undefined;
}

/** Limit of attempts: one that changes nothing was overtaken by another writer. */
const maxRounds = 20;

/**
 * Moves the row under the old key to the new one, in any state that other movers left.
 *
 * @throws StorageError if storage refuses the row under its new key, or can't be reached. The row can then still be
 *   read under one of its keys, and a later call continues the move
 */
export async function moveRow(
  storage: TableStorage,
  move: RowMove,
  request: RequestOptions = {},
): Promise<Moved> {
  const mover = new Mover(storage, move, { ...request, mayBeStale: false });
  for (let round = 1; ; round++)
    try {
      return await mover.advance(round > 1);
    } catch (error) {
      if (!isOvertakenOrTaken(error) || round === maxRounds) throw error;
    }
}

class Mover {
  readonly #storage: TableStorage;
  readonly #move: RowMove;
  readonly #request: RequestOptions;
  /** The ETags of the row that was moved. */
  readonly #from: string[] = [];
  #etag: string | undefined;

  constructor(storage: TableStorage, move: RowMove, request: RequestOptions) {
    this.#storage = storage;
    this.#move = move;
    this.#request = request;
  }

  /**
   * Reads both keys, and continues the move to its end.
   *
   * @param isCareful - whether index rows of the row may be missing
   */
  async advance(isCareful: boolean): Promise<Moved> {
    const { from, to } = this.#move;
    // Read in this order: a reservation that is read first and still exists was not filled before the old row was read.
    const there = await this.#read(to);
    const here = await this.#read(from);
    if (here === undefined || !this.#isMeant(here)) {
      if (there !== undefined && isMarked(there, reservedRow)) await this.#drop(to, there);
      return this.#ended("absent");
    }
    const isReserved = there !== undefined && isMarked(there, reservedRow);
    if (there !== undefined && !isReserved) return this.#meet(here, isCareful);
    const values = await this.#valuesOf(here);
    await values?.nameBothKeys();
    if (isEntityRow(here) && isOnePartition(this.#move)) return this.#moveAtOnce(here, isCareful, values);
    const reserved = there ?? (await this.#reserve());
    // The move may have ended, and its row been deleted, before this reservation. Then the old row has to be read
    // again.
    const isKnown = isReserved || isEntityRow(here);
    const marked = isEntityRow(here) ? await this.#mark(here) : here;
    if (!isKnown || etagOf(reserved) === undefined || etagOf(marked) === undefined)
      return this.advance(isCareful);
    return this.#finish(marked, reserved, isCareful, values);
  }

  /** Whether a row is an entity that belongs under the new key; a property in the key may have changed. */
  #isMeant(here: StoredEntity): boolean {
    if (!isFormerRow(here)) return false;
    const { PartitionKey, RowKey } = this.#move.moved(here);
    const { partitionKey, rowKey } = this.#move.to.key;
    return PartitionKey === partitionKey && RowKey === rowKey;
  }

  /** The new key has an entity: the moved one, or one that was written independently. */
  async #meet(here: StoredEntity, isCareful: boolean): Promise<Moved> {
    if (isEntityRow(here) && this.#move.isRemoved !== true) return { type: "both", from: [] };
    const isMoved = !isEntityRow(here);
    await this.#remove(here, isCareful);
    return this.#ended(isMoved ? "moved" : "absent");
  }

  /** After an attempt that was overtaken at its last step, the row may already have been moved here. */
  #ended(type: Moved["type"]): Moved {
    const isMoved = this.#etag !== undefined;
    return isMoved ? { type: "moved", from: this.#from, etag: this.#etag } : { type, from: [] };
  }

  async #moveAtOnce(here: StoredEntity, isCareful: boolean, values: MovedValues | undefined): Promise<Moved> {
    const { from, moved, newIndexRows } = this.#move;
    const row = moved(withoutSystemValues(here));
    const added = await withClaims(values, newIndexRows(row));
    const stays = new Set(added.map((write) => keyOfOperation(write).rowKey));
    const dropped = (await this.#indexRows(here, isCareful)).filter(({ key }) => !stays.has(key.rowKey));
    const had = new Set(this.#move.oldIndexRows(here).map(({ rowKey }) => rowKey));
    const operations: WriteOperation[] = [
      { type: "insert", entity: row },
      { type: "delete", key: from.key, etag: etagOf(here) as string },
      ...dropped,
      // A unique row that already belonged to the row may be replaced, since the old row's ETag protects it.
      ...added.map((write) =>
        had.has(keyOfOperation(write).rowKey)
          ? ({ type: "upsert-replace", entity: write.entity } as const)
          : write,
      ),
    ];
    const [written] = await this.#storage.transact(from.table, operations, this.#request);
    await values?.dropOldKey();
    return { type: "moved", from: [etagOf(here) as string], etag: written?.etag };
  }

  async #reserve(): Promise<StoredEntity> {
    const { table, key } = this.#move.to;
    const entity = { ...keysOf(key), [rowProperty]: reservedRow };
    const { etag } = await this.#storage.write(table, { type: "insert", entity }, this.#request);
    return withEtag(entity, etag);
  }

  /** Hides the row from programs that know only its old key. */
  async #mark(here: StoredEntity): Promise<StoredEntity> {
    const { table, key } = this.#move.from;
    const [before, entity] = [etagOf(here) as string, { ...keysOf(key), [rowProperty]: movedRow }];
    const operation = { type: "merge", entity, etag: before } as const;
    const { etag } = await this.#storage.write(table, operation, this.#request);
    this.#from.push(before);
    return withEtag({ ...here, [rowProperty]: movedRow }, etag);
  }

  /** Writes the row over its reservation, and deletes it under its old key. */
  async #finish(
    here: StoredEntity,
    reserved: StoredEntity,
    isCareful: boolean,
    values: MovedValues | undefined,
  ): Promise<Moved> {
    const { to, moved, newIndexRows } = this.#move;
    const row = moved(withoutSystemValues(here));
    const operations: WriteOperation[] = [
      { type: "replace", entity: row, etag: etagOf(reserved) as string },
      ...(await withClaims(values, newIndexRows(row))),
    ];
    const [written] = await this.#transact(to.table, operations);
    this.#from.push(etagOf(here) as string);
    this.#etag = written?.etag;
    await this.#remove(here, isCareful);
    await values?.dropOldKey();
    return this.#ended("moved");
  }

  /** The values that are unique over the table; undefined if the row has none. */
  async #valuesOf(here: StoredEntity): Promise<MovedValues | undefined> {
    const { from, to, moved, uniqueValues } = this.#move;
    const rowKeys = uniqueValues?.(moved(withoutSystemValues(here))) ?? [];
    if (rowKeys.length === 0) return undefined;
    const { MovedValues: Values } = await import("../claims/move-values.ts");
    const row = { table: to.table, from: from.key, to: to.key, rowKeys };
    return new Values(this.#storage, row, this.#request);
  }

  async #remove(here: StoredEntity, isCareful: boolean): Promise<void> {
    const { table, key } = this.#move.from;
    const own: WriteOperation = { type: "delete", key, etag: etagOf(here) as string };
    await this.#transact(table, [own, ...(await this.#indexRows(here, isCareful))]);
  }

  /** The deletes of a row's index rows. Rows of an index that is being built may be missing. */
  async #indexRows(here: StoredEntity, isCareful: boolean) {
    const { from, oldIndexRows } = this.#move;
    const keys = oldIndexRows(here);
    const stored = await inParallel([...keys], pointReads, async (key) =>
      !isCareful || (await this.#read({ table: from.table, key })) !== undefined ? [key] : [],
    );
    return stored.flat().map((key) => ({ type: "delete", key, etag: "*" }) as const);
  }

  async #drop({ table, key }: RowPlace, row: StoredEntity): Promise<void> {
    const operation = { type: "delete", key, etag: etagOf(row) as string } as const;
    await this.#storage.write(table, operation, this.#request);
  }

  async #transact(table: string, operations: readonly WriteOperation[]) {
    const [only, another] = operations;
    return only !== undefined && another === undefined
      ? [await this.#storage.write(table, only, this.#request)]
      : this.#storage.transact(table, operations, this.#request);
  }

  #read({ table, key }: RowPlace): Promise<StoredEntity | undefined> {
    return this.#storage.get(table, key, this.#request);
  }
}

const isMarked = (row: StoredEntity, mark: string): boolean => row[rowProperty] === mark;

const keysOf = ({ partitionKey, rowKey }: EntityKey) => ({ PartitionKey: partitionKey, RowKey: rowKey });

const isOnePartition = ({ from, to }: RowMove): boolean =>
  from.table.toLowerCase() === to.table.toLowerCase() && from.key.partitionKey === to.key.partitionKey;

/** Another writer came first; the next attempt reads its changes. */
const isOvertakenOrTaken = (error: unknown): boolean =>
  StorageError.is(error) && error.applied === "no" && [404, 409, 412].includes(error.status ?? 0);

const withClaims = async (
  values: MovedValues | undefined,
  writes: readonly NewRowWrite[],
): Promise<readonly NewRowWrite[]> => values?.withClaims(writes) ?? writes;
