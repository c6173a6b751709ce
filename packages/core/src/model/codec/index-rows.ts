// Saves, index jobs and queries over an index call this file. It computes index rows from an entity's row, and finds
// the entity's key from an index row; it reads and writes nothing itself.

import type { SnapshotValue } from "../../values/edm/serializer.ts";
import { annotationOf, type EntityKey, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { SerializationError } from "../../values/errors/serialization-error.ts";
import { composeKey, parseKey, splitKey } from "../../values/keys/key-template.ts";
import { mainRowKeyPart } from "../declaration/build-indexes.ts";
import {
  keepsOlderForm,
  type EntityModel,
  type IndexModel,
  indexRowType,
  type PropertyModel,
  rowProperty,
} from "../declaration/entity-model.ts";
import { assignKeys } from "./decode-entity.ts";
import { decodeEntity } from "./codec-of.ts";
import { currentRow } from "./current-row.ts";
import { entityRowWith, indexRowWith } from "./index-layout.ts";
import { keyOfStored } from "./row-layout.ts";
import { hostValueOf, restoreStored, type Snapshot, storedRow } from "./snapshot.ts";
import { storedNamesOf } from "./supported-row.ts";

/*
 * The rows of secondary indexes, as functions of an entity's own row: their keys, their contents, and the reverse
 * from them to the entity.
 */

/** The member of a unique index row with the RowKey of the entity that has the values. */
export const ownerProperty = "_k";

/** An entity's key, and the values of its properties as a snapshot has them. */
export interface IndexedValues {
  readonly key: EntityKey;
  readonly snapshot: Pick<Snapshot, "values" | "undeclared" | "stored">;
  /** The parts of the key, where they are known already. */
  readonly keyParts?: KeyParts;
}

/** The properties that an entity's key is made of. */
export type KeyParts = Readonly<Record<string, unknown>>;

/** Reads an entity's key back into its properties. @throws KeyError `key.unreadable` */
export function keyPartsOf(model: EntityModel, { partitionKey, rowKey }: EntityKey): KeyParts {
  const parts: Record<string, unknown> = {};
  assignKeys(model, { PartitionKey: partitionKey, RowKey: rowKey }, parts);
  return parts;
}

/**
 * The RowKey of an entity's row in an index; undefined where the entity has none there, since a part has no value.
 *
 * @throws KeyError naming class, index and property for values that do not fit their part
 */
export function indexRowKeyOf(
  model: EntityModel,
  index: IndexModel,
  indexed: IndexedValues,
): string | undefined {
  const { former } = index;
  const { stored } = indexed.snapshot;
  return former === undefined || stored === undefined
    ? rowKeyOf(model, index, indexed)
    : rowKeyOf(former, index, {
        key: indexed.key,
        snapshot: decodeEntity(former, storedRow(model, indexed.key, stored), undefined).snapshot,
      });
}

function rowKeyOf(
  model: EntityModel,
  index: IndexModel,
  { key, snapshot: { values }, keyParts = keyPartsOf(model, key) }: IndexedValues,
): string | undefined {
  const parts: Record<string, unknown> = { ...keyParts };
  for (const at of index.sources) {
    const property = model.properties[at] as PropertyModel;
    parts[property.name] = hostValueOf(property, values[at]);
  }
  parts[mainRowKeyPart] = key.rowKey;
  for (const { property, format } of index.rowKey.parts) {
    const value = property === undefined ? undefined : parts[property];
    if ((value === undefined || value === null) && format.literal === undefined) return undefined;
  }
  return composeKey(index.rowKey, parts, index.rows.name);
}

/** An entity's row in an index, with all that the index copies. */
export function indexRowOf(
  index: IndexModel,
  rowKey: string,
  { key, snapshot: { values, undeclared } }: IndexedValues,
): StoredEntity {
  const { rows, copied, copy } = index;
  const at = { partitionKey: key.partitionKey, rowKey };
  if (index.isUnique) return uniqueRowOf(index, rowKey, key);
  const own = copy === "all" ? values : copied.map((place) => values[place] as SnapshotValue);
  const more = copy === "all" ? undeclared : undefined;
  return restoreStored(rows, at, { values: own, undeclared: more });
}

/** A row of a unique index: it names the entity that has its values. */
const uniqueRowOf = ({ name }: IndexModel, rowKey: string, owner: EntityKey): StoredEntity => ({
  PartitionKey: owner.partitionKey,
  RowKey: rowKey,
  [rowProperty]: indexRowType(name),
  [ownerProperty]: owner.rowKey,
});

/** The same for an entity's stored row, in its stored form: a complete copy of it may be of an older version, too. */
export function indexRowOfStored(
  model: EntityModel,
  index: IndexModel,
  rowKey: string,
  row: StoredEntity,
): StoredEntity {
  if (index.isUnique) return uniqueRowOf(index, rowKey, keyOfStored(row));
  if (index.former !== undefined)
    return indexRowWith(index, index.former, rowKey, row, copies(index.former, index));
  const isAsStored = index.copy === "all" || keepsOlderForm(model);
  const source = isAsStored ? row : currentRow(model, row);
  return indexRowWith(index, model, rowKey, source, copies(model, index));
}

/** Whether an index's rows have a stored member of the entity's row. */
export function copies(model: EntityModel, { copy, copied }: IndexModel): (name: string) => boolean {
  if (copy === "all") return () => true;
  const { properties } = model;
  const names = new Set(
    copied
      .flatMap((at) => storedNamesOf(model, (properties[at] as PropertyModel).storedName))
      .flatMap((name) => [name, annotationOf(name)]),
  );
  return (name) => names.has(name);
}

/**
 * The key of the entity that an index row belongs to.
 *
 * @throws KeyError `key.unreadable`, SerializationError `edm.malformed` for rows that no index writes
 */
export function ownerOf(model: EntityModel, index: IndexModel, row: StoredEntity): EntityKey {
  const { PartitionKey: partitionKey, RowKey: rowKey } = row;
  if (index.isUnique) {
    const owner = row[ownerProperty];
    if (typeof owner === "string") return { partitionKey, rowKey: owner };
    throw SerializationError.malformed(
      { entity: index.rows.name, property: ownerProperty },
      "the RowKey of an entity",
    );
  }
  if (index.holdsRowKey) {
    const parts: Record<string, unknown> = {};
    const values = parseKey(index.rowKey, rowKey, index.rows.name);
    for (const [i, { property }] of index.rowKey.parts.entries())
      if (property !== undefined) parts[property] = values[i];
    return { partitionKey, rowKey: composeKey(model.rowKey, parts, model.name) };
  }
  const owner = splitKey(index.rowKey, rowKey)?.at(-1);
  // Reading it throws the error for such a key.
  if (owner === undefined) parseKey(index.rowKey, rowKey, index.rows.name);
  return { partitionKey, rowKey: owner ?? "" };
}

/** A row of an index as the entity's own row: under its key, without a version to write under. */
export const entityRowOf = (model: EntityModel, index: IndexModel, row: StoredEntity): StoredEntity =>
  entityRowWith(model, index, ownerOf(model, index, row), row);
