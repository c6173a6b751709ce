import type { ContextOptions, TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import type { QueueStorage } from "@partita/queues";
import type { Message } from "../messages/message-text.ts";
import type { WorkEvent } from "./work-event.ts";

/** The attributes of a message for its handler. */
export interface Delivery {
  /** The id of the task or of the run, the same in each delivery. */
  readonly id: string;
  /** The queue's own id of the message. */
  readonly messageId: string;
  readonly queue: string;
  /** Number of times the message was received, including this time. */
  readonly deliveries: number;
  /** Aborted when the worker may have lost its lease on the message, or stops. */
  readonly signal: AbortSignal;
}

/** A delivery as the worker passes it to work. */
export interface HeldDelivery extends Delivery {
  /** Whether the worker certainly still has its lease. Otherwise nothing is recorded. */
  readonly isHeld: boolean;
  /** Aborted when the lease may be lost. A worker that stops does not abort it. */
  readonly lost: AbortSignal;
  readonly visibilityMs: number;
}

/** Work that is not finished. Its message is delivered again after this many milliseconds. */
export interface Release {
  readonly againAfterMs: number;
  /** The new text of the message. By default it does not change. */
  readonly text?: string;
}

/** The work of a parsed message. */
export interface Work {
  readonly kind: "task" | "workflow" | "outbox";
  /** Name of the task or workflow. */
  readonly name: string;
  /** Id of the task or run. */
  readonly id: string;
  /** The text for the poison queue, if the message's own text only points to another place. */
  readonly text?: string;
  /**
   * Does the work. When it resolves, the message is removed or, with a release, delivered again later. When
   * it rejects, the message is delivered again after a back-off, and goes to the poison queue once
   * `isExhausted`.
   */
  run(delivery: HeldDelivery): Promise<Release | void>;
  /** Whether a message that just failed has used all of its attempts. */
  isExhausted(delivery: Delivery): boolean;
  /** Number of consecutive failures, including the last one. The back-off grows with it. */
  failures(delivery: Delivery): number;
  /**
   * Called once the message is in the poison queue, before it is removed from its own queue. May be called
   * again after a failure.
   */
  abandon?(error: unknown, delivery: HeldDelivery): Promise<void>;
}

/** The worker's services for dispatchers. */
export interface DispatchScope {
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly clock: Clock;
  /** The queue of the message. */
  readonly queue: string;
  /** Aborted when the worker may have lost its lease on the message, or stops. */
  readonly signal: AbortSignal;
  /** Reports an event to the observers of the worker. Never throws. */
  readonly report: (event: WorkEvent) => void;
  /** The options for contexts in the steps of a run with this input. */
  readonly contextOptionsFor: (input: unknown, workflow: string) => ContextOptions;
  /**
   * The work of a task that the worker has, for messages that store their task and payload elsewhere.
   *
   * @throws WorkflowError `workflow.unknown-name`
   */
  taskWork(task: string, id: string, payload: unknown): Work;
}

/**
 * Parses one kind of message. The first dispatcher of a worker that returns a value handles the message.
 *
 * @throws WorkflowError `workflow.message` or `workflow.unknown-name`, which send a message to the poison
 * queue immediately; after any other error it is delivered again
 */
export type Dispatch = (
  message: Message,
  scope: DispatchScope,
) => Promise<Work | "nothing to do"> | undefined;
