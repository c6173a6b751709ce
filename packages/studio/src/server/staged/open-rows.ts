import type { Conflict } from "../../api/staged.ts";
import { RequestError } from "../request-error.ts";

/** The result of the last save for a row. */
export interface Refusal {
  readonly error: string;
  readonly isInDoubt: boolean;
  readonly conflict: Conflict | undefined;
}

/** Maximum open rows. Beyond it, unchanged rows are released, the oldest first. */
const maxOpenRows = 1000;

/** The rows that are open in forms, by id. */
export class OpenRows<Open> {
  readonly #rows = new Map<string, Open>();
  readonly #prefix: string;
  readonly #oldestUnchanged: (rows: ReadonlyMap<string, Open>) => string | undefined;
  #count = 0;

  /**
   * @param prefix - prefix of the ids, which differs for each kind of rows in a studio
   * @param oldestUnchanged - finds a row without staged changes
   */
  constructor(prefix: string, oldestUnchanged: (rows: ReadonlyMap<string, Open>) => string | undefined) {
    this.#prefix = prefix;
    this.#oldestUnchanged = oldestUnchanged;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** @throws RequestError 404 for a row that is no longer open */
  get(id: string): Open {
    const open = this.#rows.get(id);
    if (open === undefined) throw RequestError.notFound("open row with this id. Open it again");
    return open;
  }

  find(isMeant: (open: Open) => boolean): readonly [id: string, open: Open] | undefined {
    for (const entry of this.#rows) if (isMeant(entry[1])) return entry;
    return undefined;
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
