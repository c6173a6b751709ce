import { type Check, isEntityRow, isMessageRow, oneOf, rowProperty } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";

/**
 * How to treat rows of transactions: waiting messages of an outbox, and markers. A message is processed only
 * if its queue has a pointer to it, and a marker proves a transaction of its own table only, so both are
 * useless in another storage. Use `keep` to move a complete storage with its queues.
 */
export type TransactionRows = "omit" | "keep";

export const transactionRowsCheck: Check<TransactionRows> = oneOf("omit", "keep");

/** Counts of rows that were left out, by kind. */
export interface OmittedRows {
  /** Messages of an outbox that were not processed yet. They would not be processed in the new storage. */
  readonly messages: number;
  /** Markers of transactions. */
  readonly markers: number;
  /**
   * Index rows of which only some columns were exported. Without the others, they are not valid index rows.
   */
  readonly indexRows: number;
}

/** Decides which rows are moved, and counts the others. */
export class MovedRows {
  readonly #keepsAll: boolean;
  readonly #isComplete: boolean;
  readonly #counts = { messages: 0, markers: 0, indexRows: 0 };

  /** @param isComplete - whether rows have all of their properties */
  constructor(transactionRows: TransactionRows = "omit", isComplete: boolean = true) {
    this.#keepsAll = transactionRows === "keep";
    this.#isComplete = isComplete;
  }

  get omitted(): OmittedRows {
    return { ...this.#counts };
  }

  /** Whether a row is moved. If not, it is counted. */
  take(row: StoredEntity): boolean {
    const type = this.#omittedType(row);
    if (type !== undefined) this.#counts[type]++;
    return type === undefined;
  }

  /** The same without counting, for rows that are read more than once. */
  isMoved(row: StoredEntity): boolean {
    return this.#omittedType(row) === undefined;
  }

  #omittedType(row: StoredEntity): keyof OmittedRows | undefined {
    if (this.#keepsAll || isEntityRow(row)) return undefined;
    return transactionRowType(row) ?? (this.#isComplete ? undefined : "indexRows");
  }
}

function transactionRowType(row: StoredEntity): "messages" | "markers" | undefined {
  const type = row[rowProperty];
  if (type === "outbox") return isMessageRow(row) ? "messages" : "markers";
  return type === "marker" ? "markers" : undefined;
}
