import type { WorkEvent } from "../delivery/work-event.ts";

/** The message of an event. */
export interface EventOfMessage {
  readonly queue: string;
  readonly messageId: string;
  readonly deliveries: number;
  /** Absent for a message that could not be parsed. */
  readonly kind?: "task" | "workflow" | "outbox";
  /** Name of the task or workflow. */
  readonly name?: string;
  /** Id of the task or run. */
  readonly id?: string;
}

/** Events of a worker, for metrics and logs. Without payloads, inputs and outputs. */
export type WorkerEvent =
  | WorkEvent
  /** A message was parsed, and its work starts. */
  | (EventOfMessage & { readonly type: "started" })
  /** Its work is done, and it was removed. */
  | (EventOfMessage & { readonly type: "done"; readonly durationMs: number })
  /** Its work is not finished: it sleeps, or the worker stops. It will be delivered again. */
  | (EventOfMessage & { readonly type: "released"; readonly againAfterMs: number })
  /** Its work failed, and will be retried. */
  | (EventOfMessage & { readonly type: "failed"; readonly error: unknown; readonly againAfterMs: number })
  /** It is in the poison queue, because it was not understood or its work failed too often. */
  | (EventOfMessage & { readonly type: "poisoned"; readonly error: unknown })
  /**
   * The worker lost its lease, or could not remove it. It is delivered again after its visibility timeout.
   */
  | (EventOfMessage & { readonly type: "lost"; readonly error?: unknown })
  /** The queue cannot be reached. The worker retries. */
  | {
      readonly type: "outage";
      readonly queue: string;
      readonly error: unknown;
      /** Consecutive failures, including this one. */
      readonly failures: number;
      readonly againAfterMs: number;
    }
  /** The queue responds again after an outage. */
  | { readonly type: "recovered"; readonly queue: string };
