/**
 * SQLite compares text by UTF-8 bytes, the service by UTF-16 code units; they differ only where surrogates meet
 * U+E000 to U+FFFF. Key columns therefore hold a bijection of the key whose code points sort as its code units do:
 * astral code points move down into the surrogates' place, U+E000 to U+FFFF move up behind them.
 */
export function toOrderedText(key: string): string {
  return affected.test(key)
    ? mapPoints(key, (p) => (p >= 0x10000 ? p - 0x2000 : p >= 0xe000 ? p + 0x100000 : p))
    : key;
}

/** The key that {@link toOrderedText} made this text from. */
export function fromOrderedText(text: string): string {
  return affected.test(text)
    ? mapPoints(text, (p) => (p >= 0x10e000 ? p - 0x100000 : p >= 0xe000 ? p + 0x2000 : p))
    : text;
}

const affected = /[\ud800-\uffff]/;

const mapPoints = (text: string, map: (point: number) => number): string =>
  Array.from(text, (character) => String.fromCodePoint(map(character.codePointAt(0) as number))).join("");
