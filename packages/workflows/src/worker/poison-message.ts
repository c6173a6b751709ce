import type { QueueStorage, ReceivedMessage } from "@partita/queues";
import { putMessage } from "../messages/put-message.ts";
import { poisonQueueOf } from "../messages/queue-of.ts";

/** A message that cannot be handled. */
export interface Poison {
  readonly queue: string;
  readonly message: ReceivedMessage;
  readonly error: unknown;
  /** What stands for the message's text there, where that only says where the message stands. */
  readonly text?: string | undefined;
}

/**
 * Puts a message into the poison queue: its text, where it is from, and why. Nothing is cut off: a text that does not fit
 * comes in several messages, which are numbered.
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

/** Errors of messages that no delivery will change. */
const codesOfMessages: ReadonlySet<unknown> = new Set(["workflow.message", "workflow.unknown-name"]);

/** Whether a message is not worth another delivery. */
export const isOfMessage = (error: unknown): boolean =>
  codesOfMessages.has((error as { code?: unknown } | null)?.code);

/** Bytes for the names around what is about a message and its text. */
const roomForWrapper = 128;
const leastPart = 1024;

/** A text in parts that fit, as JSON texts: one, but for a text that leaves no room for what is about it. */
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
