import type { EntityKey } from "@partita/core";
import type { RowLeftBehind } from "../upgrades/upgrade-report.ts";

/** How far work at an index is. */
export interface IndexProgress {
  /** Writing the rows of all entities; comparing; or removing. */
  readonly phase: "build" | "verify" | "drop";
  /** Rows of the table read in this phase, by this worker. */
  readonly read: number;
  /** Index rows written or deleted, by this worker. */
  readonly written: number;
}

/** A row of an index that is not as the entities' own rows have it. */
export interface IndexDifference {
  readonly index: string;
  /**
   * - `missing`: the entity has no row in the index, and should have one.
   * - `extra`: no entity should have this row.
   * - `different`: the row holds something else than it should.
   */
  readonly type: "missing" | "extra" | "different";
  /** The key of the row in the index. */
  readonly key: EntityKey;
  /** The key of the entity; undefined where the row names none. */
  readonly entity: EntityKey | undefined;
  /** Whether it is right now. */
  readonly isRepaired: boolean;
}

/** Entities of one partition that have the same values although an index declares them unique. */
export interface DuplicateValue {
  readonly index: string;
  /** The properties that are the same. */
  readonly properties: readonly string[];
  /** The keys of the entities, two at least and at most 16. */
  readonly entities: readonly EntityKey[];
}

/** The result of comparing indexes with the entities' own rows. */
export interface IndexVerification {
  readonly table: string;
  readonly indexes: readonly string[];
  /** Entities read. */
  readonly entities: number;
  /** Rows of the indexes read. */
  readonly rows: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  /** Differences that are right now. */
  readonly repaired: number;
  /** The differences, at most 1000 of them. */
  readonly differences: readonly IndexDifference[];
  /** Values that must be unique and are not, at most 1000 of them. No repair can choose between entities. */
  readonly duplicates: readonly DuplicateValue[];
  readonly duplicateCount: number;
  /**
   * Rows that cannot be read as entities, or do not fit an index, at most 1000 of them; their rows in indexes are
   * left alone.
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
  /** Entities that another program changed in between, and that were read again. */
  readonly changed: number;
  /** The result of comparing the index with the entities afterwards. */
  readonly verification: IndexVerification;
  /** Whether every entity has its row. Then the index is recorded as ready, and queries use it. */
  readonly isClean: boolean;
}

/** The result of deleting the rows of an index. */
export interface IndexDropReport {
  readonly table: string;
  readonly index: string;
  /** Rows that this worker deleted. */
  readonly removed: number;
  /** Whether no row of the index is left. Then its declaration can be removed. */
  readonly isClean: boolean;
}
