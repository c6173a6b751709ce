import type { SaveOptions, SaveResult } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import type { Fault } from "../../faults/fault.ts";
import type { FaultedRequest } from "../../faults/fault-plan.ts";

/** What became of a request in the store. */
export type RequestOutcome =
  /** It was not carried out yet. */
  | "on its way"
  /** A read was answered. */
  | "read"
  | "applied"
  /** The store refused it, and it changed nothing. */
  | "refused"
  /** It did not arrive, and never will. */
  | "never"
  /** The store itself could not say. */
  | "in doubt";

/** One request of an actor: what it asked for, and what really happened in the store. */
export interface JournalEntry {
  /** Counted from 1, in the order they were sent. */
  readonly number: number;
  /** `actor/step/request`: the same in every run of the seed. */
  readonly id: string;
  /** Such as `clerk 1`. */
  readonly actor: string;
  /** Counted from 1; 0 for what sets up the tables, and for resolving at the end. */
  readonly step: number;
  readonly type: FaultedRequest["type"];
  /** Empty for `listTables`. */
  readonly table: string;
  /** What a write does; empty for a read. */
  readonly operations: readonly WriteOperation[];
  /** What a read asks for, in words. */
  readonly asked: string;
  /** Which try of the request it is, counted from 1. */
  readonly attempt: number;
  /** The save it was sent by; undefined for other requests. */
  readonly save: number | undefined;
  readonly fault: Fault | undefined;
  readonly outcome: RequestOutcome;
  /** When it was sent: milliseconds since the run began. */
  readonly sentAt: number;
  /** When the actor had its answer; undefined before. */
  readonly respondedAt: number | undefined;
  /** When the store carried it out; undefined where it did not. Later than the answer for one that was late. */
  readonly executedAt: number | undefined;
  /** Places in the order of everything that happened; 0 for what did not. What it was sent after has no later place. */
  readonly sent: number;
  readonly responded: number;
  readonly executed: number;
  /** The code that the actor got; undefined for a success. */
  readonly error: string | undefined;
  /** The code of the store's refusal; undefined where it did not refuse it. */
  readonly refusal: string | undefined;
  /** Rows that a read returned. */
  readonly rows: readonly StoredEntity[];
  /** ETags that a write returned, in the order of its operations. */
  readonly etags: readonly (string | undefined)[];
}

/** An entry while its request is on its way. */
export type OpenEntry = { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] };

/** What a context reported of one change. */
export interface ReportedResult {
  readonly order: number;
  /** Milliseconds since the run began. */
  readonly at: number;
  readonly actor: string;
  readonly step: number;
  /** Counted from 1 over the contexts of a run. */
  readonly context: number;
  /** The save that reported it; undefined for `resolveInDoubt()`. */
  readonly save: number | undefined;
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /**
   * Counted from 1 over a run: results with the same number are of one instance that was not discarded, detached or reloaded in
   * between.
   */
  readonly entity: number;
  /** The change that the entity asked for when the save began, as text: the values that it would write, or `delete`. */
  readonly wants: string;
  /** Counts messages that were sent with the entity, and calls of `update()`: what is asked for after one more is another change. */
  readonly revision: number;
  readonly result: SaveResult;
  /** Whether it is the last word: after faults had stopped, `resolveInDoubt({ wait: true })` reported it. */
  readonly isLast: boolean;
}

/** One call of `saveChanges`. */
export interface StartedSave {
  /** Counted from 1 over a run; entries and results name it. */
  readonly number: number;
  readonly actor: string;
  readonly step: number;
  readonly context: number;
  readonly options: SaveOptions;
}

/** The kinds of objects that actors are observed on. */
export type ObservedType = "register" | "counter" | "set" | "claims" | "lists";

/** One operation that an actor reported, on something that others use too. */
export interface Observation {
  readonly actor: string;
  readonly step: number;
  readonly type: ObservedType;
  /** The object: observations of the same type and name are of one. */
  readonly name: string;
  readonly operation: "read" | "write" | "add" | "remove" | "has" | "take" | "transact";
  /** What was written, added, removed or asked for; of a transaction, what it did with lists. */
  readonly value: unknown;
  /** What came of it: `unknown` may have taken effect, or may yet; `failed` had none. `running`: its actor stopped. */
  readonly outcome: "done" | "failed" | "unknown" | "running";
  /** What the work returned, where it is done. */
  readonly result: unknown;
  /** Places in the order of everything that happened; `ended` is infinite while it runs. */
  readonly began: number;
  readonly ended: number;
  readonly at: number;
}

/** A step that ended with an error that faults and conflicts may cause. */
export interface FailedStep {
  readonly order: number;
  readonly at: number;
  readonly actor: string;
  readonly step: number;
  readonly error: Error;
}

/** What a clock of an actor does, where it is not the store's. */
export interface ClockChange {
  /** Milliseconds since the run began; 0 for a clock that differs from the beginning. */
  readonly at: number;
  readonly actor: string;
  /** How far it is set forward, in milliseconds; back where it is below 0. */
  readonly by: number;
}

/** What happened in a run. */
export interface Journal {
  /** Every request of every actor, in the order they were sent. */
  readonly entries: readonly JournalEntry[];
  readonly saves: readonly StartedSave[];
  /** What contexts reported of changes. */
  readonly results: readonly ReportedResult[];
  /** What actors reported by `observe`. */
  readonly observations: readonly Observation[];
  readonly failedSteps: readonly FailedStep[];
  /** Clocks that differ from the store's, and when they are set. */
  readonly clocks: readonly ClockChange[];
}
