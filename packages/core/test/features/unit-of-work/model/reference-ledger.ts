import type { Entry, Sent, Told, Uncertain } from "./reference-entry.ts";
import type { Row, Write } from "./reference-store.ts";

/** One attempt, as far as it concerns one row; closed: it cannot arrive any more, and may have been applied. */
export interface Lost {
  readonly attempt: Uncertain;
  readonly sent: Sent;
  readonly state: "open" | "closed";
}

/** What is reported of an entity, and of which write. */
export interface Resolved {
  readonly entry: Entry;
  readonly write: Write;
  readonly outcome: Told["outcome"];
}

/** The attempts whose responses were lost, by row, the newest last. */
export class ReferenceLedger {
  readonly #rows = new Map<string, readonly Lost[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  of(key: string): readonly Lost[] {
    return this.#rows.get(key) ?? [];
  }

  open(key: string): readonly Lost[] {
    return this.of(key).filter(({ state }) => state === "open");
  }

  add(lost: Lost): void {
    this.#rows.set(lost.sent.write.key, [...this.of(lost.sent.write.key), lost]);
  }

  /** All is known of an attempt. */
  remove(attempt: Uncertain): void {
    for (const { write } of attempt.sent) this.drop(write.key, attempt);
  }

  drop(key: string, attempt: Uncertain): void {
    this.#rows.set(
      key,
      this.of(key).filter((one) => one.attempt !== attempt),
    );
  }

  close(attempt: Uncertain): void {
    for (const { write } of attempt.sent)
      this.#rows.set(
        write.key,
        this.of(write.key).map((one) => (one.attempt === attempt ? { ...one, state: "closed" } : one)),
      );
  }

  /** The row is stored as it is asked for, or given up. */
  end(key: string): void {
    this.#rows.delete(key);
  }

  /** The program gave an entity up: what was sent of a former one of its key is in doubt still. */
  giveUp(entry: Entry): void {
    this.#rows.set(
      entry.key,
      this.of(entry.key).filter(({ sent }) => sent.entry !== entry),
    );
  }

  /** An attempt stays possible while its own condition holds of the row that was read. */
  reread(key: string, row: Row | undefined): void {
    this.#rows.set(
      key,
      this.open(key).filter(({ attempt, sent: { write } }) => {
        if (this.#now() > attempt.until) return false;
        if (write.type === "insert") return row === undefined;
        return write.version !== undefined && write.version === row?.version;
      }),
    );
  }
}
