import type { TableStorage } from "@partita/core";
import type { ContinuationToken } from "@partita/core/storage";
import { retriesOf, retryReads } from "@partita/core/internal";
import { SurveyBuilder } from "./survey-builder.ts";
import type { Survey } from "./survey.ts";

/** Options of {@link surveyPartitions}. */
interface SurveyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each page of rows. */
  readonly onProgress?: ((read: number) => void) | undefined;
}

/** Reads the keys and Timestamps of all rows of a table, and counts them by partition and by time. */
export async function surveyPartitions(
  storage: TableStorage,
  table: string,
  { signal, onProgress }: SurveyOptions = {},
): Promise<Survey> {
  const reads = retryReads(storage, retriesOf(storage));
  const builder = new SurveyBuilder();
  const select = ["PartitionKey", "RowKey", "Timestamp"];
  let read = 0;
  let after: ContinuationToken | undefined;
  do {
    signal?.throwIfAborted();
    const page = await reads.query(table, { select, top: 1000, ...(after && { after }) }, { signal });
    for (const row of page.entities) builder.add(row);
    read += page.entities.length;
    after = page.next;
    onProgress?.(read);
  } while (after !== undefined);
  return builder.finish();
}
