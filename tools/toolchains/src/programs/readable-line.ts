import type { FirstError } from "./compile-programs.ts";

/** Maximum length that a reader reads of a line. */
const mostCharacters = 200;
/** The compiler prints a longer type with its members, which a reader does not search. */
const mostOfAType = 60;

/**
 * Whether the first line of an error describes the mistake. Within its first 200 characters, it
 * - contains one of our messages, or
 * - quotes a name that the mistake is about, or has it in a short type, or
 * - shows two types that differ, or the number of missing arguments, and the program's line that it points to
 *   contains the name.
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

/** The lines that the compiler prints before the actual error. */
const saysNothing = /^(?:No overload matches this call|Unable to resolve signature)/;

/** A text of at least three words as a type, as in `ModelError<"there is no such setting here">`. */
const sentence = /(?:<|'|: )"(?:[^" ]+ ){2}/;

const isComparison =
  /is not assignable to|does not exist in type|in common with type|is missing (?:in|the following .* from) type|^Expected [\d-]+ arguments?, but/;

/** Whether a text contains a name as a complete word. */
const hasWord = (text: string, name: string): boolean =>
  text.split(name).some((before, i, parts) => {
    const after = parts[i + 1];
    return (
      after !== undefined &&
      !/\w\w/.test(`${before.slice(-1)}${name.slice(0, 1)} ${name.slice(-1)}${after.slice(0, 1)}`)
    );
  });
