import { KeyError } from "../errors/key-error.ts";
import { StorageError } from "../errors/storage-error.ts";

/** One of the two keys, spelled as in the service. */
export type KeyName = "PartitionKey" | "RowKey";

/** 1 KiB of UTF-16. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxKeyLength = 512;

/** `/ \ # ?` and control characters. Source: same page, "Characters disallowed in key fields". */
// oxlint-disable-next-line no-control-regex
const forbidden = /[/\\#?\u0000-\u001f\u007f-\u009f]/;

/** The reason why a text cannot be (part of) a key; undefined if it can. */
export function keyTextProblem(
  text: string,
): { readonly code: string; readonly problem: string } | undefined {
  if (isPlain(text)) return undefined;
  const found = forbidden.exec(text);
  if (found !== null)
    return { code: "key.forbidden-character", problem: `has the forbidden character ${describe(found[0])}` };
  if (!text.isWellFormed()) return { code: "key.malformed", problem: "has a lone surrogate" };
  return undefined;
}

/**
 * A text that identifies a partition of a table. Table names ignore case; keys have no control characters, so NUL is a
 * safe separator.
 */
export const partitionId = (table: string, partitionKey: string): string =>
  `${table.toLowerCase()}\0${partitionKey}`;

/**
 * @throws KeyError `key.too-long`, `key.forbidden-character` or `key.malformed` for a complete PartitionKey or RowKey.
 */
export function checkKey(key: KeyName, text: string, entity: string): void {
  if (text.length > maxKeyLength)
    throw new KeyError(
      "key.too-long",
      `The ${key} of ${entity} is ${text.length} characters long; the service stores at most ${maxKeyLength}.`,
      { entity, key, length: text.length, limit: maxKeyLength },
    );
  const problem = keyTextProblem(text);
  if (problem !== undefined)
    throw new KeyError(problem.code, `The ${key} of ${entity} ${problem.problem}.`, { entity, key });
}

/**
 * The same check for a storage, which has no entities.
 *
 * @throws StorageError for keys that the service does not store
 */
export function checkStoredKey(partitionKey: string, rowKey: string): void {
  for (const text of [partitionKey, rowKey]) {
    if (typeof text !== "string") throw StorageError.ofService("PropertiesNeedValue");
    if (text.length > maxKeyLength) throw StorageError.ofService("PropertyValueTooLarge", "key");
    if (keyTextProblem(text) !== undefined)
      throw StorageError.ofService("OutOfRangeInput", "forbidden character in key");
  }
}

/** Whether a text consists of allowed ASCII characters only, as most keys do: checking each is faster than a search. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === 0x2f || code === 0x5c || code === 0x23 || code === 0x3f)
      return false;
  }
  return true;
}

function describe(character: string): string {
  const code = character.charCodeAt(0);
  const isVisible = code > 0x20 && code < 0x7f;
  return isVisible ? character : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * A form of key columns: SQLite and PostgreSQL compare text by UTF-8 bytes, the service by UTF-16 code units. The two orders differ only
 * between surrogates and U+E000 to U+FFFF. Key columns therefore contain a bijection of the key that sorts as its code
 * units do: astral code points move down to the position of the surrogates, and U+E000 to U+FFFF move up after them.
 */
export function toOrderedText(key: string): string {
  return affected.test(key)
    ? mapPoints(key, (p) => (p >= 0x10000 ? p - 0x2000 : p >= 0xe000 ? p + 0x100000 : p))
    : key;
}

/** Returns the original key of `toOrderedText`. */
export function fromOrderedText(text: string): string {
  return affected.test(text)
    ? mapPoints(text, (p) => (p >= 0x10e000 ? p - 0x100000 : p >= 0xe000 ? p + 0x2000 : p))
    : text;
}

/** UTF-16 units that UTF-8 sorts differently. */
const affected = /[\ud800-\uffff]/;

const mapPoints = (text: string, map: (point: number) => number): string =>
  Array.from(text, (character) => String.fromCodePoint(map(character.codePointAt(0) as number))).join("");
