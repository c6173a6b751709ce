// Recognises instances of built-in classes from any realm. Test runners and sandboxes run programs in separate
// contexts, which have their own Date, Error and Uint8Array classes, so the `instanceof` operator returns false for
// their instances. If a class has an internal slot, the slot decides: an object without it cannot use the class's
// methods.

import { inherits } from "./brand.ts";

const { isError: hasErrorData } = Error as { readonly isError?: (value: unknown) => boolean };
const { prototype: dates } = Date;
/** The getter of the tag that identifies a typed array of any class and realm. */
const { get: typedArrayTag } = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  Symbol.toStringTag,
) as { readonly get: (this: unknown) => string | undefined };

/** Whether a value is an error: of any realm, or of a class that only inherits from Error, as some libraries define. */
export const isError = (value: unknown): value is Error =>
  inherits(value, Error) || (hasErrorData === undefined ? isTaggedError(value) : hasErrorData(value));

/** Before Node 24, only the tag identifies an error from another realm. */
const isTaggedError = (value: unknown): boolean =>
  typeof value === "object" && /^(Error|DOMException)$/.test(tagOf(value));

/** Whether a value is an error of this built-in class, by its name: `RangeError`. */
export const isOfBuiltIn = (value: unknown, name: string): value is Error =>
  isError(value) && value.name === name;

/**
 * Converts any thrown value to an error: an error is returned unchanged, any other value becomes the message of one.
 */
export const asError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(String(thrown)));

/** The message of any thrown value. */
export const messageOf = (thrown: unknown): string => (isError(thrown) ? thrown.message : String(thrown));

/** The time of a Date in milliseconds; NaN for an invalid one, and for any other value. */
export function timeOf(value: unknown): number {
  // Spares most other values the cost of a throw.
  if (typeof (value as Partial<Date> | null | undefined)?.getTime !== "function") return Number.NaN;
  try {
    return dates.getTime.call(value);
  } catch {
    return Number.NaN;
  }
}

/** Whether a value is a Date, valid or not. */
export function isDate(value: unknown): value is Date {
  if (typeof (value as Partial<Date> | null | undefined)?.getTime !== "function") return false;
  try {
    dates.getTime.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value is a Uint8Array, such as a Buffer. */
export const isUint8Array = (value: unknown): value is Uint8Array =>
  typedArrayTag.call(value) === "Uint8Array";

/** The class name that `toString` of objects returns for a value: `Map`, `RegExp`. Objects can fake it. */
export const tagOf = (value: unknown): string =>
  Object.prototype.toString.call(value).slice("[object ".length, -1);

/** Whether a value is a built-in promise; other objects with a `then` method are not. */
export const isPromise = (value: unknown): value is Promise<unknown> => tagOf(value) === "Promise";

/** Whether a value is an AbortSignal, of the runtime or of a library: it has the members that Partita uses. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
