import { bytesInTransaction, keyOfStored, type Patiently, transactionGroups } from "@partita/core/internal";
import { hasSameProperties } from "@partita/core/internal/jobs";
import { type EntityKey, StorageError, type TableStorage } from "@partita/core";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import { type ExistingRows, operationOf } from "./existing-rows.ts";
import { storedRows } from "./stored-rows.ts";
import { TransferError } from "./transfer-error.ts";

/** Options and callbacks for writing rows. */
export interface RowWriting {
  readonly existing: ExistingRows;
  readonly patiently: Patiently;
  readonly request: RequestOptions;
  /** Called with the number of rows written. */
  readonly onWritten: (count: number) => void;
  /** Called for each stored row that is not changed, with `skip`. */
  readonly onSkipped: () => void;
  /** Called for each row that the storage refuses. */
  readonly onRefused: (key: EntityKey, reason: StorageError) => void;
}

/**
 * Writes rows unchanged, those of one partition together. If a transaction is refused, it is split in halves,
 * so a refused row does not block the others.
 *
 * @throws StorageError for failures that are not caused by a row; TransferError `transfer.row-exists` with
 * `refuse`, for a stored row that differs
 */
export async function writeRows(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
  writing: RowWriting,
): Promise<void> {
  const { existing, patiently, request } = writing;
  const send = async (group: readonly StoredEntity[]): Promise<void> => {
    const operations = group.map((row) => operationOf(existing, row));
    const [only] = operations;
    if (only === undefined) return;
    try {
      if (operations.length === 1) await patiently(() => storage.write(table, only, request));
      else await patiently(() => storage.transact(table, operations, request));
      writing.onWritten(group.length);
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      const isConflict = error.serviceCode === "EntityAlreadyExists";
      if (isConflict && existing === "skip" && group.length === 1) return writing.onSkipped();
      if (isConflict) {
        const missing = await withoutStored(group);
        if (missing.length < group.length) return send(missing);
      }
      if (group.length > 1) {
        const half = group.length >> 1;
        await send(group.slice(0, half));
        await send(group.slice(half));
      } else writing.onRefused(keyOfStored(group[0] as StoredEntity), error);
    }
  };

  /**
   * The rows that are not stored yet. With `refuse`, equal rows count as written: an earlier attempt wrote
   * them, and was stopped or lost its response.
   */
  const withoutStored = async (group: readonly StoredEntity[]): Promise<readonly StoredEntity[]> => {
    const isCompared = existing === "refuse";
    const stored = await patiently(() => storedRows(storage, table, group, !isCompared, request));
    const missing = group.filter((row) => {
      const found = stored.get(row.RowKey);
      if (isCompared && found !== undefined && !hasSameProperties(row, found))
        throw TransferError.rowExists(table, keyOfStored(row));
      return found === undefined;
    });
    const found = group.length - missing.length;
    if (isCompared) writing.onWritten(found);
    else for (let i = 0; i < found; i++) writing.onSkipped();
    return missing;
  };

  const groups = transactionGroups(rows, (row) => [
    row.PartitionKey,
    bytesInTransaction(operationOf(existing, row)),
  ]);
  for (const group of groups) await send(group);
}

/** Refused because of the row itself, or because it exists. A retry would not help. */
const isAboutRow = (error: unknown): error is StorageError =>
  StorageError.is(error) &&
  error.applied === "no" &&
  (error.status === 400 || error.status === 409 || error.status === 413) &&
  error.serviceCode !== "TableBeingDeleted";
