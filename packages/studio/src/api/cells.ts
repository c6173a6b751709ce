/** The service's types of values. */
export const edmTypes = [
  "String",
  "Int32",
  "Int64",
  "Double",
  "Boolean",
  "DateTime",
  "Guid",
  "Binary",
] as const;

/** The types of values in forms: the service's, and JSON, which a class stores as text. */
export type CellType = (typeof edmTypes)[number] | "Json";

/** A value as JSON: Int64 as text, dates as ISO 8601, bytes as base64, NaN and infinities by their names. */
export type CellValue =
  | string
  | number
  | boolean
  | null
  | readonly CellValue[]
  | { readonly [name: string]: CellValue };

/** One property of a row. A list and not a member of an object: a row may have a property with any name. */
export type Cell = readonly [name: string, type: CellType, value: CellValue];

/** A new value of a property; null clears it. */
export interface CellChange {
  readonly name: string;
  readonly type: CellType;
  readonly value: CellValue;
}

/** What names a row in its table. */
export interface RowKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A row as the page shows it. */
export interface Row extends RowKey {
  readonly etag: string;
  readonly timestamp?: string | undefined;
  /** The class whose properties the cells are; undefined for a row as it is stored. */
  readonly className?: string | undefined;
  readonly cells: readonly Cell[];
  /** Of a row that is opened as an entity; undefined for nothing. */
  readonly extras?: StoredExtras | undefined;
}

/** The version that a row is stored in, and the one that a save stores. */
export interface UpgradedVersion {
  readonly stored: number;
  readonly saved: number;
}

/** What a stored row has that its cells do not show. */
export interface StoredExtras {
  /** Where it is stored in an older version. */
  readonly version?: UpgradedVersion | undefined;
  /** Stored names of properties that the class does not declare. */
  readonly undeclared: readonly string[];
}
