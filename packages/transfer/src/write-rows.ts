import {
  jsonBytes,
  keyOfStored,
  maxTransactionBytes,
  maxTransactionOperations,
  type Patiently,
} from "@partita/core/internal";
import { type EntityKey, StorageError, type TableStorage } from "@partita/core";
import type { RequestOptions, StoredEntity, WriteOperation } from "@partita/core/storage";

/** What becomes of a row whose key is stored already: it is replaced, or stays as it is. */
export type ExistingRows = "replace" | "keep";

/** How rows are written. */
export interface RowWriting {
  readonly existing: ExistingRows;
  readonly patiently: Patiently;
  readonly request: RequestOptions;
  /** Called with rows that were written. */
  readonly onWritten: (count: number) => void;
  /** Called for each row that stays as it is. */
  readonly onKept: () => void;
  /** Called for each row that the store does not take. */
  readonly onRefused: (key: EntityKey, reason: StorageError) => void;
}

/** What a transaction says of each operation beside its row. */
const operationBytes = 1024;

/**
 * Writes rows as they are, those of one partition together; where a transaction is refused, in halves, so that one row that
 * the store does not take keeps no other back.
 *
 * @throws StorageError for failures that are not about a row
 */
export async function writeRows(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
  writing: RowWriting,
): Promise<void> {
  const { existing, patiently, request } = writing;
  const operationOf = (entity: StoredEntity): WriteOperation =>
    existing === "keep" ? { type: "insert", entity } : { type: "upsert-replace", entity };

  const send = async (group: readonly StoredEntity[]): Promise<void> => {
    const operations = group.map(operationOf);
    const [only] = operations;
    if (only === undefined) return;
    try {
      if (operations.length === 1) await patiently(() => storage.write(table, only, request));
      else await patiently(() => storage.transact(table, operations, request));
      writing.onWritten(group.length);
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      if (group.length > 1) {
        const half = group.length >> 1;
        await send(group.slice(0, half));
        await send(group.slice(half));
      } else if (error.serviceCode === "EntityAlreadyExists") writing.onKept();
      else writing.onRefused(keyOfStored(group[0] as StoredEntity), error);
    }
  };
  for (const group of groupsOf(rows)) await send(group);
}

/** Refused for what a row is, or that it is there: trying again changes nothing. */
const isAboutRow = (error: unknown): error is StorageError =>
  StorageError.is(error) &&
  error.applied === "no" &&
  (error.status === 400 || error.status === 409 || error.status === 413) &&
  error.serviceCode !== "TableBeingDeleted";

/** Rows that one transaction takes, in their order. */
function groupsOf(rows: readonly StoredEntity[]): StoredEntity[][] {
  const groups: StoredEntity[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = jsonBytes(row) + operationBytes;
    const last = groups.at(-1);
    const fits =
      last !== undefined &&
      last[0]?.PartitionKey === row.PartitionKey &&
      last.length < maxTransactionOperations &&
      bytes + size <= maxTransactionBytes;
    if (fits) last.push(row);
    else {
      groups.push([row]);
      bytes = 0;
    }
    bytes += size;
  }
  return groups;
}
