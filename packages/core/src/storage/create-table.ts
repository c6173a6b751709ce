import { StorageError } from "../values/errors/storage-error.ts";
import { type Clock, monotonicTime } from "./clock.ts";
import type { RequestOptions, TableStorage } from "./table-storage.ts";
import { retriesOf, withRetry } from "./with-retry.ts";

/** Options for creating a table. */
export interface CreateTableOptions extends Pick<RequestOptions, "signal" | "retry"> {
  /**
   * The clock for waits between attempts; the system's when absent.
   *
   * ```ts
   * import { systemClock } from "@partita/core/rest";
   *
   * await createTables(storage, [Blog], { clock: systemClock });
   * ```
   */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a table unless it exists. Retries after a lost response, and waits up to a minute for a table that is being
 * deleted.
 *
 * @returns whether this call certainly created it
 */
export async function createIfMissing(
  storage: TableStorage,
  table: string,
  { clock, retry, ...options }: CreateTableOptions = {},
): Promise<boolean> {
  const retries = retriesOf(storage, retry, clock);
  const { signal } = options;
  const deadline = monotonicTime(retries.clock) + longestDeletionMs;
  let mayBeOurs = false;
  const create = async (attempt: number): Promise<boolean> => {
    try {
      await storage.createTable(table, { ...options, attempt });
      return true;
    } catch (error) {
      if (!StorageError.is(error)) throw error;
      if (error.serviceCode === "TableAlreadyExists") return false;
      if (error.applied === "maybe") mayBeOurs = true;
      const isBeingDeleted =
        error.serviceCode === "TableBeingDeleted" && monotonicTime(retries.clock) < deadline;
      if (!isBeingDeleted || signal?.aborted === true) throw error;
      await retries.clock.wait(deletionPollMs, signal);
      return create(attempt);
    }
  };
  try {
    return await withRetry(retries, create, { signal });
  } catch (error) {
    throw mayBeOurs && StorageError.is(error) ? error.asMaybeApplied() : error;
  }
}

/** The service frees the name of a deleted table after some 40 seconds. Source: learn.microsoft.com "Delete Table". */
const longestDeletionMs = 60_000;
const deletionPollMs = 5_000;
