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

/** Whether a text has a name by itself, not as a part of a longer one. */
const hasWord = (text: string, name: string): boolean =>
  text.split(name).some((before, i, parts) => {
    const after = parts[i + 1];
    return (
      after !== undefined &&
      !/\w\w/.test(`${before.slice(-1)}${name.slice(0, 1)} ${name.slice(-1)}${after.slice(0, 1)}`)
    );
  });
