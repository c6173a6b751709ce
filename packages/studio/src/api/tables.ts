import type { CellType } from "./cells.ts";

/** One property of a class, as a field of a form. */
export interface Field {
  readonly name: string;
  readonly type: CellType;
  /** The key that it is a part of. Such a field of a stored row cannot be changed. */
  readonly key?: "PartitionKey" | "RowKey" | undefined;
  readonly isRequired: boolean;
  /** The values of an enum. */
  readonly values?: readonly string[] | undefined;
}

/** A class of the module. */
export interface ClassInfo {
  /** Unique among the classes of its table. */
  readonly name: string;
  readonly kind: string | undefined;
  /** The number of its current version. Undefined for a class without versions. */
  readonly version: number | undefined;
  /** Whether rows of older versions can be upgraded. */
  readonly hasUpgrades: boolean;
  readonly fields: readonly Field[];
  /** The classes of its children. */
  readonly children: readonly string[];
  readonly indexes: readonly string[];
}

/** A stored or declared table. */
export interface TableInfo {
  readonly name: string;
  /** Whether it exists in the storage. */
  readonly isStored: boolean;
  readonly classes: readonly ClassInfo[];
}

/** The first data of the page. */
export interface StorageInfo {
  /** The storage in words, without secrets. */
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly tables: readonly TableInfo[];
}
