import type { SaveOptions, SaveResult } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import type { Fault } from "../../faults/fault.ts";
import type { FaultedRequest } from "../../faults/fault-plan.ts";

/** The outcome of a request in the store. */
export type RequestOutcome =
  /** It was not applied yet. */
  | "on its way"
  /** A read with a response. */
  | "read"
  | "applied"
  /** The store refused it, and it changed nothing. */
  | "refused"
  /** It did not arrive, and never will. */
  | "never"
  /** The store itself reported an unknown outcome. */
  | "in doubt";

/** One request of an actor, and what really happened in the store. */
export interface JournalEntry {
  /** Starting from 1, in the order of sending. */
  readonly number: number;
  /** `actor/step/request`: the same in every run of the seed. */
  readonly id: string;
  /** The name of the actor, such as `clerk 1`. */
  readonly actor: string;
  /** Starting from 1; 0 while tables are set up, and for resolving at the end. */
  readonly step: number;
  readonly type: FaultedRequest["type"];
  /** Empty for `listTables`. */
  readonly table: string;
  /** The operations of a write; empty for a read. */
  readonly operations: readonly WriteOperation[];
  /** A description of a read. */
  readonly asked: string;
  /** The number of the attempt, starting from 1. */
  readonly attempt: number;
  /** The save that sent it; undefined for other requests. */
  readonly save: number | undefined;
  readonly fault: Fault | undefined;
  readonly outcome: RequestOutcome;
  /** When it was sent, in milliseconds since the start of the run. */
  readonly sentAt: number;
  /** When the actor got the response; undefined before. */
  readonly respondedAt: number | undefined;
  /** When the store applied it; undefined if it did not. For a late request, this is after the response. */
  readonly executedAt: number | undefined;
  /** The position in the order of all events; 0 if it did not happen. Requests sent earlier have smaller positions. */
  readonly sent: number;
  readonly responded: number;
  readonly executed: number;
  /** The error code that the actor got; undefined for a success. */
  readonly error: string | undefined;
  /** The code of the store's refusal; undefined if it was not refused. */
  readonly refusal: string | undefined;
  /** Rows that a read returned. */
  readonly rows: readonly StoredEntity[];
  /** ETags that a write returned, in the order of its operations. */
  readonly etags: readonly (string | undefined)[];
}

/** An entry while its request is in progress. */
export type OpenEntry = { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] };

/** A result that a context reported for a change. */
export interface ReportedResult {
  readonly order: number;
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly actor: string;
  readonly step: number;
  /** The number of the context, starting from 1 in each run. */
  readonly context: number;
  /** The save that reported it; undefined for `resolveInDoubt()`. */
  readonly save: number | undefined;
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /**
   * The number of the entity, starting from 1 in each run. Results with the same number belong to one instance that was
   * not discarded, detached or reloaded in between.
   */
  readonly entity: number;
  /** The change at the start of the save as text: the values to write, or `delete`. */
  readonly wants: string;
  /** Counts sent messages and calls of `update()`; each makes another change. */
  readonly revision: number;
  readonly result: SaveResult;
  /** Whether it is final: reported by `resolveInDoubt({ wait: true })` after faults had stopped. */
  readonly isLast: boolean;
}

/** One call of `saveChanges`. */
export interface StartedSave {
  /** Starting from 1 in each run; entries and results refer to it. */
  readonly number: number;
  readonly actor: string;
  readonly step: number;
  readonly context: number;
  readonly options: SaveOptions;
}

/** The types of observed objects. */
export type ObservedType = "register" | "counter" | "set" | "claims" | "lists";

/** One operation on a shared object, as reported by an actor. */
export interface Observation {
  readonly actor: string;
  readonly step: number;
  readonly type: ObservedType;
  /** The name of the object, unique within its type. */
  readonly name: string;
  readonly operation: "read" | "write" | "add" | "remove" | "has" | "take" | "transact";
  /** The value that was written, added, removed or looked up; for a transaction, its list operations. */
  readonly value: unknown;
  /**
   * The outcome: `unknown` may have taken effect, or may still do so; `failed` had no effect; `running`: its actor
   * stopped.
   */
  readonly outcome: "done" | "failed" | "unknown" | "running";
  /** The result of the work, if it is done. */
  readonly result: unknown;
  /** The position of its start in the order of all events; `ended` is infinite while it runs. */
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

/** A change of an actor's clock relative to the store's. */
export interface ClockChange {
  /** Milliseconds since the start of the run; 0 for a clock that differs from the start. */
  readonly at: number;
  readonly actor: string;
  /** How far it is set forward, in milliseconds; negative if it is set back. */
  readonly by: number;
}

/** The history of a run. */
export interface Journal {
  /** Every request of every actor, in the order of sending. */
  readonly entries: readonly JournalEntry[];
  readonly saves: readonly StartedSave[];
  /** Results that contexts reported. */
  readonly results: readonly ReportedResult[];
  /** Operations that actors reported with `observe`. */
  readonly observations: readonly Observation[];
  readonly failedSteps: readonly FailedStep[];
  /** Clocks that differ from the store's, and the times of their changes. */
  readonly clocks: readonly ClockChange[];
}
