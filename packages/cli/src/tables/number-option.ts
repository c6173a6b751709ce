import { UsageError } from "../session/usage-error.ts";

/** The number that an option was given. @throws UsageError */
export function wholeNumberOf(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`${flag} takes a whole number, 1 or more.`);
}
