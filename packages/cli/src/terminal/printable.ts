/** A text without control characters, which could move a terminal's cursor or begin a line: they are escaped as JSON does it. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, escapeOf);

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
