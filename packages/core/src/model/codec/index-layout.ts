import {
  annotationOf,
  type EntityKey,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import { kindNameIn } from "../declaration/build-indexes.ts";
import { type EntityModel, type IndexModel, indexRowType, rowProperty } from "../declaration/entity-model.ts";
import { withoutSystemValues } from "./row-layout.ts";

/* How index rows resemble entity rows, and how they differ: another RowKey, another kind. */

/**
 * The index row made from an entity's row: its members in their stored form, without those that belong to the row
 * itself.
 */
export function indexRowWith(
  { name: indexName, rows }: IndexModel,
  model: EntityModel,
  rowKey: string,
  row: StoredEntity,
  isCopied: (name: string) => boolean,
): StoredEntity {
  const indexRow: StoredEntityDraft = {
    PartitionKey: row.PartitionKey,
    RowKey: rowKey,
    [rowProperty]: indexRowType(indexName),
  };
  const { kind, version } = model;
  for (const [name, value] of Object.entries(row)) {
    const property = propertyOf(name);
    if (isSystemName(property) || value === undefined) continue;
    if (kind?.isStored === true && name === kind.storedName) setMember(indexRow, name, rows.kind?.name);
    else if (name === version?.storedName || isCopied(name)) setMember(indexRow, name, value);
  }
  return indexRow;
}

/** The property that a member of a row belongs to, as its value or as its type. */
function propertyOf(member: string): string {
  const at = member.lastIndexOf("@");
  return at > 0 && annotationOf(member.slice(0, at)) === member ? member.slice(0, at) : member;
}

/** The reverse: an index row in the form of its entity's row, with an unknown version and Timestamp. */
export function entityRowWith(
  { options: { kindProperty } }: EntityModel,
  { name }: IndexModel,
  { partitionKey, rowKey }: EntityKey,
  row: StoredEntity,
): StoredEntity {
  const entityRow: StoredEntityDraft = {
    ...row,
    PartitionKey: partitionKey,
    RowKey: rowKey,
    [rowProperty]: undefined,
  };
  const [kind, mark] = [row[kindProperty], kindNameIn(name, "")];
  if (typeof kind === "string" && kind.endsWith(mark)) entityRow[kindProperty] = kind.slice(0, -mark.length);
  return withoutSystemValues(entityRow);
}

/** Whether an index row belongs to a class. */
export const isOfKindInIndex = ({ rows: { kind } }: IndexModel, row: StoredEntity): boolean =>
  kind?.isStored === true && kind.names.includes(String(row[kind.storedName]));
