// The parts of a page's query that the stores over SQL databases share.

import {
  annotationOf,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { allOf, type FilterNode } from "../../values/filter/filter-node.ts";
import { conjunctsOf, isKeyBound, type KeyBounds } from "../../values/filter/key-bounds.ts";
import { onlyText } from "../../values/keys/text-range.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { ContinuationToken } from "../../storage/table-storage.ts";

/** A key in the form of its columns. */
export type Position = readonly [pk: string, rk: string];

/** @throws StorageError `storage.invalid-input` for a page size that the service does not have */
export function checkTop(top: number = maxPageSize): number {
  if (Number.isInteger(top) && top >= 1 && top <= maxPageSize) return top;
  throw StorageError.ofService("InvalidInput", `top must be 1 to ${maxPageSize}`);
}

/**
 * The rest of a filter after seeking by key. The seek covers the PartitionKey, and also the RowKey within a single
 * partition.
 */
export function restOf(filter: FilterNode | undefined, { partitionKey }: KeyBounds): FilterNode | undefined {
  const isOne = onlyText(partitionKey) !== undefined;
  return allOf(conjunctsOf(filter).filter((node) => !isKeyBound(node) || (node.name === "RowKey" && !isOne)));
}

/** The length of the first key marks the start of the second. */
export const printPosition = ([pk, rk]: Position): ContinuationToken =>
  `${pk.length}:${pk}${rk}` as ContinuationToken;

/** @throws StorageError `storage.invalid-input` for another store's token */
export function parsePosition(token: ContinuationToken): Position {
  const [, digits] = /^(\d{1,4}):/.exec(token) ?? [];
  const [start, length] = [(digits?.length ?? 0) + 1, Number(digits)];
  if (digits === undefined || token.length < start + length)
    throw StorageError.ofService("InvalidInput", "the continuation token does not belong to this store");
  return [token.slice(start, start + length), token.slice(start + length)];
}

/** The keys, system values and selected properties of an entity. */
export function project(entity: StoredEntity, select: readonly string[]): StoredEntity {
  const { PartitionKey, RowKey, Timestamp, "odata.etag": etag } = entity;
  const projected: StoredEntityDraft = {
    PartitionKey,
    RowKey,
    ...(Timestamp && { Timestamp }),
    ...(etag && { "odata.etag": etag }),
  };
  for (const name of select) {
    if (!Object.hasOwn(entity, name)) continue;
    setMember(projected, name, entity[name]);
    const annotation = annotationOf(name);
    if (entity[annotation] !== undefined) projected[annotation] = entity[annotation];
  }
  return projected;
}
