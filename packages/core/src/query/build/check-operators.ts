import { callerOf, placeOf } from "../../values/errors/caller.ts";
import { conditionOperator } from "./condition-operator.ts";
import { findOperator } from "./find-operator.ts";

/**
 * Looks at the source of a callback for JavaScript's operators on conditions and columns.
 *
 * @param method - the name of the target's method that got the callback; the error names the line that called it
 * @throws QueryError `query.condition-operator`
 */
export function checkOperators<Target extends object>(
  callback: object,
  target: Target,
  method: keyof Target & string,
): void {
  const operator = findOperator(Function.prototype.toString.call(callback));
  if (operator !== undefined)
    throw conditionOperator(operator, `${method}() at ${placeOf(callerOf(target, method))}`);
}
