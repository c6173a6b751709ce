import { StorageError, type TableContext } from "@partita/core";
import {
  type CheckOptions,
  defineOptions,
  type OutboxAnnouncement,
  type OutboxOutcome,
  type OutboxMessage,
  type OutboxPlace,
  sendWith,
  wholeNumber,
} from "@partita/core/internal";
import type { QueueRequestOptions, QueueStorage } from "@partita/queues";
import { WorkflowError } from "../errors/workflow-error.ts";
import { type OutboxPointer, printMessage } from "../messages/message-text.ts";
import { anId } from "../messages/option-checks.ts";
import { putMessage } from "../messages/put-message.ts";
import type { Task } from "../tasks/define-task.ts";
import { propertiesOf } from "./outbox-row.ts";

/** Options for sending a message with a save. */
export interface OutboxSendOptions {
  /**
   * Identifies the task for its handler, for example to make it idempotent. By default a random id, the same
   * in each save.
   */
  readonly id?: string | undefined;
  /** Delay after the save before it can be received, in milliseconds: 0 (default) to 6 days. */
  readonly visibleAfterMs?: number | undefined;
}

/** Sends messages with the changes of a context. */
export interface Outbox {
  /**
   * Sends a message with the next change of an entity. The message is stored in the entity group transaction
   * of the change, so the task's handler is called (at least once) if and only if the change is stored. If
   * the entity has no change, the save gives it a new ETag. Discarding the change also discards the
   * message: with `discard`, `detach`, or by reading the entity again over its edits. After a failed save,
   * the message stays pending with the change, and the next save sends it once.
   *
   * @returns the task's id
   * @throws StateError `entity.not-tracked`, `outbox.too-many-messages`; ModelError `outbox.not-declared`;
   * WorkflowError `workflow.not-json`, `outbox.payload-too-large`, `outbox.task`; OptionError
   * `workflow.option`
   */
  send<Payload>(
    entity: object,
    task: Task<Payload>,
    payload: Payload,
    options?: OutboxSendOptions,
  ): { readonly id: string };
}

const sixDaysMs = 6 * 86_400_000;

const checkSend: CheckOptions = defineOptions<OutboxSendOptions>(
  "send(entity, task, payload, options)",
  {
    id: anId,
    visibleAfterMs: wholeNumber(0, sixDaysMs),
  },
  "workflow.option",
);

/**
 * Sends messages in the transactions of a context's saves. A save first puts a pointer to each message into
 * the task's queue, invisible for 90 seconds. Then it stores the message as a row next to its entity, in the
 * transaction of the change. Finally it makes the pointer visible. The table of the entity must declare
 * `outbox: true`.
 *
 * If a pointer cannot be put, the save is refused with `outbox.queue-unreachable` and sends nothing. If a
 * save arrives so late that a worker has closed its message, it is rejected with `outbox.abandoned`.
 */
export const outbox = (context: TableContext, queues: QueueStorage): Outbox => ({
  send(entity, task, payload, options = {}) {
    checkSend(options);
    checkTask(task);
    const { id = crypto.randomUUID(), visibleAfterMs = 0 } = options;
    const properties = propertiesOf({ task: task.name, id, payload });
    const message = messageOf(queues, task.queue, properties, visibleAfterMs);
    sendWith(context, entity, message);
    return { id };
  },
});

function checkTask(task: Partial<Task<never>> | undefined): void {
  if (typeof task?.name === "string" && typeof task.queue === "string") return;
  throw new WorkflowError(
    "outbox.task",
    "send(entity, task, payload) takes a task as its second argument: the result of defineTask().",
  );
}

/** How long a pointer is invisible. Longer than a save takes. */
const hiddenMs = 90_000;

const messageOf = (
  queues: QueueStorage,
  queue: string,
  properties: Readonly<Record<string, string>>,
  visibleAfterMs: number,
): OutboxMessage => ({
  properties,
  bytes: Buffer.byteLength(JSON.stringify(properties)),
  announce: (place, attempt, options) => announce(queues, queue, { place, attempt, visibleAfterMs }, options),
});

/** A pointer to put. */
interface Announcing {
  readonly place: OutboxPlace;
  readonly attempt: number;
  readonly visibleAfterMs: number;
}

async function announce(
  queues: QueueStorage,
  queue: string,
  { place, attempt, visibleAfterMs }: Announcing,
  options: QueueRequestOptions,
): Promise<OutboxAnnouncement> {
  const { table, partitionKey: partition, rowKey: row } = place;
  const pointer: OutboxPointer = { table, partition, row, put: attempt };
  const sent = await putMessage(queues, queue, printMessage({ partita: 1, outbox: pointer }), {
    visibleAfterMs: hiddenMs + visibleAfterMs,
    ...(options.signal && { signal: options.signal }),
  });
  const reveal = async (state: Pick<OutboxPointer, "state">): Promise<void> => {
    const text = printMessage({ partita: 1, outbox: { ...pointer, ...state } });
    try {
      await queues.update(queue, sent, { visibilityMs: visibleAfterMs, text });
    } catch (error) {
      // The pointer or its queue was deleted. Put it again, because the stored message cannot be found
      // without it.
      if (isPointerGone(error)) await putMessage(queues, queue, text, { visibleAfterMs });
      else throw error;
    }
  };
  const end = async (outcome: OutboxOutcome): Promise<void> => {
    switch (outcome) {
      case "stored":
        await reveal({ state: "stored" });
        return;
      case "proved":
        await reveal({});
        return;
      case "refused":
        await queues.remove(queue, sent);
        return;
      case "in doubt":
        return;
      default:
        outcome satisfies never;
    }
  };
  return { properties: { Put: attempt }, end };
}

/**
 * Whether a pointer is no longer in its queue, because the queue was cleared, or a clock was wrong by hours.
 */
const isPointerGone = (error: unknown): boolean =>
  StorageError.is(error) &&
  (error.code === "storage.message-not-found" || error.code === "storage.queue-not-found");
