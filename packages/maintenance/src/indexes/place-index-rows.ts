// Index builds and repairs (`build-index.ts`, `verify-index.ts`) call `placeIndexRows` with rows of entities. It
// writes their index rows in transactions that also check each entity's ETag.

import type { EntityKey, StorageError, TableStorage } from "@partita/core";
import {
  commitRows,
  keyOfOperation,
  maxTransactionBytes,
  maxTransactionOperations,
} from "@partita/core/internal";
import {
  ageOf,
  etagOf,
  type FoundRow,
  hasSameProperties,
  inParallel,
  keyOfFound,
  ownerProperty,
  pointReads,
  ScannedRow,
  type StoredIndexRow,
} from "@partita/core/internal/jobs";
import type { EntityModel } from "@partita/core/models";
import type { RequestOptions, StoredEntity, WriteOperation } from "@partita/core/storage";
import type { IndexTarget } from "./index-target.ts";
import { placeClaimedRows } from "./place-claimed-rows.ts";
import { isAboutRow, isOvertakenOrTaken, type PlaceOptions, touch } from "./place-options.ts";

/** An entity's own row, with the writes of its index rows. */
interface Placing {
  readonly key: EntityKey;
  /** The version of the row when it was read. */
  readonly etag: string | undefined;
  /** The rows of indexes without claims. */
  readonly rows: readonly StoredIndexRow[];
  readonly writes: readonly WriteOperation[];
  /** Whether the entity has rows in indexes that are unique over the table. */
  readonly hasClaims: boolean;
}

/**
 * Writes the index rows of entities. A transaction includes an empty merge of each entity's own row under its known
 * ETag. So no other program can have changed the entity meanwhile, and programs that read it before have to read it
 * again. Rows that another program changed are read again. If another entity already has a value of a unique index,
 * that entity keeps it.
 *
 * @param storage - without retried reads: `patiently` retries them
 * @param mains - rows of entities
 * @throws StorageError for failures that are not about a row
 */
export async function placeIndexRows(
  storage: TableStorage,
  target: IndexTarget,
  mains: readonly FoundRow[],
  options: PlaceOptions,
): Promise<void> {
  const placer = new Placer(storage, target, options);
  const placings = mains.map((main) => placer.plan(main)).filter((each) => each !== undefined);
  for (const group of groupsOf(placings.filter(({ rows }) => rows.length > 0))) {
    await options.beforeGroup?.();
    await placer.place(group);
  }
  for (const { key } of placings.filter(({ hasClaims }) => hasClaims)) {
    await options.beforeGroup?.();
    await placeClaimedRows(storage, target, key, options);
  }
}

class Placer {
  readonly #storage: TableStorage;
  readonly #target: IndexTarget;
  readonly #options: PlaceOptions;
  readonly #request: RequestOptions;

  constructor(storage: TableStorage, target: IndexTarget, options: PlaceOptions) {
    const { signal } = options;
    this.#storage = storage;
    this.#target = target;
    this.#options = options;
    this.#request = { mayBeStale: false, signal };
  }

  /** Undefined if there is nothing to write, or the row is not an entity of its class. */
  plan(main: FoundRow): Placing | undefined {
    const all = wantedRows(this.#target, main, this.#options);
    if (typeof all !== "string") {
      const rows = all.filter(({ index }) => !index.isOverTable);
      const writes = rows.map(({ operation }) => operation);
      const hasClaims = rows.length < all.length;
      return { key: keyOfFound(main), etag: etagOfFound(main), rows, writes, hasClaims };
    }
    this.#options.onLeft?.(main, all);
    return undefined;
  }

  /** Writes rows together. If that is refused, reads them again and retries, and then splits them in halves. */
  async place(group: readonly Placing[]): Promise<void> {
    for (let open = group, tries = 1; open.length > 0; tries++) {
      const error = await this.#send(open);
      if (error === undefined) return;
      if (open.length > 1 && (tries > 1 || !isOvertakenOrTaken(error))) {
        const middle = open.length >> 1;
        await this.place(open.slice(0, middle));
        return this.place(open.slice(middle));
      }
      if (!isOvertakenOrTaken(error)) {
        const [only] = open;
        if (only !== undefined) this.#options.onRefused?.(only.key, error);
        return;
      }
      open = await this.#readAgain(open);
    }
  }

  /** The reason of storage's refusal; undefined if it was stored. */
  async #send(group: readonly Placing[]): Promise<StorageError | undefined> {
    const operations = [...group.map(touch), ...group.flatMap(({ writes }) => writes)];
    const { patiently, onPlaced, onStored } = this.#options;
    try {
      const results = await patiently(() =>
        commitRows(this.#storage, this.#target.table, operations, this.#request),
      );
      for (const [i, operation] of operations.entries())
        onStored?.(keyOfOperation(operation), results[i]?.etag);
    } catch (error) {
      if (isAboutRow(error)) return error;
      throw error;
    }
    for (const { rows } of group) for (const row of rows) onPlaced?.(row);
    return undefined;
  }

  async #readAgain(group: readonly Placing[]): Promise<readonly Placing[]> {
    const found = await inParallel(group, pointReads, async ({ key, etag }): Promise<Placing | undefined> => {
      const now = await this.#read(key);
      if (now === undefined || etagOf(now) !== etag) this.#options.onChanged?.();
      const again = now && this.plan(now);
      return again && this.#overStored(again);
    });
    return found.filter((each) => each !== undefined);
  }

  /** The writes of unique rows, adapted to the rows that are stored under their keys. */
  async #overStored({ key, etag, rows, hasClaims }: Placing): Promise<Placing | undefined> {
    const open: { readonly row: StoredIndexRow; readonly write: WriteOperation }[] = [];
    for (const row of rows) {
      const write = row.index.isUnique ? await this.#overStoredUnique(row, key) : row.operation;
      if (write !== undefined) open.push({ row, write });
    }
    if (open.length === 0) return undefined;
    const writes = open.map(({ write }) => write);
    return { key, etag, rows: open.map(({ row }) => row), writes, hasClaims };
  }

  /** Undefined if the row is correct, or another entity has the value. */
  async #overStoredUnique(row: StoredIndexRow, own: EntityKey): Promise<WriteOperation | undefined> {
    const { entity } = row.operation;
    const stored = await this.#read(row.key);
    if (stored === undefined) return { type: "insert", entity };
    if (hasSameProperties(stored, entity)) {
      this.#options.onPlaced?.(row);
      return undefined;
    }
    const owner = stored[ownerProperty];
    if (typeof owner === "string" && owner !== own.rowKey && (await this.#hasRow(row, owner)))
      return undefined;
    return { type: "replace", entity, etag: etagOf(stored) ?? "*" };
  }

  /** Whether an entity requires the same unique index row; assumed if the entity cannot be read. */
  async #hasRow({ key: { partitionKey, rowKey } }: StoredIndexRow, owner: string): Promise<boolean> {
    const row = await this.#read({ partitionKey, rowKey: owner });
    const claims = row && claimOf(this.#target, row, rowKey);
    return claims !== undefined && claims !== "none";
  }

  #read(key: EntityKey): Promise<StoredEntity | undefined> {
    const { patiently } = this.#options;
    return patiently(() => this.#storage.get(this.#target.table, key, this.#request));
  }
}

/**
 * The index row that an entity's row requires under a key; `unknown` if the stored row cannot be read as an entity or
 * is of a newer release, and `other` if it belongs to another class.
 */
export function claimOf(
  target: IndexTarget,
  main: StoredEntity,
  rowKey: string,
): StoredIndexRow | "none" | "unknown" | "other" {
  const model = target.modelOf(main);
  if (model === undefined) return "other";
  try {
    const found = target.rowsOf(model, main).find(({ key }) => key.rowKey === rowKey);
    // A newer release may have the values in properties with other names.
    return found ?? (ageOf(model, main) === "newer" ? "unknown" : "none");
  } catch {
    return "unknown";
  }
}

/** The ETag a row was read with; undefined if the storage returned none. */
export const etagOfFound = (row: FoundRow): string | undefined =>
  ScannedRow.is(row) ? row.etag : etagOf(row);

function wantedRows(
  target: IndexTarget,
  main: FoundRow,
  { isWanted }: PlaceOptions,
): readonly StoredIndexRow[] | "other" | "unreadable" | "empty" {
  const model: EntityModel | undefined = target.modelOf(main);
  if (model === undefined) return "other";
  try {
    const all = target.rowsOf(model, main);
    const rows = isWanted === undefined ? all : all.filter(isWanted);
    return rows.length === 0 ? "empty" : rows;
  } catch {
    // A check of the index reports the actual contents.
    return "unreadable";
  }
}

/** Groups that fit one transaction each, in the order of the rows. Each unique index row occurs in a group once. */
function groupsOf(placings: readonly Placing[]): Placing[][] {
  const groups: Placing[][] = [];
  let [count, bytes] = [0, 0];
  const taken = new Set<string>();
  for (const placing of placings) {
    const { key, rows } = placing;
    const size = rows.reduce((sum, row) => sum + sentBytesOf(row), 1024);
    const last = groups.at(-1);
    const fits =
      last?.[0]?.key.partitionKey === key.partitionKey &&
      count + 1 + rows.length <= maxTransactionOperations &&
      bytes + size <= maxTransactionBytes &&
      rows.every((row) => !taken.has(row.key.rowKey));
    if (fits) last.push(placing);
    else {
      groups.push([placing]);
      [count, bytes] = [0, 0];
      taken.clear();
    }
    count += 1 + rows.length;
    bytes += size;
    for (const row of rows) taken.add(row.key.rowKey);
  }
  return groups;
}

/** Escaped quotes and multi-byte text take more bytes in a request than the service counts. */
const sentBytesOf = ({ bytes }: StoredIndexRow): number => 3 * bytes + 1024;
