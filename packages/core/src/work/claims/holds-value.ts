import { decodeEntity } from "../../model/codec/codec-of.ts";
import { reservedRow } from "../../model/codec/former-keys.ts";
import { indexRowKeyOf, ownerProperty } from "../../model/codec/index-rows.ts";
import { isEntityRow, isOfKind } from "../../model/codec/row-layout.ts";
import { type EntityModel, type IndexModel, rowProperty } from "../../model/declaration/entity-model.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { readRow, type TableOfRows } from "./claim-port.ts";

/** A value of a unique index. */
export interface UniqueValue {
  readonly model: EntityModel;
  readonly index: IndexModel;
  /** The RowKey of its row in the index. */
  readonly rowKey: string;
}

/**
 * Whether the row under a key holds a value. The row of another kind or of a newer release, or one that cannot be read,
 * holds it if its partition's index says so.
 */
export async function holdsValue(
  port: TableOfRows,
  { model, index, rowKey }: UniqueValue,
  key: EntityKey,
): Promise<boolean> {
  const row = await readRow(port, key);
  if (row === undefined || row[rowProperty] === reservedRow) return false;
  if (isEntityRow(row) && isOfKind(model, row))
    try {
      const { snapshot } = decodeEntity(model, row, undefined);
      // A newer release may have the value in a property with another name.
      if (snapshot.age !== "newer") return indexRowKeyOf(model, index, { key, snapshot }) === rowKey;
    } catch {
      // It cannot be read as an entity.
    }
  const indexRow = await readRow(port, { partitionKey: key.partitionKey, rowKey });
  return indexRow?.[ownerProperty] === key.rowKey;
}
