import type { CellType } from "./cells.ts";

/** One property of a class, as a field of a form. */
export interface Field {
  readonly name: string;
  readonly type: CellType;
  /** The key that it is a part of: such a field cannot be changed in a stored row. */
  readonly key?: "PartitionKey" | "RowKey" | undefined;
  readonly isRequired: boolean;
}

/** A class of the module. */
export interface ClassInfo {
  /** Unique among the classes of its table. */
  readonly name: string;
  readonly kind: string | undefined;
  /** The number of its present version; undefined for a class without versions. */
  readonly version: number | undefined;
  /** Whether rows of older versions can be upgraded. */
  readonly hasUpgrades: boolean;
  readonly fields: readonly Field[];
  /** The classes of its children. */
  readonly children: readonly string[];
  readonly indexes: readonly string[];
}

/** A table, stored or declared. */
export interface TableInfo {
  readonly name: string;
  /** Whether the storage has it. */
  readonly isStored: boolean;
  readonly classes: readonly ClassInfo[];
}

/** What the page begins with. */
export interface StorageInfo {
  /** The storage in words, without secrets. */
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly tables: readonly TableInfo[];
}
