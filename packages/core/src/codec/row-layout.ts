import {
  type EntityKey,
  isSystemName,
  type StoredEntity,
  type StoredEntityDraft,
} from "../edm/stored-entity.ts";
import { UpgradeError } from "../errors/upgrade-error.ts";
import { type EntityModel, writeHistoryProperty, writeIdProperty } from "../model/entity-model.ts";
import type { EntitySize } from "../storage/limits.ts";

/*
 * Where a row has what belongs to no property of its class: keys, ETag, Timestamp, the kind, the version of the class
 * that wrote it, and the ids of the writes that made it. Which names a table has for kind and version is its model's.
 */

/** The key a row is stored under. */
export const keyOfStored = ({ PartitionKey, RowKey }: StoredEntity): EntityKey => ({
  partitionKey: PartitionKey,
  rowKey: RowKey,
});

/** The keys, kind and version every whole image of an entity carries; members without a value are undefined. */
export function newImage({ kind, version, emptyImage }: EntityModel, key: EntityKey): StoredEntityDraft {
  const stored: StoredEntityDraft = { ...emptyImage };
  stored.PartitionKey = key.partitionKey;
  stored.RowKey = key.rowKey;
  if (kind?.isStored === true) stored[kind.storedName] = kind.name;
  if (version !== undefined) stored[version.storedName] = version.number;
  return stored;
}

/** The size of an image without its keys and properties, as the service counts it. */
export function sizeOfImage({ kind, version }: EntityModel): EntitySize {
  let [bytes, count] = [4, 0];
  if (kind?.isStored === true) {
    bytes += 8 + 2 * kind.storedName.length + 2 * kind.name.length + 4;
    count++;
  }
  if (version !== undefined) {
    bytes += 8 + 2 * version.storedName.length + 4;
    count++;
  }
  return { bytes, count };
}

/** How many members of a row are of its layout; never equal where the row has no version, so that it is looked at closely. */
export function countLayoutMembers({ kind, version, options }: EntityModel, stored: StoredEntity): number {
  let count = 2;
  if (stored.Timestamp !== undefined) count++;
  if (stored["odata.etag"] !== undefined) count++;
  if (options.writeId) {
    if (stored[writeIdProperty] !== undefined) count++;
    if (stored[writeHistoryProperty] !== undefined) count++;
  }
  if (kind?.isStored === true && stored[kind.storedName] === kind.name) count++;
  if (version !== undefined) count += stored[version.storedName] === version.number ? 1 : 0.5;
  return count;
}

/** Whether a member of a row is of its layout, and is as the class itself would write it. */
export function isLayoutMember(model: EntityModel, stored: StoredEntity, name: string): boolean {
  const { kind, version } = model;
  if (isSystemName(name) || isWriteId(model, name)) return true;
  if (kind?.isStored === true && name === kind.storedName && stored[name] === kind.name) return true;
  return name === version?.storedName && stored[name] === version.number;
}

/** Whether rows of a class have the ids of their writes under this name. Every write has an id of its own. */
export const isWriteId = ({ options }: EntityModel, name: string): boolean =>
  options.writeId && (name === writeIdProperty || name === writeHistoryProperty);

/** Whether a row is of a model's kind, be it under a name that the kind had before. */
export function isOfKind({ kind }: EntityModel, row: StoredEntity): boolean {
  if (kind === undefined) return true;
  return kind.isStored ? kind.names.includes(String(row[kind.storedName])) : kind.isOfKind?.(row) === true;
}

/**
 * The version a row of a class with upgrades was written with. A row without a version is of the first one.
 *
 * @throws UpgradeError `upgrade.version` for something else than a version
 */
export function versionOfRow(model: EntityModel, stored: StoredEntity): number {
  const { storedName } = model.version as { readonly storedName: string };
  const found = stored[storedName];
  if (found === undefined) return 1;
  if (typeof found === "number" && Number.isInteger(found) && found >= 1) return found;
  throw UpgradeError.notAVersion({ entity: model.name, key: keyOfStored(stored) }, storedName);
}

/** What a row is written with: all of it, except what the store itself gives. */
export function withoutSystemValues(stored: StoredEntity): StoredEntity {
  const entity: StoredEntityDraft = { ...stored };
  delete entity.Timestamp;
  delete entity["odata.etag"];
  return entity;
}

/** The ids of the writes that made a row what it is, the latest first. */
export function writeIdsOf(row: StoredEntity): readonly string[] {
  const [id, history] = [row[writeIdProperty], row[writeHistoryProperty]];
  if (typeof id !== "string") return [];
  return typeof history === "string" && history !== "" ? [id, ...history.split(" ")] : [id];
}

/**
 * A row with the id of the write that stores it, and the ids of the writes before that one.
 *
 * @param isMerge - whether other members of the stored row stay: a history that is not named would be of another version
 */
export function withWriteIds(
  entity: StoredEntity,
  id: string,
  earlier: readonly string[],
  isMerge: boolean,
): StoredEntity {
  const hasHistory = isMerge || earlier.length > 0;
  return {
    ...entity,
    [writeIdProperty]: id,
    ...(hasHistory && { [writeHistoryProperty]: earlier.join(" ") }),
  };
}
