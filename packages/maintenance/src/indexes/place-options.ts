import { type EntityKey, StorageError } from "@partita/core";
import type { Patiently } from "@partita/core/internal";
import type { FoundRow, StoredIndexRow } from "@partita/core/internal/jobs";
import type { RequestOptions, WriteOperation } from "@partita/core/storage";

/** The options for writing index rows. */
export interface PlaceOptions extends RequestOptions {
  readonly patiently: Patiently;
  /** Which of an entity's rows to write; all of them when absent. */
  readonly isWanted?: (row: StoredIndexRow) => boolean;
  /** Called before the rows of each transaction. */
  readonly beforeGroup?: () => Promise<void>;
  readonly onPlaced?: (row: StoredIndexRow) => void;
  /** Called for each row that a transaction stored: entities' own rows, and their index rows. */
  readonly onStored?: (key: EntityKey, etag: string | undefined) => void;
  /**
   * Called for each row without rows in the indexes: it is not an entity of their classes, cannot be read, or has no
   * values.
   */
  readonly onLeft?: (row: FoundRow, why: "other" | "unreadable" | "empty") => void;
  /** Called if another program changed or deleted the entity's row in between: it was read again. */
  readonly onChanged?: () => void;
  /** Called for each row of an index that is unique over the table, with a claim in the same transaction. */
  readonly onClaimed?: (row: StoredIndexRow) => void;
  /** Called if storage refuses the entity's index rows: they stay unchanged. */
  readonly onRefused?: (key: EntityKey, reason: Error) => void;
}

/** Changes nothing but the ETag of an entity's row, if it still has the known one. */
export const touch = ({
  key: { partitionKey, rowKey },
  etag = "*",
}: {
  readonly key: EntityKey;
  readonly etag: string | undefined;
}): WriteOperation => ({
  type: "merge",
  entity: { PartitionKey: partitionKey, RowKey: rowKey },
  etag,
});

/** Refused because a row has changed, no longer exists, or exists already. */
export const isOvertakenOrTaken = ({ status }: StorageError): boolean =>
  status === 404 || status === 409 || status === 412;

/** Refused because of the row's values, not because of storage's state, so a retry does not help. */
export const isAboutRow = (error: unknown): error is StorageError =>
  StorageError.is(error) &&
  error.applied === "no" &&
  (isOvertakenOrTaken(error) || error.status === 400 || error.status === 413);
