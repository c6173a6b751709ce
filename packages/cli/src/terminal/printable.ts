import type { EntityKey } from "@partita/core";

/**
 * Escapes characters that move a terminal's cursor, start a line, are invisible or change the direction of
 * the text (control and format characters, and unpaired surrogates), as JSON does.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escapeOf);

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

const escapeOf = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** A pair of keys for people: `("a", "1")`. */
export const printableKey = ({ partitionKey, rowKey }: EntityKey): string =>
  printable(`(${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`);
