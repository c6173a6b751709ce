// `place-index-rows.ts` calls this file for entities with values that are unique over the table. It claims the values as
// a save does (`work/claims` in core), and writes the index rows in a transaction with the marker of the claim.

import type { EntityKey, StorageError, TableStorage } from "@partita/core";
import { conflictReason, isClosedMarker, markerRow, retriesOf, retryReads } from "@partita/core/internal";
import {
  claimProperty,
  type ClaimPort,
  claimValue,
  etagOf,
  isSameKey,
  newClaim,
  newMarkerKey,
  ownerProperty,
  reservationKey,
  reservationOf,
  type StoredIndexRow,
} from "@partita/core/internal/jobs";
import type { EntityModel } from "@partita/core/models";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { jobRetry } from "../jobs/table-job.ts";
import type { IndexTarget } from "./index-target.ts";
import { isAboutRow, isOvertakenOrTaken, type PlaceOptions, touch } from "./place-options.ts";

/** Attempts for an entity that other programs change meanwhile. */
const maxTries = 10;

/**
 * Writes the rows of one entity in indexes that are unique over the table. If another entity has a value, that entity
 * keeps it.
 */
export async function placeClaimedRows(
  storage: TableStorage,
  target: IndexTarget,
  key: EntityKey,
  options: PlaceOptions,
): Promise<void> {
  await new ClaimedPlacer(storage, target, options).place(key);
}

/** An entity's stored row, and its index rows that need claims. */
interface Claiming {
  readonly main: StoredEntity;
  readonly model: EntityModel;
  readonly rows: readonly StoredIndexRow[];
}

class ClaimedPlacer {
  readonly #storage: TableStorage;
  readonly #port: ClaimPort;
  readonly #target: IndexTarget;
  readonly #options: PlaceOptions;

  constructor(storage: TableStorage, target: IndexTarget, options: PlaceOptions) {
    const retries = retriesOf(storage, jobRetry);
    this.#storage = storage;
    this.#port = {
      storage: retryReads(storage, retries),
      table: target.table,
      retries,
      signal: options.signal,
    };
    this.#target = target;
    this.#options = options;
  }

  async place(key: EntityKey): Promise<void> {
    for (let tries = 1; ; tries++) {
      const claiming = await this.#plan(key);
      if (claiming === undefined) return;
      const error = await this.#send(key, claiming);
      if (error === undefined) return;
      if (!isOvertakenOrTaken(error) || tries === maxTries) return this.#options.onRefused?.(key, error);
      this.#options.onChanged?.();
    }
  }

  /** The rows that the entity lacks; undefined if it lacks none. */
  async #plan(key: EntityKey): Promise<Claiming | undefined> {
    const main = await this.#read(key);
    const model = main && this.#target.modelOf(main);
    if (main === undefined || model === undefined) return undefined;
    const { isWanted = () => true } = this.#options;
    const rows: StoredIndexRow[] = [];
    for (const row of this.#rowsOf(model, main))
      if (row.index.isOverTable && isWanted(row) && !(await this.#isPlaced(row, key))) rows.push(row);
    return rows.length === 0 ? undefined : { main, model, rows };
  }

  /** A row that cannot be read as an entity is reported by a check of the index. */
  #rowsOf(model: EntityModel, main: StoredEntity): readonly StoredIndexRow[] {
    try {
      return this.#target.rowsOf(model, main);
    } catch {
      return [];
    }
  }

  async #isPlaced(row: StoredIndexRow, key: EntityKey): Promise<boolean> {
    const stored = await this.#read(row.key);
    if (stored?.[ownerProperty] !== key.rowKey || stored[claimProperty] === undefined) return false;
    const reserved = await this.#read(reservationKey(row.key.rowKey));
    const holders = (reserved && reservationOf(reserved))?.holders ?? [];
    return holders.some((holder) => isSameKey(holder, key));
  }

  /** The reason of a refusal; undefined if the rows are stored, or other entities have the values. */
  async #send(key: EntityKey, { main, model, rows }: Claiming): Promise<StorageError | undefined> {
    const { patiently, signal } = this.#options;
    const id = newMarkerKey();
    const claim = newClaim(id, key.partitionKey, this.#port.retries.clock);
    const writes: WriteOperation[] = [];
    const placed: StoredIndexRow[] = [];
    const end = (): undefined => {
      for (const row of placed) this.#options.onClaimed?.(row);
    };
    for (const row of rows) {
      const { index, key: at, operation } = row;
      try {
        await claimValue(this.#port, { model, index, rowKey: at.rowKey, holders: [key], at: 0 }, claim);
        writes.push({ type: "upsert-replace", entity: { ...operation.entity, [claimProperty]: id } });
        placed.push(row);
      } catch (error) {
        if (conflictReason(error) !== "unique") throw error;
      }
    }
    if (writes.length === 0) return undefined;
    const marker = markerRow({ partitionKey: key.partitionKey, rowKey: id }, "written");
    const operations: WriteOperation[] = [
      { type: "insert", entity: marker },
      touch({ key, etag: etagOf(main) }),
      ...writes,
    ];
    try {
      await patiently(() => this.#storage.transact(this.#target.table, operations, { signal }));
      return end();
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      if (error.serviceCode !== "EntityAlreadyExists") return error;
      // An earlier attempt was applied, or another program refused the claim.
      const found = await this.#read({ partitionKey: key.partitionKey, rowKey: id });
      return found === undefined || isClosedMarker(found) ? error : end();
    }
  }

  #read(key: EntityKey): Promise<StoredEntity | undefined> {
    const { storage, table, signal } = this.#port;
    return storage.get(table, key, { mayBeStale: false, signal });
  }
}
