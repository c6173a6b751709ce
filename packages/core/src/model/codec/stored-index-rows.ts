import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import {
  keepsOlderForm,
  type EntityModel,
  type IndexModel,
  writtenIndexes,
} from "../declaration/entity-model.ts";
import { sizeOfEntity } from "../../storage/limits.ts";
import type { NewRowWrite } from "../../storage/write-operation.ts";
import { codecOf, decodeEntity } from "./codec-of.ts";
import { writeOf } from "./encoded-write.ts";
import { indexRowKeyOf, indexRowOfStored, type KeyParts, keyPartsOf } from "./index-rows.ts";
import { type FoundRow, keyOfFound, ScannedRow } from "./scan/scanned-row.ts";
import { type Snapshot, completeSnapshot } from "./snapshot.ts";

/** A row of an index, as it has to be. */
export interface StoredIndexRow {
  readonly index: IndexModel;
  readonly key: EntityKey;
  /**
   * The write that stores it: an insert if its value has to be unique. Its `entity` may be created when it is first
   * read.
   */
  readonly operation: NewRowWrite;
  /** Its size as the service counts it. */
  readonly bytes: number;
}

/** An entity's own row, and the values in it. */
interface OwnRow {
  readonly model: EntityModel;
  readonly key: EntityKey;
  readonly keyParts: KeyParts;
  readonly snapshot: Snapshot;
  /** In its stored form. */
  readonly row: FoundRow;
}

/**
 * The rows that an entity's own row has in the indexes of its class: all that there is to know of them. Retired
 * indexes have none.
 *
 * @throws SerializationError or KeyError naming class and property, for rows that are no entities
 */
export function storedIndexRows(
  model: EntityModel,
  row: FoundRow,
  isWanted: (index: IndexModel) => boolean = () => true,
): StoredIndexRow[] {
  const key = keyOfFound(row);
  const snapshot = (ScannedRow.is(row) ? row.snapshot : undefined) ?? snapshotOf(model, row);
  const own: OwnRow = { model, key, keyParts: keyPartsOf(model, key), snapshot, row };
  const rows: StoredIndexRow[] = [];
  for (const index of writtenIndexes(model)) {
    const rowKey = isWanted(index) ? indexRowKeyOf(model, index, own) : undefined;
    if (rowKey !== undefined) rows.push(indexRowIn(index, rowKey, own));
  }
  return rows;
}

const storedOf = (row: FoundRow): StoredEntity => (ScannedRow.is(row) ? row.row : row);

const snapshotOf = (model: EntityModel, row: FoundRow): Snapshot =>
  decodeEntity(model, storedOf(row), undefined).snapshot;

function indexRowIn(
  index: IndexModel,
  rowKey: string,
  { model, key, snapshot, row }: OwnRow,
): StoredIndexRow {
  const { copied, copy, isUnique, rows } = index;
  const { values, undeclared, age } = snapshot;
  const at = { partitionKey: key.partitionKey, rowKey };
  // Undeclared properties, and rows of an older version, are copied in their stored form.
  if (isUnique || undeclared !== undefined || age !== undefined || keepsOlderForm(model)) {
    const entity = indexRowOfStored(model, index, rowKey, storedOf(row));
    const type = isUnique ? "insert" : "upsert-replace";
    return { index, key: at, operation: { type, entity }, bytes: sizeOfEntity(entity).bytes };
  }
  const own: readonly SnapshotValue[] =
    copy === "all" ? values : copied.map((place) => values[place] as SnapshotValue);
  const keyLength = at.partitionKey.length + rowKey.length;
  const { bytes } = codecOf(rows).size(keyLength, completeSnapshot(own));
  return { index, key: at, operation: writeOf("upsert-replace", rows, at, own), bytes };
}
