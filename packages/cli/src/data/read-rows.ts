import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";

/** The rows and columns to read. */
interface ReadOptions {
  readonly filter: string | undefined;
  /** Stored names of properties. Absent for all. */
  readonly columns?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the rows of a table as the service's JSON, with their Timestamps, in order. Failed reads are retried.
 */
export async function* rowsOf(
  storage: TableStorage,
  table: string,
  options: ReadOptions,
): AsyncGenerator<StoredEntity> {
  const { exportTable } = await import("@partita/transfer");
  const chunks = exportTable(storage, table, {
    ...options,
    format: "jsonl",
    timestamps: true,
    transactionRows: "keep",
  });
  for await (const chunk of chunks)
    for (const line of chunk.split("\n")) if (line !== "") yield JSON.parse(line) as StoredEntity;
}
