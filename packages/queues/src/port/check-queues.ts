import { StorageError } from "@partita/core";
import {
  abortSignal,
  accepted,
  type Check,
  type CheckOptions,
  type Checks,
  defineOptions,
  describeType,
  refusedOption,
  required,
  wholeNumber,
} from "@partita/core/internal";
import type {
  MessageReceipt,
  PeekOptions,
  PutOptions,
  QueueRequestOptions,
  ReceiveOptions,
  UpdateOptions,
} from "./queue-storage.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Longest visibility timeout, and default time to live. Source: "Put Message", "Get Messages". */
export const maxVisibilityMs: number = 7 * dayMs;

/** Maximum messages of one receive or peek. Source: "Get Messages". */
export const maxMessages = 32;

/** Bytes of a stored message. Source: "Put Message". */
export const maxMessageBytes: number = 64 * 1024;

const queueName = /^[a-z0-9](-?[a-z0-9])+$/;

/** Refuses an invalid queue name. @throws StorageError `queue.name` */
export function checkQueueName(queue: string): string {
  if (typeof queue === "string" && queue.length >= 3 && queue.length <= 63 && queueName.test(queue))
    return queue;
  const given =
    typeof queue === "string" ? `"${queue.slice(0, 80).replaceAll(/[^\w-]/g, "?")}"` : describeType(queue);
  throw refused(
    "queue.name",
    `${given} is not a valid queue name. A name has 3 to 63 lower-case letters, digits and hyphens, starts and ends with a letter or digit, and has no two hyphens in a row.`,
  );
}

/**
 * Refuses an invalid text.
 *
 * @throws StorageError `queue.text`, `queue.text-too-large`, `queue.text-characters`
 */
export function checkText(queue: string, text: string, maxTextBytes: number): string {
  if (typeof text !== "string")
    throw refused(
      "queue.text",
      `A message of queue "${queue}" must be a text, but this is ${describeType(text)}.`,
    );
  if (!text.isWellFormed())
    throw refused(
      "queue.text-characters",
      `The message for queue "${queue}" has half of a surrogate pair, which UTF-8 does not have. Remove it, or send bytes as base64.`,
    );
  const bytes = Buffer.byteLength(text);
  if (bytes > maxTextBytes)
    throw refused(
      "queue.text-too-large",
      `The message for queue "${queue}" has ${bytes} bytes, more than the maximum of ${maxTextBytes}. Store the data in a row or a blob, and send its key.`,
    );
  return text;
}

/** Refuses a message without an id or receipt. @throws StorageError `queue.receipt` */
export function checkReceipt(queue: string, message: MessageReceipt): MessageReceipt {
  const { id, receipt } = (message as Partial<MessageReceipt> | null | undefined) ?? {};
  if (typeof id === "string" && id !== "" && typeof receipt === "string" && receipt !== "") return message;
  throw refused(
    "queue.receipt",
    `The message of queue "${queue}" has no id or no receipt. Pass the result of put(), receive() or update().`,
  );
}

const refused = (code: string, message: string): StorageError =>
  new StorageError(code, message, { applied: "no" });

const requestChecks: Checks<QueueRequestOptions> = { signal: abortSignal, attempt: wholeNumber(1) };

const upTo7Days = (least: number): Check<number> => ({
  ...wholeNumber(least, maxVisibilityMs),
  takes: `milliseconds from ${least} to ${maxVisibilityMs} (7 days)`,
});

const timeToLive: Check<number | "never"> = accepted(
  'milliseconds, 1000 or more, or "never"',
  (value) => value === "never" || (Number.isInteger(value) && (value as number) >= 1000),
);

const code = "queue.option";

/** @throws OptionError `queue.option` */
export const checkQueueRequest: CheckOptions = defineOptions<QueueRequestOptions>(
  "options",
  requestChecks,
  code,
);

const checkPutEach = defineOptions<PutOptions>(
  "put(queue, text, options)",
  { ...requestChecks, visibleAfterMs: upTo7Days(0), timeToLiveMs: timeToLive },
  code,
);

/** @throws OptionError `queue.option` */
export function checkPut(options: PutOptions = {}): void {
  checkPutEach(options);
  const { visibleAfterMs = 0, timeToLiveMs = maxVisibilityMs } = options;
  if (visibleAfterMs > 0 && timeToLiveMs !== "never" && visibleAfterMs >= timeToLiveMs)
    throw refusedOption(code, "put(queue, text, options)", "visibleAfterMs", "less than timeToLiveMs");
}

/** @throws OptionError `queue.option` */
export const checkReceive: CheckOptions = defineOptions<ReceiveOptions>(
  "receive(queue, options)",
  { ...requestChecks, max: wholeNumber(1, maxMessages), visibilityMs: required(upTo7Days(1000)) },
  code,
);

/** @throws OptionError `queue.option` */
export const checkPeek: CheckOptions = defineOptions<PeekOptions>(
  "peek(queue, options)",
  { ...requestChecks, max: wholeNumber(1, maxMessages) },
  code,
);

/** @throws OptionError `queue.option` */
export const checkUpdate: CheckOptions = defineOptions<UpdateOptions>(
  "update(queue, message, options)",
  {
    ...requestChecks,
    visibilityMs: required(upTo7Days(0)),
    text: accepted("a text", (value) => typeof value === "string"),
  },
  code,
);
