import type { EntityKey } from "@partita/core";
import { claimProperty, isReservationRow, reservationKey, reservationOf } from "@partita/core/internal/jobs";
import type { StoredEntity } from "@partita/core/storage";
import { bucketOf, RowSums } from "../jobs/row-sums.ts";

/** A value that is unique over the table, and the rows that hold it. */
export interface ReservedValue {
  /** The RowKey of its rows in the unique index. */
  readonly rowKey: string;
  /** The entities that hold it. */
  readonly holders: EntityKey[];
  /** The stored reservation, if there is one. */
  row?: StoredEntity;
}

/**
 * Compares the reservations of a table with the entities that hold their values, in little memory. A reservation that
 * names several rows always counts as different.
 */
export class Reservations {
  readonly #sums = new RowSums();

  /** An entity holds a value. */
  expect(rowKey: string, holder: EntityKey): void {
    this.#sums.add(rowOf(rowKey, [holder]), 1);
  }

  /** A reservation is stored. */
  found(row: StoredEntity): void {
    this.#sums.add(rowOf(row.RowKey, reservationOf(row)?.holders ?? []), -1);
  }

  /** Buckets of values with differences, in lists of at most this many values together. */
  differing(maxValues: number): readonly ReadonlySet<number>[] {
    return this.#sums.differing(maxValues);
  }
}

/** The values in some buckets, with their holders and reservations. */
export class ValuesInBuckets {
  readonly #buckets: ReadonlySet<number>;
  readonly #values = new Map<string, ReservedValue>();

  constructor(buckets: ReadonlySet<number>) {
    this.#buckets = buckets;
  }

  expect(rowKey: string, holder: EntityKey): void {
    this.#valueOf(rowKey)?.holders.push(holder);
  }

  found(row: StoredEntity): void {
    const value = isReservationRow(row) ? this.#valueOf(row.RowKey) : undefined;
    if (value !== undefined) value.row = row;
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
  return { PartitionKey: partitionKey, RowKey: rowKey, Holders: JSON.stringify(holders.map(pairOf)) };
}

const pairOf = ({ partitionKey, rowKey }: EntityKey): readonly [string, string] => [partitionKey, rowKey];

/** An index row without the claim to its value, which the entity's own row does not show. */
export const withoutClaim = (row: StoredEntity): StoredEntity =>
  row[claimProperty] === undefined ? row : ({ ...row, [claimProperty]: undefined } as never);
