// `verify-index.ts` calls this file after it has compared index rows, if an index is unique over the table. It finds
// entities with values that are not reserved, and reservations that no entity needs.

import type { EntityKey, TableStorage } from "@partita/core";
import { followPages, type Retries } from "@partita/core/internal";
import {
  type ClaimPort,
  fence,
  holdsValue,
  type IndexOfClass,
  inParallel,
  isSameKey,
  pointReads,
  reservationKey,
  reservationOf,
} from "@partita/core/internal/jobs";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import type { IndexTarget } from "./index-target.ts";
import { placeClaimedRows } from "./place-claimed-rows.ts";
import type { PlaceOptions } from "./place-options.ts";
import { seenIn } from "./read-range.ts";
import { type Reservations, type ReservedValue, ValuesInBuckets } from "./reservations.ts";

/** Maximum number of values in memory. */
const maxValues = 100_000;

/** A value with a wrong reservation. */
export interface ReservationFinding {
  readonly index: string;
  /** `missing`: an entity holds it, but it is not reserved for that entity; `left`: no entity holds it. */
  readonly type: "missing" | "left";
  readonly key: EntityKey;
  readonly entity: EntityKey | undefined;
  /** The entities that hold it, if there are several. */
  readonly duplicates: readonly EntityKey[];
  readonly isRepaired: boolean;
}

/** The table with the reservations. */
export interface ReservationSource {
  /** Without retried reads. */
  readonly ownStorage: TableStorage;
  /** The same storage, with retried reads. */
  readonly storage: TableStorage;
  readonly target: IndexTarget;
  readonly retries: Retries;
  readonly request: RequestOptions;
  readonly place: PlaceOptions;
  readonly repair: boolean;
}

/** Finds the wrong reservations of a table, and repairs them if requested. */
export async function verifyReservations(
  source: ReservationSource,
  reservations: Reservations,
  onFinding: (finding: ReservationFinding) => void,
): Promise<void> {
  for (const buckets of reservations.differing(maxValues)) {
    const values = await valuesIn(source, buckets);
    await inParallel(values, pointReads, async (value) => {
      for (const finding of await examine(source, value)) onFinding(finding);
    });
  }
}

/** Reads the table again, and returns the values in some buckets. */
async function valuesIn(
  { storage, target, request }: ReservationSource,
  buckets: ReadonlySet<number>,
): Promise<readonly ReservedValue[]> {
  const found = new ValuesInBuckets(buckets);
  const reader = { target, reservations: found, onUnreadable: () => undefined };
  for await (const page of followPages(storage, target.table, {}, request))
    for (const row of page.entities) seenIn(reader, row);
  return found.values;
}

async function examine(source: ReservationSource, value: ReservedValue): Promise<ReservationFinding[]> {
  const { target, storage, retries, request } = source;
  const of = target.indexes.find(({ index }) => index.isOverTable && value.rowKey.startsWith(index.prefix));
  if (of === undefined) return [];
  const port: ClaimPort = { storage, table: target.table, retries, signal: request.signal };
  const look = await lookAt(port, of, value);
  const about = { index: of.index.name, key: reservationKey(value.rowKey) };
  if (look.holders.length === 0) {
    if (look.row === undefined) return [];
    const isRepaired = source.repair && (await removeLeft(port, of, value.rowKey));
    return [{ ...about, type: "left", entity: undefined, duplicates: [], isRepaired }];
  }
  // Those of one partition are found with its index rows.
  const isOverPartitions = new Set(look.holders.map(({ partitionKey }) => partitionKey)).size > 1;
  const duplicates = isOverPartitions ? look.holders : [];
  const missing = look.holders.filter((holder) => !names(look.row, holder));
  if (missing.length === 0 && duplicates.length === 0) return [];
  if (source.repair)
    for (const holder of missing) await placeClaimedRows(source.ownStorage, target, holder, source.place);
  const now = source.repair ? await lookAt(port, of, value) : look;
  const isRepaired = now.holders.length === 1 && names(now.row, now.holders[0] as EntityKey);
  return [
    { ...about, type: "missing", entity: missing[0], duplicates: isRepaired ? [] : duplicates, isRepaired },
  ];
}

/** The entities that hold a value now, and its reservation. */
async function lookAt(
  port: ClaimPort,
  { model, index }: IndexOfClass,
  { rowKey, holders }: ReservedValue,
): Promise<{ readonly holders: readonly EntityKey[]; readonly row: StoredEntity | undefined }> {
  const row = await reservationAt(port, rowKey);
  const named = (row && reservationOf(row))?.holders ?? [];
  const all = [...holders, ...named.filter((key) => !holders.some((other) => isSameKey(key, other)))];
  const held = await inParallel(all, pointReads, (key) => holdsValue(port, { model, index, rowKey }, key));
  return { holders: all.filter((_, i) => held[i]), row };
}

/** Deletes a reservation that no row needs. The transaction of its claim can never be applied from then on. */
async function removeLeft(port: ClaimPort, of: IndexOfClass, rowKey: string): Promise<boolean> {
  const row = await reservationAt(port, rowKey);
  const found = row && reservationOf(row);
  if (found === undefined) return true;
  await fence(port, found);
  const { holders } = await lookAt(port, of, { rowKey, holders: [] });
  if (holders.length > 0) return false;
  const operation = { type: "delete", key: reservationKey(rowKey), etag: found.etag } as const;
  return port.storage.write(port.table, operation, { signal: port.signal }).then(
    () => true,
    () => false,
  );
}

const reservationAt = (port: ClaimPort, rowKey: string): Promise<StoredEntity | undefined> =>
  port.storage.get(port.table, reservationKey(rowKey), { mayBeStale: false, signal: port.signal });

const names = (row: StoredEntity | undefined, key: EntityKey): boolean =>
  ((row && reservationOf(row))?.holders ?? []).some((holder) => isSameKey(holder, key));
