import { isDate } from "../errors/built-ins.ts";
import { ModelError } from "../errors/model-error.ts";
import type { AnyKeyFormat } from "./key-format.ts";

/** The error for a key format with wrong arguments. `call` is its notation: `padded(digits)`. */
export const formatError = (call: string, problem: string): ModelError =>
  new ModelError("model.option", `${call} ${problem}`, { format: call });

/** Refuses unknown options of a format. @throws ModelError `model.option` */
export function checkFormatOptions(call: string, options: unknown, known: readonly string[]): void {
  const isObject = typeof options === "object" && options !== null && !isDate(options);
  const other = isObject ? Object.keys(options).find((name) => !known.includes(name)) : "";
  if (other === undefined) return;
  const problem = other === "" ? "takes its options as an object" : `has no option "${other.slice(0, 40)}"`;
  throw formatError(call, `${problem}. It takes: ${known.join(", ")}.`);
}

/** Whether a value is a key format; a property type, such as `int32()`, is not. */
export function isKeyFormat(value: unknown): value is AnyKeyFormat {
  const { encode, decode } = (value ?? {}) as Partial<AnyKeyFormat>;
  return typeof encode === "function" && typeof decode === "function";
}
