import { loadModule, withoutModules } from "./modules.ts";

/** Evaluates further text among the declarations of a model. */
export type Scope = (text: string) => unknown;

/**
 * Evaluates a model. The worker that this runs in reaches no page, no storage and no network.
 *
 * @throws anything that the text throws
 */
export function evaluateModel(model: string, context: object): Scope {
  // Browsers would report a syntax error.
  if (/^\s*@[A-Z]\w*\s*\(/m.test(model))
    throw new Error("Decorators need a compiler. Declare the class here with defineEntity instead.");
  const body = `"use strict"; ${withoutModules(model, "$load")}
;return ($text) => eval($text);
//# sourceURL=model.js`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the visitor's own program, in the sandbox
  const make = new Function("context", "$load", body) as (...values: unknown[]) => Scope;
  return make(context, loadModule);
}

/** Evaluates the text of a field, among the declarations of the model; its value is that of its last statement. */
export const evaluateField = (scope: Scope, field: string, text: string): unknown =>
  scope(`${withoutModules(text, "$load")}\n//# sourceURL=${field}.js`);

/** A declaration of the model by its name; undefined if there is none. */
export const declarationOf = (scope: Scope, name: string): unknown =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? scope(`typeof ${name} === "undefined" ? undefined : ${name}`) : undefined;
