import type { Statements } from "../connection/statements.ts";

/** Rows that one statement removes. */
const batch = 5000;

/** Removes the rows of deleted tables in the background, in batches. */
export class Sweeper {
  readonly #statements: Statements;
  readonly #text: string;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(statements: Statements, schema: string) {
    this.#statements = statements;
    this.#text = `select ${schema}.sweep(${batch})`;
  }

  /** Starts, unless it runs already. */
  start(): void {
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends after the current batch. The next program that opens the storage goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #sweep(): Promise<void> {
    try {
      for (let removed = batch; removed > 0 && !this.#isStopped;) {
        const statement = { text: this.#text, values: [], isPrepared: false, writes: true };
        const [[count] = []] = await this.#statements.run(statement);
        removed = Number(count);
      }
    } catch {
      // Nobody waits for these rows: they cost space only, and the next sweep removes them.
    }
  }
}
