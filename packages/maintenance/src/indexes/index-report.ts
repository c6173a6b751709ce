import type { EntityKey } from "@partita/core";
import type { RowLeftBehind } from "../upgrades/upgrade-report.ts";

/** The progress of work on an index. */
export interface IndexProgress {
  /** `build`: writing the rows of all entities; `verify`: comparing; `drop`: deleting. */
  readonly phase: "build" | "verify" | "drop";
  /** Rows of the table read in this phase, by this worker. */
  readonly read: number;
  /** Index rows written or deleted, by this worker. */
  readonly written: number;
}

/** An index row that does not match the entities' own rows. */
export interface IndexDifference {
  readonly index: string;
  /**
   * - `missing`: an entity lacks its row in the index.
   * - `extra`: no entity should have this row.
   * - `different`: the row has wrong contents.
   */
  readonly type: "missing" | "extra" | "different";
  /** The key of the row in the index. */
  readonly key: EntityKey;
  /** The key of the entity; undefined if the row names none. */
  readonly entity: EntityKey | undefined;
  /** Whether it is correct now. */
  readonly isRepaired: boolean;
}

/** Entities with the same values, although an index declares them unique. */
export interface DuplicateValue {
  readonly index: string;
  /** The properties with the same values. */
  readonly properties: readonly string[];
  /** The keys of the entities: at least 2, at most 16. */
  readonly entities: readonly EntityKey[];
}

/** The result of comparing indexes with the entities' own rows. */
export interface IndexVerification {
  readonly table: string;
  readonly indexes: readonly string[];
  /** Entities read. */
  readonly entities: number;
  /** Index rows read. */
  readonly rows: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** Differences that are correct now. */
  readonly repaired: number;
  /**
   * Reservations of values that no entity holds any more, of indexes that are unique over the table. They are harmless, and
   * a repair deletes them.
   */
  readonly leftReservations: number;
  /** The differences, at most 1000 of them. */
  readonly differences: readonly IndexDifference[];
  /** Duplicate values that must be unique, at most 1000 of them. A repair cannot choose between the entities. */
  readonly duplicates: readonly DuplicateValue[];
  readonly duplicateCount: number;
  /**
   * Rows that cannot be read as entities, or do not fit an index, at most 1000 of them. Their index rows stay
   * unchanged.
   */
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
  /** Whether the index rows are now exactly the expected ones, and every unique value belongs to one entity. */
  readonly isClean: boolean;
}

/** The result of building an index. */
export interface IndexBuildReport {
  readonly table: string;
  readonly index: string;
  /** Rows of the index that this worker wrote. */
  readonly written: number;
  /** Entities that another program changed in between; they were read again. */
  readonly changed: number;
  /** The result of comparing the index with the entities afterwards. */
  readonly verification: IndexVerification;
  /** Whether every entity has its row. The index is then recorded as ready, and queries use it. */
  readonly isClean: boolean;
}

/** The result of deleting the rows of an index. */
export interface IndexDropReport {
  readonly table: string;
  readonly index: string;
  /** Rows that this worker deleted. */
  readonly removed: number;
  /** Whether no row of the index is left. You can then remove its declaration. */
  readonly isClean: boolean;
}
