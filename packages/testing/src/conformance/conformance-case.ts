import type { TableStorage } from "@partita/core";

/** One promise that every storage keeps: a sentence, and a check that rejects when it does not hold. */
export interface ConformanceCase {
  readonly name: string;
  /** @param table - a table of its own that exists and is empty */
  readonly check: (storage: TableStorage, table: string) => Promise<void>;
}
