// `verify-index.ts` calls this file. `readRange` sums up hashes of the existing and the expected index rows of a key
// range. If the sums differ, `findSuspects` reads the range again and returns the rows to inspect.

import type { TableStorage } from "@partita/core";
import { asError, followPages, keyOfStored } from "@partita/core/internal";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import type { FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";
import type { Suspect } from "./inspect-index-row.ts";
import type { IndexTarget } from "./index-target.ts";
import { type NotedReservations, withoutClaim } from "./reservations.ts";
import { bucketOf, hashOf, RowSums } from "../jobs/row-sums.ts";

/** An index row: one that an entity's row requires, or one that is stored. */
interface SeenRow {
  readonly row: StoredEntity;
  /** The RowKey of the entity that should have it; undefined for a stored row. */
  readonly owner: string | undefined;
}

/** The options for reading a key range of a table. */
export interface RangeReader {
  readonly storage: TableStorage;
  readonly target: IndexTarget;
  readonly request: RequestOptions;
  /** Notes the values that are unique over the table, and their reservations. */
  readonly reservations?: NotedReservations;
  /** Called for each row of an entity that cannot be read, or does not fit an index. */
  readonly onUnreadable: (row: StoredEntity, reason: Error) => void;
  /** Called after each page. */
  readonly onRead: (counts: ReadCounts) => void;
}

interface ReadCounts {
  readonly read: number;
  readonly entities: number;
  readonly rows: number;
  /** Entities of kinds that were not requested, or that no class declares. */
  readonly others: number;
}

/** Some partitions of a table, with the sums of their existing and expected index rows. */
export interface KeyRange {
  readonly sums: RowSums;
  readonly first: string;
  readonly last: string;
  /** Whether it is the last one. */
  readonly isAtEnd: boolean;
}

/** Number of rows after which a key range ends with its partition, so small partitions are compared together. */
const rowsOfRange = 65_536;

/** Maximum number of entities with one value that are checked: more would not change the repair. */
const maxOwners = 16;

/**
 * Reads the partitions after one, and sums up their rows. A storage without key order is read completely.
 *
 * @returns undefined if there are none
 */
export async function readRange(
  reader: RangeReader,
  after: string | undefined,
): Promise<KeyRange | undefined> {
  const { storage, target, request, onRead } = reader;
  const filter = after === undefined ? undefined : compare("gt", "PartitionKey", textLiteral(after));
  const sums = new RowSums();
  let bounds: { readonly first: string; last: string } | undefined;
  let total = 0;
  for await (const page of followPages(storage, target.table, filter ? { filter } : {}, request)) {
    let [read, entities, rows, others] = [0, 0, 0, 0];
    for (const row of page.entities) {
      const isNext = bounds !== undefined && bounds.last !== row.PartitionKey;
      if (bounds !== undefined && isNext && total >= rowsOfRange && storage.isUnordered !== true) {
        onRead({ read, entities, rows, others });
        return { sums, ...bounds, isAtEnd: false };
      }
      if (bounds === undefined) bounds = { first: row.PartitionKey, last: row.PartitionKey };
      else bounds.last = row.PartitionKey;
      total++;
      read++;
      const seen = seenIn(reader, row);
      if (seen !== "stored" && target.isOfOtherKind(row)) others++;
      if (seen === "other") continue;
      if (seen === "stored") {
        rows++;
        sums.add(withoutClaim(row), -1);
      } else {
        entities++;
        for (const each of seen) sums.add(each.row, 1);
      }
    }
    onRead({ read, entities, rows, others });
  }
  return bounds && { sums, ...bounds, isAtEnd: true };
}

/** Reads a key range again, and finds rows in these buckets that may be wrong. */
export async function findSuspects(
  reader: RangeReader,
  { first, last }: KeyRange,
  buckets: ReadonlySet<number>,
): Promise<readonly Suspect[]> {
  const { storage, target, request } = reader;
  const suspects = new Map<string, Balance>();
  const note = (seen: SeenRow): void => {
    if (!buckets.has(bucketOf(seen.row))) return;
    const id = JSON.stringify([seen.row.PartitionKey, seen.row.RowKey]);
    const balance = suspects.get(id) ?? new Balance(seen.row);
    balance.add(seen);
    if (balance.isEven) suspects.delete(id);
    else suspects.set(id, balance);
  };
  const { reservations: _noted, ...rest } = reader;
  const quiet = { ...rest, onUnreadable: () => undefined };
  const filter = storage.isUnordered === true ? undefined : between(first, last);
  for await (const page of followPages(storage, target.table, filter ? { filter } : {}, request))
    for (const row of page.entities) {
      const seen = seenIn(quiet, row);
      if (seen === "stored") note({ row: withoutClaim(row), owner: undefined });
      else if (seen !== "other") for (const each of seen) note(each);
    }
  return [...suspects.values()];
}

/** The expected rows under one key, compared with the stored one. */
class Balance implements Suspect {
  readonly key: Suspect["key"];
  readonly owners: Set<string> = new Set();
  #low = 0;
  #high = 0;
  #surplus = 0;

  constructor(row: StoredEntity) {
    this.key = keyOfStored(row);
  }

  add({ row, owner }: SeenRow): void {
    const sign = owner === undefined ? -1 : 1;
    const [low, high] = hashOf(row);
    this.#low += sign * low;
    this.#high += sign * high;
    this.#surplus += sign;
    if (owner !== undefined && this.owners.size < maxOwners) this.owners.add(owner);
  }

  get isEven(): boolean {
    return this.#surplus === 0 && this.#low === 0 && this.#high === 0;
  }
}

/** The index rows that an entity requires, or that the row is an index row, or neither. */
export function seenIn(
  { target, onUnreadable, reservations }: Pick<RangeReader, "target" | "onUnreadable" | "reservations">,
  row: StoredEntity,
): readonly SeenRow[] | "stored" | "other" {
  if (target.hasReservation(row)) reservations?.found(row);
  if (target.indexOf(row) !== undefined) return "stored";
  const model = target.modelOf(row);
  if (model === undefined) return "other";
  try {
    return target.rowsOf(model, row).map(({ index, key, operation }) => {
      if (index.isOverTable) reservations?.expect(key.rowKey, keyOfStored(row));
      return { row: operation.entity, owner: row.RowKey };
    });
  } catch (error) {
    onUnreadable(row, asError(error));
    return [];
  }
}

function between(first: string, last: string): FilterNode | undefined {
  if (first === last) return compare("eq", "PartitionKey", textLiteral(first));
  return allOf([
    compare("ge", "PartitionKey", textLiteral(first)),
    compare("le", "PartitionKey", textLiteral(last)),
  ]);
}
