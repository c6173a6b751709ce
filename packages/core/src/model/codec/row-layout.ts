import {
  annotationOf,
  type EntityKey,
  isSystemName,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../../values/edm/stored-entity.ts";
import { UpgradeError } from "../../values/errors/upgrade-error.ts";
import { compare, type FilterNode, textLiteral } from "../../values/filter/filter-node.ts";
import {
  type EntityModel,
  indexRowType,
  markerPrefix,
  outboxPrefix,
  reservationPrefix,
  rowProperty,
  type TableSettings,
  type VersionModel,
} from "../declaration/entity-model.ts";
import type { EntitySize } from "../../storage/limits.ts";
import type { RowBody } from "../../storage/row-reader.ts";

/*
 * The members of a row that belong to no property of its class: keys, ETag, Timestamp, the kind, and the version of
 * the class that wrote it. The model of a table decides the names of kind and version.
 */

/** Whether a row is an entity; index rows, markers and messages of an outbox are not. */
export const isEntityRow = (row: StoredEntity): boolean => row[rowProperty] === undefined;

/** The kinds of rows that are not entities. */
export type NonEntity = "marker" | "message" | "index" | "reservation";

/** The use that a key with a reserved prefix belongs to; undefined for the key of an entity. */
export function reservedForOf(
  { options, reservedPrefixes, indexes }: Pick<EntityModel, "options" | "reservedPrefixes" | "indexes">,
  { partitionKey, rowKey }: EntityKey,
): NonEntity | undefined {
  if (partitionKey.startsWith(reservationPrefix) && indexes.some(({ isOverTable }) => isOverTable))
    return "reservation";
  if (options.proof === "marker" && rowKey.startsWith(markerPrefix)) return "marker";
  if (options.outbox && rowKey.startsWith(outboxPrefix)) return "message";
  return reservedPrefixes.some((prefix) => rowKey.startsWith(prefix)) ? "index" : undefined;
}

/** The key a row is stored under. */
export const keyOfStored = ({ PartitionKey, RowKey }: StoredEntity): EntityKey => ({
  partitionKey: PartitionKey,
  rowKey: RowKey,
});

/** The ETag a row was read or written with; undefined where the storage gave none. */
export const etagOf = (row: StoredEntity): string | undefined => row["odata.etag"];

/** When storage last wrote a row, as ISO 8601; undefined if a projection left it out. */
export const timestampOf = ({ Timestamp }: StoredEntity): string | undefined => Timestamp;

/** A row with the ETag of the write that stored it. */
export const withEtag = (row: StoredEntity, etag: string | undefined): StoredEntity =>
  etag === undefined ? row : { ...row, "odata.etag": etag };

/** The keys, kind and version every complete image of an entity carries; members without a value are undefined. */
export function newImage(
  { kind, version, index, emptyImage }: EntityModel,
  key: EntityKey,
): StoredEntityDraft {
  const stored: StoredEntityDraft = { ...emptyImage };
  stored.PartitionKey = key.partitionKey;
  stored.RowKey = key.rowKey;
  if (index !== undefined) stored[rowProperty] = indexRowType(index);
  if (kind?.isStored === true) stored[kind.storedName] = kind.name;
  if (version !== undefined) stored[version.storedName] = version.number;
  return stored;
}

/** The size of an image without its keys and properties, as the service counts it. */
export function sizeOfImage({ kind, version, index }: EntityModel): EntitySize {
  let [bytes, count] = [4, 0];
  if (index !== undefined) {
    bytes += 8 + 2 * rowProperty.length + 2 * indexRowType(index).length + 4;
    count++;
  }
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

/**
 * How many members of a row belong to its layout; never equal if the row has no version, so such a row is examined
 * closely.
 */
export function countLayoutMembers({ kind, version, index }: EntityModel, stored: StoredEntity): number {
  let count = 2;
  if (index !== undefined && stored[rowProperty] !== undefined) count++;
  if (stored.Timestamp !== undefined) count++;
  if (stored["odata.etag"] !== undefined) count++;
  if (kind?.isStored === true && stored[kind.storedName] === kind.name) count++;
  if (version !== undefined)
    count += stored[version.storedName] === version.number ? 1 : membersOfVersion(version, stored);
  return count;
}

/** Of a version that is not stored as Int32, or of another one, which makes the row be looked at closely. */
function membersOfVersion(version: VersionModel, stored: StoredEntity): number {
  if (storedVersion(version, stored) !== version.number) return 0.5;
  return stored[annotationOf(version.storedName)] === undefined ? 1 : 2;
}

/** Members that every row may have in addition to its properties, by name. */
const systemMembers = new Map([
  ["odata.etag", "etag"],
  ["PartitionKey", "partitionKey"],
  ["RowKey", "rowKey"],
  ["Timestamp", "timestamp"],
] as const) as ReadonlyMap<string, SystemMember>;

/** A member that every row may have. */
export type SystemMember = "etag" | "partitionKey" | "rowKey" | "timestamp";

/** Which of them a member is; undefined for any other. */
export const systemMemberOf = (name: string): SystemMember | undefined => systemMembers.get(name);

/**
 * The kind and the version of every row that a class writes, by the names of the members; for index rows, also the
 * index.
 */
export function labelsOf({ kind, version, index }: EntityModel): ReadonlyMap<string, string | number> {
  const labels = new Map<string, string | number>();
  if (index !== undefined) labels.set(rowProperty, indexRowType(index));
  if (kind?.isStored === true) labels.set(kind.storedName, kind.name);
  if (version !== undefined) labels.set(version.storedName, version.number);
  return labels;
}

/** A row made from properties, and from the values that a storage holds apart from them. */
export const rowOfParts = (
  properties: Readonly<Record<string, StoredValue>>,
  { partitionKey, rowKey, timestamp, etag }: Omit<RowBody, "bytes">,
): StoredEntity => ({
  ...properties,
  PartitionKey: partitionKey,
  RowKey: rowKey,
  Timestamp: timestamp,
  "odata.etag": etag,
});

/** Whether a member of a row belongs to its layout, and has the value that the class itself would write. */
export function isLayoutMember(model: EntityModel, stored: StoredEntity, name: string): boolean {
  const { kind, version, index } = model;
  if (isSystemName(name)) return true;
  if (index !== undefined && name === rowProperty) return true;
  if (kind?.isStored === true && name === kind.storedName && stored[name] === kind.name) return true;
  return name === version?.storedName && storedVersion(version, stored) === version.number;
}

/** The members of a layout that rows may have in addition to keys, ETag, Timestamp and version. */
export const layoutNames = ({ kind, index }: EntityModel): readonly string[] => [
  ...(index === undefined ? [] : [rowProperty]),
  ...(kind?.isStored === true ? [kind.storedName] : []),
];

/** Whether a row has a model's kind, or a former name of that kind. */
export function isOfKind({ kind }: EntityModel, row: StoredEntity): boolean {
  if (kind === undefined) return true;
  return kind.isStored ? kind.names.includes(String(row[kind.storedName])) : kind.isOfKind?.(row) === true;
}

/**
 * The version a row of a class with upgrades was written with. A row without a version has the first one.
 *
 * @throws UpgradeError `upgrade.version` for something else than a version
 */
export function versionOfRow(model: EntityModel, stored: StoredEntity): number {
  const version = model.version as VersionModel;
  const found = storedVersion(version, stored);
  if (found === undefined) return 1;
  if (typeof found === "number" && Number.isInteger(found) && found >= 1) return found;
  throw UpgradeError.notAVersion({ entity: model.name, key: keyOfStored(stored) }, version.storedName);
}

/** The members of a table's rows that hold kind and version, from the settings of the table. */
export type LabelNames = Pick<TableSettings, "kindProperty" | "versionProperty">;

/** The member of a row that holds its kind. */
export const storedKind = (
  { kindProperty }: Pick<TableSettings, "kindProperty">,
  stored: StoredEntity,
): StoredValue | undefined => stored[kindProperty];

/** A row's own kind and version; undefined if it lacks them. */
export function labelOf(row: StoredEntity, names: LabelNames): RowLabel {
  const [kind, version] = [storedKind(names, row), versionOf(row[names.versionProperty])];
  return {
    kind: kind === undefined ? undefined : String(kind),
    version: typeof version === "boolean" ? String(version) : version,
  };
}

/** A row's kind and version as it names them. */
interface RowLabel {
  readonly kind: string | undefined;
  readonly version: number | string | undefined;
}

/** The version of a row: a number, also if another client stored it as Int64, which is text. */
export const storedVersion = ({ storedName }: VersionModel, stored: StoredEntity): StoredValue | undefined =>
  versionOf(stored[storedName]);

const versionOf = (found: StoredValue | undefined): StoredValue | undefined =>
  typeof found === "string" && /^[1-9]\d{0,9}$/.test(found) ? Number(found) : found;

/** Gives a row that is in the present form of its class that version. */
export function setVersion(
  { storedName, number }: Pick<VersionModel, "storedName" | "number">,
  row: StoredEntityDraft,
): void {
  if (row[annotationOf(storedName)] !== undefined) row[annotationOf(storedName)] = undefined;
  row[storedName] = number;
}

/**
 * The columns needed to check a row, in addition to the requested ones: keys, Timestamp, whether it is an entity,
 * kind and version.
 */
export function layoutColumns({ options, version }: EntityModel): readonly string[] {
  const names = ["PartitionKey", "RowKey", "Timestamp", rowProperty, options.kindProperty];
  return version === undefined ? names : [...names, version.storedName];
}

/** The filters that find the rows of a kind, by each of its names; undefined where no property has the kind. */
export function kindFilters({ kind }: EntityModel): ReadonlyMap<string, FilterNode> | undefined {
  if (kind?.isStored !== true) return undefined;
  return new Map(kind.names.map((name) => [name, compare("eq", kind.storedName, textLiteral(name))]));
}

/** The filter for rows of versions below this one, those without a version included. */
export function olderThanFilter({ version }: EntityModel, number: number): FilterNode {
  const { storedName } = version as VersionModel;
  return { op: "not", node: compare("ge", storedName, { edm: "Edm.Int32", value: number }) };
}

/**
 * The members that a row is written with: all except those that storage assigns. Deleting members would make a slow
 * object.
 */
export function withoutSystemValues(stored: StoredEntity): StoredEntity {
  const entity: Readonly<Record<string, StoredValue | undefined>> = {
    ...stored,
    Timestamp: undefined,
    "odata.etag": undefined,
  };
  return entity as StoredEntity;
}
