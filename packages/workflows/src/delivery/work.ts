import type { ContextOptions, TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import type { QueueStorage } from "@partita/queues";
import type { Message } from "../messages/message-text.ts";
import type { WorkEvent } from "./work-event.ts";

/** What a handler knows of the message that it handles. */
export interface Delivery {
  /** The id of the task or of the run, the same in each delivery. */
  readonly id: string;
  /** The queue's own id of the message. */
  readonly messageId: string;
  readonly queue: string;
  /** How often the message was received, this time included. */
  readonly deliveries: number;
  /** Aborted when the message is no longer surely held, or when the worker stops. */
  readonly signal: AbortSignal;
}

/** A delivery as a worker hands it to work. */
export interface HeldDelivery extends Delivery {
  /** Whether the message is surely still held: nothing is recorded for one that is not. */
  readonly isHeld: boolean;
  /** Aborted when it no longer is; a worker that stops does not abort it. */
  readonly lost: AbortSignal;
  readonly visibilityMs: number;
}

/** Work that is not done yet: its message is to be delivered again after so many milliseconds. */
export interface Release {
  readonly againAfterMs: number;
  /** The text that the message has from then on; absent, it stays as it is. */
  readonly text?: string;
}

/** What a message asks for, understood. */
export interface Work {
  readonly kind: "task" | "workflow" | "outbox";
  /** Of the task or workflow. */
  readonly name: string;
  /** Of the task or run. */
  readonly id: string;
  /** What goes to the poison queue in place of the message's text, where that only says where the message stands. */
  readonly text?: string;
  /**
   * Does the work. When it resolves, the message is removed, or, with a release, delivered again later; when it rejects,
   * it is delivered again after a back-off, and goes to the poison queue once `isExhausted`.
   */
  run(delivery: HeldDelivery): Promise<Release | void>;
  /** Whether a message that failed just now has had all its attempts. */
  isExhausted(delivery: Delivery): boolean;
  /** Failures in a row so far, the last one included: what a back-off grows with. */
  failures(delivery: Delivery): number;
  /** Called once the message is in the poison queue, and before it leaves its own. May be called again after a failure. */
  abandon?(error: unknown, delivery: HeldDelivery): Promise<void>;
}

/** What a worker gives to those who understand messages. */
export interface DispatchScope {
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly clock: Clock;
  /** The queue that the message came from. */
  readonly queue: string;
  /** Aborted when the message is no longer surely held, or when the worker stops. */
  readonly signal: AbortSignal;
  /** Reports to those who observe the worker. It never throws. */
  readonly report: (event: WorkEvent) => void;
  /** For the contexts of the steps of a run with this input. */
  readonly contextOptionsFor: (input: unknown, workflow: string) => ContextOptions;
  /**
   * The work of a task that the worker knows: for messages whose task and payload stand elsewhere.
   *
   * @throws WorkflowError `workflow.unknown-name`
   */
  taskWork(task: string, id: string, payload: unknown): Work;
}

/**
 * Understands one kind of message. The first of a worker's dispatchers that returns anything but undefined has the
 * message.
 *
 * @throws WorkflowError `workflow.message` or `workflow.unknown-name`, by which a message goes to the poison queue at once;
 *   after any other error it is delivered again
 */
export type Dispatch = (
  message: Message,
  scope: DispatchScope,
) => Promise<Work | "nothing to do"> | undefined;
