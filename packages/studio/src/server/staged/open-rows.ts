import type { Conflict } from "../../api/staged.ts";
import { RequestError } from "../request-error.ts";

/** What the last save left with a row. */
export interface Refusal {
  readonly error: string;
  readonly isInDoubt: boolean;
  readonly conflict: Conflict | undefined;
}

/** Rows that are open and unchanged are released, the oldest first, beyond so many. */
const maxOpenRows = 1000;

/** The rows that are open in forms, by their ids. */
export class OpenRows<Open> {
  readonly #rows = new Map<string, Open>();
  readonly #prefix: string;
  readonly #oldestUnchanged: (rows: ReadonlyMap<string, Open>) => string | undefined;
  #count = 0;

  /**
   * @param prefix - what ids begin with: those of one studio's kinds of rows differ
   * @param oldestUnchanged - finds a row that nothing is staged for
   */
  constructor(prefix: string, oldestUnchanged: (rows: ReadonlyMap<string, Open>) => string | undefined) {
    this.#prefix = prefix;
    this.#oldestUnchanged = oldestUnchanged;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** @throws RequestError 404 for a row that is not open any more */
  get(id: string): Open {
    const open = this.#rows.get(id);
    if (open === undefined) throw RequestError.notFound("such open row any more: open it again");
    return open;
  }

  find(isMeant: (open: Open) => boolean): readonly [id: string, open: Open] | undefined {
    return [...this.#rows].find(([, open]) => isMeant(open));
  }

  /** @returns its id */
  add(open: Open): string {
    const oldest = this.#rows.size < maxOpenRows ? undefined : this.#oldestUnchanged(this.#rows);
    if (oldest !== undefined) this.#rows.delete(oldest);
    const id = `${this.#prefix}${++this.#count}`;
    this.#rows.set(id, open);
    return id;
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  [Symbol.iterator](): IterableIterator<[string, Open]> {
    return this.#rows.entries();
  }
}
