import { ModelError } from "@partita/core/models";

/**
 * Refuses options that the decorator does not have, which would otherwise be ignored. If a decorator is
 * written without parentheses, this argument is the class.
 *
 * @throws ModelError `model.decorator`
 */
export function checkDecoratorOptions(decorator: string, options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  refuseBare(decorator, options);
  if (typeof options !== "object" || options === null)
    throw wrongUse(decorator, `takes its options as an object: { ${known.join(", ")} }`);
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined)
    throw wrongUse(decorator, `has no option "${other.slice(0, 40)}". It takes: ${known.join(", ")}`);
}

/** Refuses a decorator without parentheses. @throws ModelError `model.decorator` */
export function refuseBare(decorator: string, argument: unknown): void {
  const isClass = typeof argument === "object" && argument !== null && Object.hasOwn(argument, "constructor");
  if (isClass || isClassBody(argument)) throw wrongUse(decorator, `needs its parentheses: @${decorator}(…)`);
}

/** Refuses a name that is not a string. @throws ModelError `model.decorator` */
export function checkName(decorator: string, name: unknown, example: string): asserts name is string {
  refuseBare(decorator, name);
  if (typeof name !== "string" || name === "")
    throw wrongUse(decorator, `takes a name: write @${decorator}("${example}")`);
}

/**
 * Refuses a default that is a value instead of a function. A value for rows without the property belongs on
 * the field.
 */
export function checkDefault(decorator: string, made: unknown): void {
  if (made !== undefined && typeof made !== "function")
    throw wrongUse(
      decorator,
      "takes a function as its default: { default: () => value }. Set a value for rows that lack the property on the field itself: rating = 3",
    );
}

const isClassBody = (value: unknown): boolean =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

const wrongUse = (decorator: string, problem: string): ModelError =>
  new ModelError("model.decorator", `@${decorator} ${problem}.`, { decorator });
