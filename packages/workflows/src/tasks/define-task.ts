import {
  abortSignal,
  aFunction,
  checkArgument,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import { checkName, queueOf } from "../messages/queue-of.ts";
import { jsonText } from "../messages/json-text.ts";
import { printMessage } from "../messages/message-text.ts";
import { anId, definitionCheck } from "../messages/option-checks.ts";
import { putMessage } from "../messages/put-message.ts";
import type { Delivery } from "../delivery/work.ts";

/** Delivery options of a task. */
export interface TaskOptions {
  /** Its queue. By default the task's name in kebab case. Tasks and workflows may share a queue. */
  readonly queue?: string | undefined;
  /** Deliveries before a message goes to the poison queue. Default 5. */
  readonly attempts?: number | undefined;
}

/** Options for sending a message. */
export interface SendOptions {
  /** Identifies the task for its handler, for example to make it idempotent. By default a random id. */
  readonly id?: string | undefined;
  /** Delay before it can be received, in milliseconds: 0 (default) to 7 days. */
  readonly visibleAfterMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Work that a worker does for each message, at least once. */
export interface Task<in Payload> {
  readonly name: string;
  readonly queue: string;
  readonly attempts: number;
  readonly handler: (payload: Payload, delivery: Delivery) => Promise<void> | void;
  /**
   * Puts a message to have a worker call the handler at least once. Creates the queue if it does not exist.
   *
   * @returns the task's id
   * @throws WorkflowError `workflow.not-json`; StorageError `queue.text-too-large`
   */
  send(queues: QueueStorage, payload: Payload, options?: SendOptions): Promise<{ readonly id: string }>;
}

/** A task with any payload. */
export type AnyTask = Task<never>;

const checkTask = definitionCheck("defineTask(name, handler, options)");

const checkSend: CheckOptions = defineOptions<SendOptions>(
  "send(queues, payload, options)",
  {
    id: anId,
    visibleAfterMs: wholeNumber(0),
    signal: abortSignal,
  },
  "workflow.option",
);

/**
 * Declares a task: a name, and a handler for its messages. The handler is called at least once for each
 * message, and again after a failure, so it must be safe to call twice.
 *
 * @throws WorkflowError `workflow.name`; StorageError `queue.name`; OptionError `workflow.option`
 */
export function defineTask<Payload = undefined>(
  name: string,
  handler: (payload: Payload, delivery: Delivery) => Promise<void> | void,
  options: TaskOptions = {},
): Task<Payload> {
  checkName("task", name);
  checkArgument("defineTask(name, handler)", handler, aFunction, "workflow.option");
  checkTask(options);
  const queue = queueOf(name, options.queue);
  return Object.freeze({
    name,
    queue,
    attempts: options.attempts ?? 5,
    handler,
    async send(queues: QueueStorage, payload: Payload, sending: SendOptions = {}) {
      checkSend(sending);
      const { id = crypto.randomUUID(), visibleAfterMs = 0, signal } = sending;
      if (payload !== undefined) jsonText(payload, `The payload of task "${name}"`);
      const text = printMessage({ partita: 1, task: name, id, payload });
      await putMessage(queues, queue, text, { visibleAfterMs, ...(signal && { signal }) });
      return { id };
    },
  });
}
