import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { reservationPrefix, rowProperty } from "../declaration/entity-model.ts";
import { etagOf } from "./row-layout.ts";

/*
 * The rows that make values unique over a table. A reservation names the row that may hold a value, and the transaction
 * that stores it there. It proves nothing by itself: a row holds the value only if it is stored in that row.
 */

/** The member of a unique index row with the claim that brought the value to its entity. */
export const claimProperty = "_u";

/** A reservation of a value. */
export interface Reservation {
  /** The rows that may hold the value: one, or two while the value passes from one to the other. */
  readonly holders: readonly EntityKey[];
  /** The claim: the RowKey of the marker of the transaction that stores the value. */
  readonly claim: string;
  /** The partition of that marker. */
  readonly home: string;
}

/** A stored reservation. */
export interface StoredReservation extends Reservation {
  readonly etag: string;
}

/** The key of the reservation for a value, which its row in the unique index has as RowKey. */
export const reservationKey = (rowKey: string): EntityKey => ({
  partitionKey: reservationPrefix + bucketOf(rowKey),
  rowKey,
});

/** The value of `_row` in the reservations of an index. */
export const reservationType = (index: string): string => `reservation:${index}`;

export const isReservationRow = (row: StoredEntity): boolean =>
  String(row[rowProperty]).startsWith(reservationType(""));

export const reservationRow = (
  rowKey: string,
  index: string,
  { holders, claim, home }: Reservation,
): StoredEntity => ({
  PartitionKey: reservationKey(rowKey).partitionKey,
  RowKey: rowKey,
  [rowProperty]: reservationType(index),
  Holders: printHolders(holders),
  Claim: claim,
  Home: home,
});

/** The value of `Holders`. */
export const printHolders = (holders: readonly EntityKey[]): string =>
  JSON.stringify(holders.map(({ partitionKey, rowKey }) => [partitionKey, rowKey]));

/** Reads a reservation; undefined for a row that is none. */
export function reservationOf(row: StoredEntity): StoredReservation | undefined {
  const { Holders, Claim: claim, Home: home } = row;
  if (typeof Holders !== "string" || typeof claim !== "string" || typeof home !== "string") return undefined;
  try {
    const keys = JSON.parse(Holders) as readonly (readonly [string, string])[];
    const holders = keys.map(([partitionKey, rowKey]) => ({ partitionKey, rowKey }));
    return { holders, claim, home, etag: etagOf(row) ?? "*" };
  } catch {
    return undefined;
  }
}

/** One of 256 partitions, as two hexadecimal digits. Source: the FNV-1a hash, www.isthe.com/chongo/tech/comp/fnv. */
function bucketOf(rowKey: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < rowKey.length; i++) hash = Math.imul(hash ^ rowKey.charCodeAt(i), 0x01000193);
  return ((hash >>> 24) ^ (hash & 0xff)).toString(16).padStart(2, "0");
}
