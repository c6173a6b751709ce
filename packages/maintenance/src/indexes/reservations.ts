import type { EntityKey } from "@partita/core";
import { claimProperty, printHolders, reservationKey, reservationOf } from "@partita/core/internal/jobs";
import type { StoredEntity } from "@partita/core/storage";
import { bucketOf, RowSums } from "../jobs/row-sums.ts";

/** A value that is unique over the table, and the rows that hold it. */
export interface ReservedValue {
  /** The RowKey of its rows in the unique index. */
  readonly rowKey: string;
  /** The entities that hold it. */
  readonly holders: EntityKey[];
}

/** Notes the values that are unique over a table, while its rows are read. */
export interface NotedReservations {
  /** An entity holds a value. */
  expect(rowKey: string, holder: EntityKey): void;
  /** A reservation is stored, perhaps of a value that no entity holds. */
  found(row: StoredEntity): void;
}

/**
 * Compares the reservations of a table with the entities that hold their values, in little memory. A reservation that
 * names several rows always counts as different.
 */
export class Reservations implements NotedReservations {
  readonly #sums = new RowSums();

  expect(rowKey: string, holder: EntityKey): void {
    this.#sums.add(rowOf(rowKey, [holder]), 1);
  }

  found(row: StoredEntity): void {
    this.#sums.add(rowOf(row.RowKey, reservationOf(row)?.holders ?? []), -1);
  }

  /** Buckets of values with differences, in lists of at most this many values together. */
  differing(maxValues: number): readonly ReadonlySet<number>[] {
    return this.#sums.differing(maxValues);
  }
}

/** The values in some buckets, with their holders. */
export class ValuesInBuckets implements NotedReservations {
  readonly #buckets: ReadonlySet<number>;
  readonly #values = new Map<string, ReservedValue>();

  constructor(buckets: ReadonlySet<number>) {
    this.#buckets = buckets;
  }

  expect(rowKey: string, holder: EntityKey): void {
    this.#valueOf(rowKey)?.holders.push(holder);
  }

  found(row: StoredEntity): void {
    this.#valueOf(row.RowKey);
  }

  get values(): readonly ReservedValue[] {
    return [...this.#values.values()];
  }

  #valueOf(rowKey: string): ReservedValue | undefined {
    if (!this.#buckets.has(bucketOf(rowOf(rowKey, [])))) return undefined;
    const value = this.#values.get(rowKey) ?? { rowKey, holders: [] };
    this.#values.set(rowKey, value);
    return value;
  }
}

function rowOf(rowKey: string, holders: readonly EntityKey[]): StoredEntity {
  const { partitionKey } = reservationKey(rowKey);
  return { PartitionKey: partitionKey, RowKey: rowKey, Holders: printHolders(holders) };
}

/** An index row without the claim to its value, which the entity's own row does not show. */
export const withoutClaim = (row: StoredEntity): StoredEntity =>
  row[claimProperty] === undefined ? row : ({ ...row, [claimProperty]: undefined } as never);
