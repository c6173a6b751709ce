// Recognises instances of built-in classes from any realm. Test runners and sandboxes run programs in contexts of their own,
// whose Date, Error and Uint8Array are other classes than those seen here, so the `instanceof` operator denies them. Where a
// class has an internal slot, the slot decides: an object without it has none of the class's methods.

import { inherits } from "./brand.ts";

const { isError: hasErrorData } = Error as { readonly isError?: (value: unknown) => boolean };
const { prototype: dates } = Date;
/** The getter of the one tag that says what a typed array is, whatever class or realm made it. */
const { get: typedArrayTag } = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  Symbol.toStringTag,
) as { readonly get: (this: unknown) => string | undefined };

/** Whether a value is an error: of any realm, or of a class that only inherits from Error, as libraries may have. */
export const isError = (value: unknown): value is Error =>
  inherits(value, Error) || (hasErrorData === undefined ? isTaggedError(value) : hasErrorData(value));

/** Before Node 24, the tag of an error from another realm has to do. */
const isTaggedError = (value: unknown): boolean =>
  typeof value === "object" && /^(Error|DOMException)$/.test(tagOf(value));

/** Whether a value is an error that the runtime throws, of this class: `RangeError`. */
export const isOfBuiltIn = (value: unknown, name: string): value is Error =>
  isError(value) && value.name === name;

/** What is thrown may be anything: an error as it is, and any other value as the text of one. */
export const asError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(String(thrown)));

/** What went wrong in words, of anything that was thrown. */
export const messageOf = (thrown: unknown): string => (isError(thrown) ? thrown.message : String(thrown));

/** The time of a Date in milliseconds; NaN for an invalid one, and for any other value. */
export function timeOf(value: unknown): number {
  // Keeps most other values from the price of a throw.
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

/** How `toString` of objects names a value's class: `Map`, `RegExp`. An object may claim to be one. */
export const tagOf = (value: unknown): string =>
  Object.prototype.toString.call(value).slice("[object ".length, -1);

/** Whether a value is a promise of the language; an object with a method `then` is none. */
export const isPromise = (value: unknown): value is Promise<unknown> => tagOf(value) === "Promise";

/** Whether a value is an AbortSignal, of the runtime or of a library: what is used of one is there. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
