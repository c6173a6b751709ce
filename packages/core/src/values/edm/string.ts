import type { ByteWriter } from "./byte-writer.ts";
import { cursor, failed } from "./cursor.ts";
import { endOfText } from "./json-bytes.ts";
import { printJson } from "./print-entity.ts";
import { type BytesCode, giveUp } from "./value-code.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { type EdmForms, inOrder } from "./edm-forms.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

const [quote, backslash] = [0x22, 0x5c];

/** 64 KiB of UTF-16. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxStringLength = 32_768;

/** The stored forms of String. */
export const stringType: EdmForms = {
  edm: "Edm.String",
  annotation: "never",
  isAnnotated: () => false,
  parse: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
  isTooLarge: (stored) => (stored as string).length > maxStringLength,
  // Two bytes for each UTF-16 unit, and four for the length.
  sizeOf: (stored) => 2 * (stored as string).length + 4,
  // By UTF-16 units.
  compare: (a, b) => inOrder(a, b),
  isOrdered: true,
  canonical: (stored) => stored,
  example: "",
  print: (stored) => `'${String(stored).replaceAll("'", "''")}'`,
  quoted: {
    prefixes: [""],
    parse(content) {
      const text = content.replaceAll("''", "'");
      return text.isWellFormed() ? text : undefined;
    },
    problem: "a text holds a lone surrogate",
  },
  plainForm: "text of the property's form",
  plainSchema: { type: "string", maxLength: maxStringLength },
};

/** String: well-formed UTF-16, at most 32,768 code units. */
export const stringSerializer: Serializer<string> = {
  ...stringType,
  name: "Text",
  sample: "a",
  ...snapshotAsValue,
  code: {
    names: { readText, putText },
    isQuoted: true,
    fromValue: { test: `typeof v === "string"`, value: "v" },
    fromBytes: textFromBytes,
    toSnapshotValue: {
      test: `typeof v === "string" && v.length <= ${maxStringLength} && v.isWellFormed()`,
      snapshotValue: "v",
      bytes: (value) => `2 * ${value}.length + 4`,
    },
    toBytes: { test: `typeof v === "string"`, put: "putText(o, v)" },
  },
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a string", value);
    if (value.length > maxStringLength)
      throw SerializationError.tooLarge(path, value.length, maxStringLength, "UTF-16 code units");
    if (!value.isWellFormed())
      throw SerializationError.malformed(path, "well-formed Unicode, without lone surrogates");
    return value;
  },
  decode(stored, annotation, path) {
    if (typeof stored !== "string" || (annotation !== undefined && annotation !== "Edm.String"))
      throw mismatch(stringSerializer, stored, annotation, path);
    return stored;
  },
  restore: (snapshotValue) => snapshotValue as StoredValue,
};

/** Up to this many bytes, generated code or a loop is faster than native code. */
const longText = 200;

/**
 * Copies a text to the collected texts of its row, which become one string. The values are slices of that string, so
 * none of them keeps the page alive. It copies four bytes at a time while all are usual: ASCII, no control character,
 * no quotation mark, no backslash (Mycroft's test for a zero byte, applied to the word with each of them subtracted).
 * An unusual text becomes a string of its own, `z`.
 */
export function textFromBytes(id: string): BytesCode {
  return {
    variables: [`f${id} = 0`, `l${id} = 0`, `z${id}`],
    code: [
      `f${id} = n; i = p; while (p < lastWord && n < lastFree && p - i < ${longText}) { w = v.getInt32(p, true);`,
      `if (((w | (w - 0x20202020) | ((w ^ 0x22222222) - 0x01010101) | ((w ^ 0x5c5c5c5c) - 0x01010101)) & 0x80808080) !== 0) break;`,
      `tv.setInt32(n, w, true); p += 4; n += 4; }`,
      `for (;;) { c = b[p++]; if (c === 34) break;`,
      `if (!(c >= 32 && c < 128) || c === 92 || p - i > ${longText}) { z${id} = readText(b, i); n = f${id}; ${giveUp} break; }`,
      `t[n++] = c; } l${id} = n;`,
    ].join(" "),
    value: `(z${id} === undefined ? texts.substring(f${id}, l${id}) : z${id})`,
  };
}

/**
 * A text that has escapes, is not ASCII, or is long.
 *
 * @param from - its first byte, after the quotation mark
 */
export function readText(bytes: Buffer, from: number): string | undefined {
  const next = bytes.indexOf(quote, from);
  if (next - from > longText) return parsedText(bytes, from, from);
  let isPlain = true;
  let at = from;
  const near = from + longText;
  for (; at < near; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) break;
    if (byte === backslash) {
      isPlain = false;
      at++;
    } else if (!(byte >= 0x20)) return fail();
  }
  if (at >= near || !isPlain) return parsedText(bytes, from, at);
  cursor.at = at + 1;
  return bytes.toString("utf8", from, at);
}

/** The JSON parser checks and converts long or escaped text. */
function parsedText(bytes: Buffer, from: number, searched: number): string | undefined {
  const end = endOfText(bytes, searched);
  if (end === undefined) return fail();
  try {
    const text = JSON.parse(bytes.toString("utf8", from - 1, end + 1)) as string;
    cursor.at = end + 1;
    return text;
  } catch {
    return fail();
  }
}

function fail(): undefined {
  cursor.at = failed;
  return undefined;
}

/** Writes escaped text. It writes usual characters one by one, in half the time of a call that writes them all. */
export function putText(into: ByteWriter, text: string): void {
  const { length } = text;
  if (length > longToWrite) return putUnusual(into, text);
  into.reserve(3 * length + 1);
  const { buffer } = into;
  let at = into.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) {
      if (code < 0x20 || code === quote || code === backslash) return putUnusual(into, text);
      buffer[at++] = code;
    } else if (code < 0x800) {
      buffer[at++] = 0xc0 | (code >> 6);
      buffer[at++] = 0x80 | (code & 0x3f);
    } else if (isUnusual(code)) {
      return putUnusual(into, text);
    } else {
      buffer[at++] = 0xe0 | (code >> 12);
      buffer[at++] = 0x80 | ((code >> 6) & 0x3f);
      buffer[at++] = 0x80 | (code & 0x3f);
    }
  }
  buffer[at++] = quote;
  into.length = at;
}

/** Longer text is escaped and written by the runtime: a call costs more, but each character less. */
const longToWrite = 400;

/** Half of a surrogate pair, or a line separator, which is escaped. */
const isUnusual = (code: number): boolean =>
  (code >= 0xd800 && code <= 0xdfff) || code === 0x2028 || code === 0x2029;

/** Overwrites the part that `putText` has already written. */
const putUnusual = (into: ByteWriter, text: string): void => into.utf8(printJson(text).slice(1));
