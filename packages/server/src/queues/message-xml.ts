import type { PeekedMessage, ReceivedMessage, SentMessage } from "@partita/queues";
import { escapeXml, readXml, xmlDeclaration } from "@partita/core/protocol";
import { orInvalidXml } from "../wire/xml-document.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** Maximum number of tags: a message's document has four, and some clients add more. */
const maxTags = 64;

/** Characters that XML 1.0 cannot represent, not even as references. */
// oxlint-disable-next-line no-control-regex
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Reads the text of a message from its document.
 *
 * @throws ServiceFault `InvalidXmlDocument`, also for characters that a response could not contain
 */
export async function readMessageText(document: string): Promise<string> {
  if (!hasFewTags(document)) throw new ServiceFault("InvalidXmlDocument");
  const text = orInvalidXml(() => {
    const [name, root] = readXml(document.replace(/^\uFEFF/, ""));
    return name === "QueueMessage"
      ? root.children.find(([child]) => child === "MessageText")?.[1].text
      : undefined;
  });
  // Half of a surrogate pair can only arrive as a reference.
  if (text === undefined || !text.isWellFormed() || text.search(notInXml) >= 0)
    throw new ServiceFault("InvalidXmlDocument");
  return text;
}

/** Refuses excessive markup before parsing, which takes a microsecond per tag. */
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

/** The expiry of a message that never expires. */
const never = new Date("9999-12-31T23:59:59Z");

/** A receipt in the form of the service's own: any store's receipt becomes valid in headers and URLs. */
export const wireReceipt = (receipt: string): string => Buffer.from(receipt).toString("base64");

/** Decodes a receipt to the store's. @throws ServiceFault `InvalidQueryParameterValue` if it is invalid */
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

/** Text that another program stored may contain characters that would make the whole response unreadable. */
const content = ({ text: stored, deliveries }: PeekedMessage): string =>
  text("DequeueCount", deliveries) +
  element("MessageText", escapeText(stored.toWellFormed().replaceAll(notInXml, "\ufffd")));

/**
 * Escapes characters that parsing would change. The others stay, since Microsoft's client does not read numeric
 * references.
 */
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
