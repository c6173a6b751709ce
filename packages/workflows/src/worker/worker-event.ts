import type { WorkEvent } from "../delivery/work-event.ts";

/** A message, as events name it. */
export interface EventOfMessage {
  readonly queue: string;
  readonly messageId: string;
  readonly deliveries: number;
  /** Absent for a message that was not understood. */
  readonly kind?: "task" | "workflow" | "outbox";
  /** Of the task or workflow. */
  readonly name?: string;
  /** Of the task or run. */
  readonly id?: string;
}

/** What a worker reports, for metrics and logs. Without payloads, inputs and outputs. */
export type WorkerEvent =
  | WorkEvent
  /** A message was understood, and its work begins. */
  | (EventOfMessage & { readonly type: "started" })
  /** Its work is done, and it was removed. */
  | (EventOfMessage & { readonly type: "done"; readonly durationMs: number })
  /** Its work is not done: it sleeps, or the worker stops. It is delivered again. */
  | (EventOfMessage & { readonly type: "released"; readonly againAfterMs: number })
  /** Its work failed, and is tried again. */
  | (EventOfMessage & { readonly type: "failed"; readonly error: unknown; readonly againAfterMs: number })
  /** It is in the poison queue: it was not understood, or its work failed too often. */
  | (EventOfMessage & { readonly type: "poisoned"; readonly error: unknown })
  /** It is no longer held, or could not be removed: it is delivered again when its time is over. */
  | (EventOfMessage & { readonly type: "lost"; readonly error?: unknown })
  /** The queue cannot be reached; the worker tries again. */
  | {
      readonly type: "outage";
      readonly queue: string;
      readonly error: unknown;
      /** In a row, this one included. */
      readonly failures: number;
      readonly againAfterMs: number;
    }
  /** The queue answers again after an outage. */
  | { readonly type: "recovered"; readonly queue: string };
