import type { StoredEntity, StoredValue } from "@partita/core/storage";
import type { Cell, CellChange, CellType, Row, RowKey } from "../../api/cells.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";

/** A stored row, for the page. */
export function storedRow(core: StudioCore, row: StoredEntity): Row {
  return {
    partitionKey: row.PartitionKey,
    rowKey: row.RowKey,
    etag: row["odata.etag"] ?? "",
    timestamp: row.Timestamp,
    cells: storedCells(core, row),
  };
}

/** The properties of a stored row with their EDM types. */
export function storedCells(core: StudioCore, row: StoredEntity): Cell[] {
  const lookup = core.lookupIn(row);
  return Object.keys(row)
    .filter((name) => !core.isSystemName(name))
    .flatMap((name): Cell[] => {
      const literal = lookup(name);
      if (literal === undefined) return [];
      return [[name, literal.edm.slice("Edm.".length) as CellType, row[name] as StoredValue]];
    });
}

/**
 * Applies changes to a stored row. Each change sets a property, or deletes it with null.
 *
 * @throws RequestError for a value that does not fit its type
 */
export function withChanges(
  core: StudioCore,
  row: StoredEntity,
  changes: readonly CellChange[],
): StoredEntity {
  const draft: Record<string, StoredValue | undefined> = { ...row };
  for (const { name, type, value } of changes) {
    if (core.isSystemName(name) || name === "")
      throw RequestError.wrongInput(`${name} is not a property that can be set.`, name);
    delete draft[`${name}@odata.type`];
    if (value === null) {
      delete draft[name];
      continue;
    }
    const typed = core.typedValue(value, `Edm.${type}`);
    if (typed === undefined) throw RequestError.wrongInput(`${name} takes ${forms[type]}.`, name);
    core.setTyped(draft as Parameters<typeof core.setTyped>[0], name, typed);
  }
  return draft as StoredEntity;
}

/** The form of each type's values, in words. */
const forms: Readonly<Record<CellType, string>> = {
  String: "text",
  Int32: "a whole number from -2147483648 to 2147483647",
  Int64: "a whole number of 64 bits, as text",
  Double: 'a number, or "NaN", "Infinity" or "-Infinity"',
  Boolean: "true or false",
  DateTime: "a time as ISO 8601 text",
  Guid: "a GUID",
  Binary: "bytes as base64",
  Json: "text, because only classes have JSON, which is stored as a String",
};

/** A stored row without properties. */
export const emptyRow = ({ partitionKey, rowKey }: RowKey): StoredEntity => ({
  PartitionKey: partitionKey,
  RowKey: rowKey,
});
