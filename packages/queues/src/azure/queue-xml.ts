import type { ReceivedMessage, SentMessage } from "../port/queue-storage.ts";
import { childOf, childrenOf, malformedXml, textOfChild } from "@partita/core/internal/azure";
import { escapeXml, readXml, xmlDeclaration, type XmlElement } from "@partita/core/protocol";

/** A message of a response, with its text as stored. The request determines its members. */
export interface FoundMessage {
  readonly element: XmlElement;
  readonly id: string;
  readonly insertedAt: Date;
  readonly expiresAt?: Date;
}

/** The body of a message. Source: learn.microsoft.com "Put Message". */
export const printMessage = (stored: string): string =>
  `${xmlDeclaration}<QueueMessage><MessageText>${escapeXml(stored)}</MessageText></QueueMessage>`;

/** The messages of a response. Source: "Get Messages". @throws StorageError `storage.malformed-response` */
export function parseMessages(document: string): readonly FoundMessage[] {
  return childrenOf(rootOf(document, "QueueMessagesList"), "QueueMessage").map((element) => {
    const expiresAt = required(element, "ExpirationTime", timeOf);
    return {
      element,
      id: required(element, "MessageId", textOf),
      insertedAt: required(element, "InsertionTime", timeOf),
      // A message that does not expire has the service's last day.
      ...(expiresAt.getUTCFullYear() < 9999 && { expiresAt }),
    };
  });
}

/** The receipt of a message. @throws StorageError `storage.malformed-response` */
export const receiptOf = ({ element }: FoundMessage): Pick<SentMessage, "receipt" | "visibleAt"> => ({
  receipt: required(element, "PopReceipt", textOf),
  visibleAt: required(element, "TimeNextVisible", timeOf),
});

/** @throws StorageError `storage.malformed-response` */
export const deliveriesOf = ({ element }: FoundMessage): ReceivedMessage["deliveries"] =>
  required(element, "DequeueCount", countOf);

/** The stored text of a message. An empty text may be left out. */
export const storedTextOf = ({ element }: FoundMessage): string => textOfChild(element, "MessageText") ?? "";

/** One page of the names of queues. Source: "List Queues". @throws StorageError `storage.malformed-response` */
export function parseQueues(document: string): {
  readonly names: readonly string[];
  readonly next: string | undefined;
} {
  const root = rootOf(document, "EnumerationResults");
  const queues = childOf(root, "Queues");
  if (queues === undefined) throw malformedXml("it contains no list of queues");
  const next = textOfChild(root, "NextMarker")?.trim();
  return {
    names: childrenOf(queues, "Queue").map((queue) => required(queue, "Name", textOf)),
    next: next === "" ? undefined : next,
  };
}

function rootOf(document: string, name: string): XmlElement {
  // The service's documents start with a byte order mark.
  const [found, root] = readXml(document.replace(/^\ufeff/, ""));
  if (found !== name) throw malformedXml(`its root is not ${name}`);
  return root;
}

function required<Value>(
  element: XmlElement,
  name: string,
  valueOf: (text: string) => Value | undefined,
): Value {
  const text = textOfChild(element, name);
  const value = text === undefined ? undefined : valueOf(text.trim());
  if (value === undefined) throw malformedXml(`${name} is missing or invalid`);
  return value;
}

const textOf = (text: string): string | undefined => (text === "" ? undefined : text);

/** A time in the format of the service's headers and documents. */
export function timeOf(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** A whole number, 0 or more. */
export const countOf = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text) ? Number(text) : undefined;
