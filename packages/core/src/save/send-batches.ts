import type { TableStorage } from "../storage/table-storage.ts";
import { notSent, type Outcome } from "../recovery/outcome.ts";
import type { Batch } from "./plan-batches.ts";
import { sendBatch, type SendBatchOptions } from "./send-batch.ts";

export interface SendOptions extends SendBatchOptions {
  /** Batches on the way at once. */
  readonly concurrency: number;
  /** Whether batches that were not begun are still sent after one failed. */
  readonly continueOnError: boolean;
  /** Told of each batch as its answer arrives. */
  readonly onOutcomes: (outcomes: readonly Outcome[]) => void | Promise<void>;
}

/** Sends batches, several at once, and tells what became of every change. */
export async function sendBatches(
  storage: TableStorage,
  batches: readonly Batch[],
  options: SendOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  let mustStop = false;
  const work = async (): Promise<void> => {
    for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
      const answered = mustStop
        ? batch.changes.map((change) => notSent(change, "an earlier group of this save failed"))
        : await sendBatch(storage, batch, options);
      if (!options.continueOnError && answered.some(({ result }) => result.outcome !== "committed"))
        mustStop = true;
      await options.onOutcomes(answered);
      outcomes.push(...answered);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, batches.length) }, work));
  return outcomes;
}
