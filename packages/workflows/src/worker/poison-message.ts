import type { QueueStorage, ReceivedMessage } from "@partita/queues";
import { putMessage } from "../messages/put-message.ts";
import { poisonQueueOf } from "../messages/queue-of.ts";

/** A message that cannot be processed. */
export interface Poison {
  readonly queue: string;
  readonly message: ReceivedMessage;
  readonly error: unknown;
  /** Replaces the message's text, if that only points to another place. */
  readonly text?: string | undefined;
}

/**
 * Puts a message into the poison queue, with its text, its source and the reason. Nothing is truncated: a
 * text that does not fit is split into several numbered messages.
 */
export async function putPoison(
  queues: QueueStorage,
  { queue, message, error, text = message.text }: Poison,
  signal: AbortSignal,
): Promise<void> {
  const { id, deliveries } = message;
  const { code } = (error ?? {}) as { code?: unknown };
  const reason = isOfMessage(error) ? "not understood" : "failed too often";
  const about = {
    queue,
    id,
    reason,
    deliveries,
    ...(typeof code === "string" && { error: code }),
  };
  const room = queues.maxTextBytes - Buffer.byteLength(JSON.stringify(about)) - roomForWrapper;
  const parts = partsOf(text, Math.max(room, leastPart));
  for (const [i, part] of parts.entries()) {
    const numbered = parts.length > 1 && { part: i + 1, parts: parts.length };
    const wrapped = JSON.stringify({ partita: 1, poison: { ...about, ...numbered, text: part } });
    await putMessage(queues, poisonQueueOf(queue), wrapped, { signal });
  }
}

/** Errors that no further delivery can resolve. */
const codesOfMessages: ReadonlySet<unknown> = new Set(["workflow.message", "workflow.unknown-name"]);

/** Whether further deliveries of a message are pointless. */
export const isOfMessage = (error: unknown): boolean =>
  codesOfMessages.has((error as { code?: unknown } | null)?.code);

/** Bytes for the names around the text and the details of a message. */
const roomForWrapper = 128;
const leastPart = 1024;

/** Splits a text into parts that fit, as JSON texts. Usually there is one part. */
function partsOf(text: string, maxBytes: number): string[] {
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const character of text) {
    const more = Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes + more > maxBytes) {
      parts.push(part);
      [part, bytes] = ["", 0];
    }
    part += character;
    bytes += more;
  }
  return [...parts, part];
}
