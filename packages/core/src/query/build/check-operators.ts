import { callerOf, placeOf } from "../../values/errors/caller.ts";
import { conditionOperator } from "./condition-operator.ts";
import { findOperator } from "./find-operator.ts";

/** Texts that are remembered at most: programs have fewer callbacks, unless they make them from text. */
const maxTexts = 2_000;

/** By length: to compare texts takes a tenth of the time that their hashes for a set take. */
const checkedTexts = new Map<number, string[]>();
let textCount = 0;

/**
 * Looks at the source of a callback for JavaScript's operators on conditions and columns: of `a || b` the second condition is never
 * made, so nothing else shows that it is missing.
 *
 * @param method - the name of the target's method that got the callback; the error names the line that called it
 * @throws QueryError `query.condition-operator`
 */
export function checkOperators<Target extends object>(
  callback: object,
  target: Target,
  method: keyof Target & string,
): void {
  const text = Function.prototype.toString.call(callback);
  if (isChecked(text)) return;
  const operator = findOperator(text);
  if (operator !== undefined)
    throw conditionOperator(operator, `${method}() at ${placeOf(callerOf(target, method))}`);
  remember(text);
}

/** Most callbacks are made again for each query, so a callback is known by its text. */
const isChecked = (text: string): boolean => checkedTexts.get(text.length)?.includes(text) === true;

function remember(text: string): void {
  if (textCount >= maxTexts) return;
  textCount++;
  checkedTexts.set(text.length, [...(checkedTexts.get(text.length) ?? []), text]);
}
