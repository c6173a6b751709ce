import { isUtf8 } from "node:buffer";
import { StorageError } from "@partita/core";
import { checkText, maxMessageBytes } from "../port/check-queues.ts";
import type { PeekedMessage } from "../port/queue-storage.ts";

/** Encodes texts for messages, and decodes the texts of received messages. */
export interface MessageEncoding {
  /** Maximum bytes of a text in UTF-8. */
  readonly maxTextBytes: number;
  /** @throws StorageError `queue.text`, `queue.text-too-large`, `queue.text-characters` */
  encode(queue: string, text: string): string;
  decode(stored: string): Pick<PeekedMessage, "text" | "isMalformed">;
}

/** Four characters hold three bytes. */
const maxBase64Bytes = (maxMessageBytes / 4) * 3;

/** UTF-8 in base64. It can hold every text, and Azure Functions write and expect it. */
export const base64Encoding: MessageEncoding = {
  maxTextBytes: maxBase64Bytes,
  encode: (queue, text) => Buffer.from(checkText(queue, text, maxBase64Bytes)).toString("base64"),
  decode(stored) {
    const text = textOfBase64(stored);
    return text === undefined ? { text: stored, isMalformed: true } : { text };
  },
};

/** Plain text, limited to the characters of XML. */
export const textEncoding: MessageEncoding = {
  maxTextBytes: maxMessageBytes,
  encode: (queue, text) => checkCharacters(queue, checkText(queue, text, maxMessageBytes)),
  decode: (text) => ({ text }),
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Undefined for text that is not base64, and for bytes that are not UTF-8. */
function textOfBase64(stored: string): string | undefined {
  // .NET ignores white space between the characters.
  const packed = /\s/.test(stored) ? stored.replaceAll(/\s+/g, "") : stored;
  if (!base64.test(packed) || (packed === "" && stored !== "")) return undefined;
  const bytes = Buffer.from(packed, "base64");
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Characters that XML 1.0 cannot represent. Source: w3.org "Extensible Markup Language (XML) 1.0", 2.2. */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function checkCharacters(queue: string, text: string): string {
  const found = unwritable.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return text;
  const name = `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
  throw new StorageError(
    "queue.text-characters",
    `The message for queue "${queue}" contains the character ${name}, which XML cannot represent. Remove it, or open the queues with messageEncoding: "base64".`,
    { applied: "no" },
  );
}
