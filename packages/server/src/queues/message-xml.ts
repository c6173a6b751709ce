import type { PeekedMessage, ReceivedMessage, SentMessage } from "@partita/queues";
import { escapeXml, readXml, xmlDeclaration } from "@partita/core/protocol";
import { orInvalidXml } from "../wire/xml-document.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** Tags of a message at most: its document has four, and some clients add more. */
const maxTags = 64;

/** Characters that XML 1.0 has no form for, not even as references. */
// oxlint-disable-next-line no-control-regex
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * The text of a message, from the document it is sent in.
 *
 * @throws ServiceFault `InvalidXmlDocument`, also for characters that no document can carry back
 */
export async function readMessageText(document: string): Promise<string> {
  if (!hasFewTags(document)) throw new ServiceFault("InvalidXmlDocument");
  const text = orInvalidXml(() => {
    const [name, root] = readXml(document.replace(/^\uFEFF/, ""));
    return name === "QueueMessage"
      ? root.children.find(([child]) => child === "MessageText")?.[1].text
      : undefined;
  });
  // Half of a surrogate pair comes as a reference only.
  if (text === undefined || !text.isWellFormed() || text.search(notInXml) >= 0)
    throw new ServiceFault("InvalidXmlDocument");
  return text;
}

/** Refuses markup that no message has before it is parsed, which takes a microsecond a tag. */
function hasFewTags(document: string): boolean {
  let tags = 0;
  for (let at = document.indexOf("<"); at >= 0; at = document.indexOf("<", at + 1)) {
    if (++tags > maxTags) return false;
    if (!document.startsWith("<![CDATA[", at)) continue;
    at = document.indexOf("]]>", at);
    if (at < 0) return false;
  }
  return true;
}

const element = (name: string, ...children: readonly string[]): string =>
  `<${name}>${children.join("")}</${name}>`;

const text = (name: string, value: string | number): string => element(name, escapeXml(String(value)));

const time = (name: string, value: Date): string => text(name, value.toUTCString());

/** When a message expires that does not. */
const never = new Date("9999-12-31T23:59:59Z");

/** What a holder shows, in the form of the service's own receipts: fit for headers and URLs, whatever the store's look like. */
export const wireReceipt = (receipt: string): string => Buffer.from(receipt).toString("base64");

/** The store's receipt in one from the wire. @throws ServiceFault `InvalidQueryParameterValue` for one of no server */
export function storedReceipt(receipt: string): string {
  const stored = Buffer.from(receipt, "base64").toString();
  if (stored === "" || wireReceipt(stored) !== receipt) throw new ServiceFault("InvalidQueryParameterValue");
  return stored;
}

const list = (messages: readonly string[]): string =>
  xmlDeclaration + element("QueueMessagesList", ...messages.map((inside) => element("QueueMessage", inside)));

const head = ({ id, insertedAt, expiresAt = never }: Omit<SentMessage, "receipt" | "visibleAt">): string =>
  text("MessageId", id) + time("InsertionTime", insertedAt) + time("ExpirationTime", expiresAt);

const holding = ({ receipt, visibleAt }: Pick<SentMessage, "receipt" | "visibleAt">): string =>
  text("PopReceipt", wireReceipt(receipt)) + time("TimeNextVisible", visibleAt);

/** A text that another program stored may have characters that would make the whole answer unreadable. */
const content = ({ text: stored, deliveries }: PeekedMessage): string =>
  text("DequeueCount", deliveries) +
  element("MessageText", escapeText(stored.toWellFormed().replaceAll(notInXml, "\ufffd")));

/** What a document changes when it is read. The rest stays: Microsoft's client does not read references by number. */
const escapeText = (stored: string): string =>
  stored.replaceAll(/[&<>\r]/g, (character) => references[character] as string);

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#xD;",
};

export const sentXml = (message: SentMessage): string => list([head(message) + holding(message)]);

export const receivedXml = (messages: readonly ReceivedMessage[]): string =>
  list(messages.map((message) => head(message) + holding(message) + content(message)));

export const peekedXml = (messages: readonly PeekedMessage[]): string =>
  list(messages.map((message) => head(message) + content(message)));
