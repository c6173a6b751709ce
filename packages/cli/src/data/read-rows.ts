import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";

/** Which rows are read, and what of them. */
interface ReadOptions {
  readonly filter: string | undefined;
  /** Stored names of properties; all of them when absent. */
  readonly columns?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** The rows of a table in the service's JSON, with their Timestamps, as they come; reads are tried again. */
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
