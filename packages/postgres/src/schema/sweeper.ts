import type { Statements } from "../connection/statements.ts";

/** Rows that one statement removes. */
const batch = 5000;

/** How long after a deletion its table is swept again, for writes that were running: longer than a request may take. */
const againMs = 60_000;

/** The wait while another program sweeps, which may not have seen the deletion. */
const busyMs = 1000;

/** How long the end of a storage waits for a batch. */
const patienceMs = 1000;

/** Removes the rows of deleted tables in the background, in batches. */
export class Sweeper {
  readonly #statements: Statements;
  readonly #text: string;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isAsked = false;
  #isStopped = false;
  readonly #cancel = new AbortController();

  constructor(statements: Statements, schema: string) {
    this.#statements = statements;
    this.#text = `select ${schema}.sweep(${batch})`;
  }

  /** Sweeps now, and once more later. */
  start(): void {
    this.#sweepSoon();
    this.#after(againMs, () => this.#sweepSoon());
  }

  /** Ends after the current batch, or soon. The next program that opens the storage goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const timer = setTimeout(() => this.#cancel.abort(), patienceMs);
    await this.#running;
    clearTimeout(timer);
  }

  #sweepSoon(): void {
    this.#isAsked = true;
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
    });
  }

  #after(ms: number, next: () => void): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(next, ms);
    // A program can end before: the next one sweeps.
    this.#timer.unref();
  }

  async #sweep(): Promise<void> {
    try {
      while (this.#isAsked && !this.#isStopped) {
        this.#isAsked = false;
        const statement = { text: this.#text, values: [], isPrepared: false, writes: true };
        const [[removed = null] = []] = await this.#statements.run(statement, this.#cancel);
        if (removed === null) this.#after(busyMs, () => this.start());
        else if (Number(removed) > 0) this.#isAsked = true;
      }
    } catch {
      // No caller waits for these rows: they cost space only, and the next sweep removes them.
    }
  }
}
