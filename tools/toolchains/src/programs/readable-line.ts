import type { FirstError } from "./compile-programs.ts";

/** Of a longer line, no more is read. */
const mostCharacters = 200;
/** A longer type is printed with its members, which nobody looks through. */
const mostOfAType = 60;

/**
 * Whether the first line of an error says what is wrong. Within its first 200 characters,
 *
 * - it has a sentence of ours, or
 * - it quotes a name that the mistake is about, or has it in a type that is short, or
 * - it says which two types differ, or how many arguments are missing, and the line of the program that it points to has
 *   the name.
 */
export function isReadable({ line, source }: FirstError, names: readonly string[]): boolean {
  const read = line.slice(0, mostCharacters);
  if (saysNothing.test(read)) return false;
  if (sentence.test(read)) return true;
  const quoted = [...read.matchAll(/'([^']*)'/g)].map((match) => match[1] as string);
  if (names.some((name) => quoted.some((text) => text.replaceAll('"', "") === name))) return true;
  if (!quoted.every((type) => type.length <= mostOfAType && !type.includes("..."))) return false;
  return names.some((name) => hasWord(read, name) || (isComparison.test(read) && hasWord(source, name)));
}

/** What the compiler prints above the lines that say what is wrong. */
const saysNothing = /^(?:No overload matches this call|Unable to resolve signature)/;

/** A text of at least three words as a type, as in `ModelError<"there is no such setting here">`. */
const sentence = /(?:<|'|: )"(?:[^" ]+ ){2}/;

const isComparison =
  /is not assignable to|does not exist in type|in common with type|is missing (?:in|the following .* from) type|^Expected [\d-]+ arguments?, but/;

/** Whether a text has a name by itself, not as a part of a longer one. */
const hasWord = (text: string, name: string): boolean =>
  text.split(name).some((before, i, parts) => {
    const after = parts[i + 1];
    return (
      after !== undefined &&
      !/\w\w/.test(`${before.slice(-1)}${name.slice(0, 1)} ${name.slice(-1)}${after.slice(0, 1)}`)
    );
  });
