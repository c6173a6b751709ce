import type { ExistingRows } from "@partita/transfer";
import { wholeNumberOf } from "../tables/number-option.ts";
import { UsageError } from "../session/usage-error.ts";

/** Options of commands that write many rows, as they were given. */
export interface WritingOptions {
  readonly existing?: string;
  readonly rate?: string;
  readonly concurrency?: string;
}

/** @throws UsageError */
export function existingOf({ existing = "replace" }: WritingOptions): ExistingRows {
  if (existing === "replace" || existing === "keep") return existing;
  throw new UsageError("--existing takes keep or replace.");
}

/** @throws UsageError */
export const numbersOf = ({
  rate,
  concurrency,
}: WritingOptions): { readonly rate?: number; readonly concurrency?: number } => ({
  ...(rate !== undefined && { rate: wholeNumberOf("--rate", rate) }),
  ...(concurrency !== undefined && { concurrency: concurrencyOf(concurrency) }),
});

/** More at once would be slower, and far more would take all memory. */
const mostAtOnce = 1000;

function concurrencyOf(text: string): number {
  const number = wholeNumberOf("--concurrency", text);
  if (number > mostAtOnce) throw new UsageError(`--concurrency takes ${mostAtOnce} at most.`);
  return number;
}
