import type { FirstError } from "./compile-programs.ts";

/** A longer line is not read to its end. */
const mostCharacters = 200;
/** A longer type is printed with its members, which nobody looks through. */
const mostOfAType = 60;

/**
 * Whether the first line of an error says what is wrong. It is short, and
 *
 * - it has a sentence of ours, or
 * - it quotes a name that the mistake is about, or has it in a type that is short, or
 * - it says which two types differ, or how many arguments are missing, and the line of the program that it points to has
 *   the name.
 */
export function isReadable({ line, source }: FirstError, names: readonly string[]): boolean {
  if (line.length > mostCharacters || saysNothing.test(line)) return false;
  if (sentence.test(line)) return true;
  const quoted = [...line.matchAll(/'([^']*)'/g)].map((match) => match[1] as string);
  if (names.some((name) => quoted.some((text) => text.replaceAll('"', "") === name))) return true;
  if (!quoted.every((type) => type.length <= mostOfAType && !type.includes("..."))) return false;
  return names.some((name) => hasWord(line, name) || (isComparison.test(line) && hasWord(source, name)));
}

/** What the compiler prints above the lines that say what is wrong. */
const saysNothing = /^(?:No overload matches this call|Unable to resolve signature)/;

/** A text of at least three words as a type, as in `ModelError<"there is no such setting here">`. */
const sentence = /(?:<|'|: )"(?:[^" ]+ ){2}/;

const isComparison =
  /is not assignable to|does not exist in type|in common with type|is missing (?:in|the following .* from) type|^Expected [\d-]+ arguments?, but/;

const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(?<!\\w)${word.replaceAll(/[^\w ]/g, String.raw`\$&`)}(?!\\w)`).test(text);
