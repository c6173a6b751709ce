import { StateError } from "./state-error.ts";

/**
 * Refuses options that a method does not have: a misspelt one would be ignored in silence.
 *
 * @throws StateError `context.option`, naming the option and those that exist
 */
export function checkOptions(method: string, options: object, known: readonly string[]): void {
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownOption(method, other, known);
}

/** Refuses a value that is none of a fixed list. @throws StateError `context.option` */
export function checkChoice(method: string, value: unknown, choices: readonly string[]): void {
  if (!choices.includes(value as string)) throw unknownOption(method, String(value), choices);
}

const unknownOption = (method: string, other: string, known: readonly string[]): StateError =>
  new StateError(
    "context.option",
    `${method} does not know "${other.slice(0, 40)}". It takes: ${known.join(", ")}.`,
    {
      method,
      known,
    },
  );
