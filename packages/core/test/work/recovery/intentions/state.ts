import type { AttemptState, Conclusion, Finding, Operation, Intention } from "./rules.ts";

/** A row: the property that we write, and one that only others do. */
export interface Row {
  readonly etag: string;
  readonly value: number;
  readonly other: number;
}

export interface Change {
  readonly type: "put" | "upsert" | "delete";
  readonly row: number;
  readonly value: number;
}

export interface RowOperation extends Operation {
  readonly row: number;
  readonly value: number;
  readonly other: number;
}

export interface ModelAttempt {
  readonly operations: readonly RowOperation[];
  readonly intentions: readonly number[];
  readonly marker: number | undefined;
  readonly context: number;
  state: AttemptState;
  /** Whether the network still has the request. */
  isOnTheWay: boolean;
}

export type Told = "committed" | "rejected" | "unknown" | "dropped";

/** Its attempts are by their positions in the state. */
interface ModelIntention extends Omit<Intention<Change>, "attempts"> {
  readonly context: number;
  readonly attempts: readonly number[];
  /** The intention that this one continues under another name; itself, unless a rule is weakened. */
  readonly origin: number;
  timesApplied: number;
  reported: Told | undefined;
  isFinal: boolean;
  wasRejected: boolean;
}

/** `etag`: "?" where it must be read first. `wants`: the pending intention, or -1. */
export interface Entity {
  etag: string | undefined;
  value: number;
  other: number;
  wants: number;
  isDetached: boolean;
  isUpsert: boolean;
  /** A version under which a write was refused. */
  refusedEtag: string | undefined;
}

export type Why = "save" | "after send" | "resolve" | "refused marker";

/** Where a context is in a save or a `resolve`. */
export type Position =
  | { readonly at: "idle" }
  | {
      readonly at: "read";
      readonly why: Why;
      readonly intentions: readonly number[];
      readonly rows: readonly (Row | undefined)[];
      /** Which attempts could not arrive any more when the first row was read. */
      readonly over: readonly boolean[];
    }
  | { readonly at: "send" | "lost"; readonly intentions: readonly number[] }
  | {
      readonly at: "close";
      readonly why: Why;
      readonly todo: readonly number[];
      readonly intentions: readonly number[];
    };

export interface Context {
  entities: Entity[];
  /** Intentions that were edited, removed or discarded while in doubt. */
  ended: readonly number[];
  saves: number;
  requests: number;
  hadNoDoubt: boolean;
  hadFault: boolean;
  position: Position;
}

/** `handled`: the message of an outbox, after the worker. */
export type Marker = "written" | "closed" | "handled" | undefined;

/** How often each thing may still happen. */
export interface Budget {
  saves: number;
  resolves: number;
  others: number;
  attempts: number;
  minutes: number;
  hours: number;
  faults: number;
  edits: number;
  removals: number;
  discards: number;
  queries: number;
  worker: number;
}

/** One moment: the storage, the network and the contexts; then what only the laws need. */
export interface State {
  rows: (Row | undefined)[];
  nextEtag: number;
  markers: Marker[];
  /** Markers that are older than their life, so that they may be swept. */
  expired: boolean[];
  /** Markers whose first request was sent longer ago than markers live, as the context knows. */
  aged: boolean[];
  nextMarker: number;
  closings: { readonly marker: number; isOnTheWay: boolean }[];
  attempts: ModelAttempt[];
  intentions: ModelIntention[];
  contexts: Context[];
  left: Budget;
  /** The user discarded or edited, so members of a group may go apart. */
  mayGoApart: boolean;
  isGroupStored: boolean;
  /** The attempt that wrote a version; only where the scenario looks at delayed upserts. */
  writers: Record<string, number>;
}

/** The rules, of which one may be weakened. */
export interface Rules {
  judge(
    attempt: ModelAttempt,
    rowOf: (operation: RowOperation) => Row | undefined,
    isEqual: (operation: RowOperation, row: Row) => boolean,
    wasOver: boolean,
  ): Finding;
  conclude(attempts: readonly ModelAttempt[], findings: readonly (Finding | undefined)[]): Conclusion;
  maySend(
    operation: Operation,
    row: Row | undefined,
    options: { readonly canArrive: boolean; readonly isIdempotent: boolean },
  ): boolean;
}

/** A state of its own; readonly parts are shared. */
export const copyState = (state: State): State => ({
  ...state,
  rows: [...state.rows],
  markers: [...state.markers],
  expired: [...state.expired],
  aged: [...state.aged],
  closings: state.closings.map((one) => ({ ...one })),
  attempts: state.attempts.map((one) => ({ ...one })),
  intentions: state.intentions.map((one) => ({ ...one })),
  contexts: state.contexts.map((one) => ({
    ...one,
    entities: one.entities.map((entity) => ({ ...entity })),
  })),
  left: { ...state.left },
  writers: { ...state.writers },
});
