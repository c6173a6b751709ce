/** The EDM types of values. */
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

/** The types of values in forms: EDM types, and JSON, which a class stores as text. */
export type CellType = (typeof edmTypes)[number] | "Json";

/** A value as JSON: Int64 as text, dates as ISO 8601, bytes as base64, NaN and infinities by name. */
export type CellValue =
  | string
  | number
  | boolean
  | null
  | readonly CellValue[]
  | { readonly [name: string]: CellValue };

/**
 * One property of a row. A tuple, not a member of an object, because a row may have a property with any name.
 */
export type Cell = readonly [name: string, type: CellType, value: CellValue];

/** A new value of a property. null clears it. */
export interface CellChange {
  readonly name: string;
  readonly type: CellType;
  readonly value: CellValue;
}

/** The key of a row in its table. */
export interface RowKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A row as the page shows it. */
export interface Row extends RowKey {
  readonly etag: string;
  readonly timestamp?: string | undefined;
  /** The class that declares the cells. Undefined for a stored row without a class. */
  readonly className?: string | undefined;
  readonly cells: readonly Cell[];
  /** For a row that is opened as an entity. Undefined if there are none. */
  readonly extras?: StoredExtras | undefined;
}

/** The stored version of a row, and the version that a save writes. */
export interface UpgradedVersion {
  readonly stored: number;
  readonly saved: number;
}

/** Data of a stored row that its cells do not show. */
export interface StoredExtras {
  /** Set if it is stored in an older version. */
  readonly version?: UpgradedVersion | undefined;
  /** Stored names of properties that the class does not declare. */
  readonly undeclared: readonly string[];
}
