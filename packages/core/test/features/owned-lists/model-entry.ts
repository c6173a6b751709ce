// What the model of owned lists is made of: instances of the program, and what a save does to them.

import { type Operation, parentOf, type Refusal, type Row } from "./model-store.ts";

export type TrackingOption = "appendOnly" | "preserveChanges" | "overwriteChanges";

/** An instance of the program: an order, or a line. */
export class Entry {
  readonly key: string;
  value: number;
  /**
   * `loose`: the context has never had it. `new`: to be inserted. `stored`: read or saved. `removed`: by a call.
   * `left`: detached by a call, or no longer stored; the context leaves it to the program.
   */
  state: "loose" | "new" | "stored" | "removed" | "left" = "loose";
  /** The row as it was read or saved. */
  row: Row | undefined;
  isTouched = false;
  /** Of an order: the array as the program sees it. */
  list: Entry[] | undefined;
  /** Of an order: the members that `include` or a save has put into the list. */
  readonly shown = new Set<Entry>();
  /** Of an order: new members that are tracked, since they were put into the list or made in it. */
  readonly putIn = new Set<Entry>();
  /** Of an order: new members that were made while there was no list to put them into. */
  readonly unlisted = new Set<Entry>();
  /** Of an order that is removed: the members that its removal took along. */
  readonly along = new Set<Entry>();
  /** Of an order: whether `include` has filled the list. */
  isLoaded = false;
  /** Of a new line: the removed one that had its key. */
  replaced: Entry | undefined;

  constructor(key: string, value: number) {
    this.key = key;
    this.value = value;
  }

  /** The members whose state the list decides: each once, without those that calls have taken. */
  get members(): Entry[] {
    return [...new Set(this.list)].filter(({ state }) => state !== "left" && state !== "removed");
  }

  get isEdited(): boolean {
    return this.isTouched || this.value !== this.row?.value;
  }
}

/** What a save does to one entity. */
export interface Change {
  readonly entry: Entry;
  readonly state: "added" | "modified" | "deleted";
  readonly operation: Operation;
}

/** Why a save sends nothing. */
export type Problem = "entity.key-changed" | "entity.duplicate-key";

/** The outcome of one change. */
export type Outcome = "committed" | "rejected" | Refusal;

/**
 * Splits changes into transactions: a parent is stored before its lines and removed after them, so nobody finds a line
 * without its order.
 */
export function split(changes: readonly Change[], limit: number): Change[][] {
  const rank = ({ entry, state }: Change): number => {
    const isOrder = parentOf(entry.key) === undefined;
    if (!isOrder) return 1;
    return state === "deleted" ? 2 : 0;
  };
  const sorted = changes.toSorted((a, b) => rank(a) - rank(b));
  return Array.from({ length: Math.ceil(sorted.length / limit) }, (_, i) =>
    sorted.slice(i * limit, (i + 1) * limit),
  );
}
