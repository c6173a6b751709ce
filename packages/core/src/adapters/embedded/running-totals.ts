import { sumMask } from "./schema.ts";
import type { Statements } from "./table-statements.ts";

/**
 * What a table's rows add up to: how many there are, and the sum of their checksums, whatever their order. Each commit
 * changes it with its rows, so that `verifyFile` notices rows that the disk lost.
 */
export class RunningTotals {
  readonly #statements: Statements;
  readonly #tableId: number;
  /** What was changed since the last commit. */
  #rows = 0;
  #sum = 0;

  constructor(statements: Statements, tableId: number) {
    this.#statements = statements;
    this.#tableId = tableId;
  }

  insert(checksum: number): void {
    this.#rows++;
    this.#sum += checksum;
  }

  replace(before: number, after: number): void {
    this.#sum += after - before;
  }

  delete(checksum: number): void {
    this.#rows--;
    this.#sum -= checksum;
  }

  /** Returns what takes back all that is changed from now on. */
  mark(): () => void {
    const [rows, sum] = [this.#rows, this.#sum];
    return () => {
      this.#rows = rows;
      this.#sum = sum;
    };
  }

  /** Drops what was changed and is not committed. */
  reset(): void {
    this.#rows = 0;
    this.#sum = 0;
  }

  /** Writes what was changed, as a part of the commit. */
  write(): void {
    if (this.#rows !== 0 || this.#sum !== 0)
      this.#statements.get(addition).run(this.#rows, this.#sum, this.#tableId);
    this.reset();
  }
}

const addition = `UPDATE state SET rows = rows + ?, sum = (sum + CAST(? AS INTEGER)) & ${sumMask} WHERE id = ?`;
