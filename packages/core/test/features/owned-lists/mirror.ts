// What performs each step of a history with the library, beside the model.

import type { ListFault } from "./commands.ts";
import type { ModelContext } from "./model.ts";
import type { Change, Entry, Outcome, Problem, TrackingOption } from "./model-entry.ts";
import type { ModelStore } from "./model-store.ts";

/** A transaction that was sent, by the keys of its rows in order. */
export interface SentBatch {
  readonly keys: readonly string[];
  readonly fault: ListFault | undefined;
}

/** What performs each step beside the model, and compares. */
export interface Mirror {
  put(key: string, value: number): Promise<void>;
  delete(key: string): Promise<void>;
  find(order: string, expected: Entry | undefined): Promise<void>;
  include(order: string, option: TrackingOption, expected: Entry | undefined): Promise<void>;
  create(order: Entry): void;
  createIn(order: Entry, line: Entry, isMade: boolean): void;
  /** The program has changed the array, or put another one in its place. */
  setList(order: Entry, isMutated: boolean): void;
  setValue(entry: Entry): void;
  call(method: "remove" | "detach" | "touch" | "discard", entry: Entry): void;
  reload(entry: Entry, keepsEdits: boolean): Promise<void>;
  clear(): void;
  /** Asks for the pending changes, which lets the lists take effect. */
  compare(): void;
  /** A save that sends nothing. */
  refuse(code: Problem | "save.not-atomic", isAtomic: boolean): Promise<void>;
  /** Saves, and returns what was sent. */
  save(
    changes: readonly Change[],
    faults: readonly (ListFault | undefined)[],
    isAtomic: boolean,
  ): Promise<readonly SentBatch[]>;
  checkOutcomes(expected: ReadonlyMap<Entry, Outcome>): void;
  /** Everything is as the model says. */
  check(model: ModelContext, store: ModelStore): Promise<void>;
}
