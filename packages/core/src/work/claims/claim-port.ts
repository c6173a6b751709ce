import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { conflictReason } from "../../storage/conflict-reason.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { type Retries, withRetry } from "../../storage/with-retry.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";

/** A table to read rows from. */
export interface TableOfRows {
  /** A storage that retries its reads. */
  readonly storage: Pick<TableStorage, "get">;
  readonly table: string;
  readonly signal?: AbortSignal | undefined;
}

/** The table of the claimed values. */
export interface ClaimPort extends TableOfRows {
  readonly storage: Pick<TableStorage, "get" | "write">;
  readonly retries: Retries;
}

/** The result of a write; `unclear` if its response was lost. */
export type Written = { readonly etag: string } | "refused" | "unclear";

export function readRow(
  { storage, table, signal }: TableOfRows,
  key: EntityKey,
): Promise<StoredEntity | undefined> {
  return storage.get(table, key, { mayBeStale: false, ...(signal && { signal }) });
}

/** Writes a row, and retries only requests that were certainly not applied. @throws StorageError for other failures */
export async function tryWrite(port: ClaimPort, operation: WriteOperation): Promise<Written> {
  const { storage, table, retries, signal } = port;
  const mayRepeat = (error: unknown): boolean => StorageError.is(error) && error.applied === "no";
  const write = (attempt: number) => storage.write(table, operation, { attempt, ...(signal && { signal }) });
  try {
    const { etag } = await withRetry(retries, write, { signal, mayRepeat });
    return { etag: etag ?? "*" };
  } catch (error) {
    if (!StorageError.is(error) || error.applied === "maybe") return "unclear";
    if (conflictReason(error) !== undefined) return "refused";
    throw error;
  }
}
