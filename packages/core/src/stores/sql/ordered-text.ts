/**
 * SQLite and PostgreSQL compare text by UTF-8 bytes, the service by UTF-16 code units. The two orders differ only
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
