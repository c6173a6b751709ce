import { nearestName } from "./nearest-name.ts";
import { describeType } from "./serialization-error.ts";
import { StateError } from "./state-error.ts";

/**
 * Refuses options that a method does not have: a misspelt one would be ignored in silence.
 *
 * @throws StateError `context.option`, naming the option and those that exist
 */
export function checkOptions(method: string, options: object, known: readonly string[]): void {
  // A text or a list has names, too: its positions.
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new StateError(
      "context.option",
      `${method} takes its options as an object, but got ${describeType(options)}. It takes: ${known.join(", ")}.`,
      { method, known },
    );
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownOption(method, other, known);
}

/** Refuses a value that is none of a fixed list. @throws StateError `context.option` */
export function checkChoice(method: string, value: unknown, choices: readonly string[]): void {
  if (!choices.includes(value as string)) throw unknownOption(method, String(value), choices);
}

function unknownOption(method: string, other: string, known: readonly string[]): StateError {
  const meant = nearestName(other, known);
  return new StateError(
    "context.option",
    `${method} does not know "${other.slice(0, 40)}".${meant === undefined ? "" : ` Did you mean ${meant}?`} It takes: ${known.join(", ")}.`,
    { method, known },
  );
}
