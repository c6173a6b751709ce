import { inherits } from "../errors/brand.ts";
import { isDate, isError, tagOf } from "../errors/built-ins.ts";
import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import { isSameData } from "./same-data.ts";
import { snapshotAsStored, type Serializer } from "./serializer.ts";
import { stringSerializer, stringType } from "./string.ts";

/**
 * A JSON value as text in a String property. Values that JSON cannot represent (functions, bigint, cycles, NaN) are
 * refused.
 */
export const jsonSerializer: Serializer<unknown> = {
  ...stringType,
  ...snapshotAsStored,
  name: "Json",
  isJson: true,
  comparison: "none",
  sample: "a",
  plainSchema: {},
  encode(value, path) {
    return stringSerializer.encode(toJsonText(value, path), path);
  },
  decode(stored, annotation, path) {
    const text = stringSerializer.decode(stored, annotation, path);
    try {
      return JSON.parse(text);
    } catch {
      // The parser's own message quotes the stored text.
      throw SerializationError.malformed(path, "JSON text");
    }
  },
  isUnchanged(snapshotValue, value) {
    try {
      const stored = snapshotValue as string;
      const text = JSON.stringify(value, refuseLoss);
      // Compares decoded values: different spacing in the stored text is not a change.
      return text === stored || text === JSON.stringify(JSON.parse(stored));
    } catch {
      return isAsRead(snapshotValue as string, value);
    }
  },
};

/**
 * Whether a value that cannot be printed is the one that was read: 1e999, which is infinite here, or thousands of
 * levels.
 */
function isAsRead(stored: string, value: unknown): boolean {
  try {
    return isSameData(value, JSON.parse(stored));
  } catch {
    return false;
  }
}

function toJsonText(value: unknown, path: PropertyPath): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuseLoss);
  } catch (cause) {
    const property = (path.property + placeIn(value)).slice(0, 200);
    const problem = inherits(cause, NoJson)
      ? `cannot be stored as JSON: ${cause.message}`
      : "cannot be stored as JSON (see cause), which has no bigints, no circular references, and few levels.";
    throw SerializationError.conversion({ ...path, property }, "encode", cause, problem);
  }
  if (text === undefined) throw SerializationError.wrongType(path, "a JSON value", value);
  return text;
}

/** The path to the member that JSON refuses, such as `.lines[2].on`. It prints the value again, up to that member. */
function placeIn(value: unknown): string {
  const places = new Map<unknown, string>();
  let last = "";
  try {
    JSON.stringify(value, function (this: unknown, name: string, member: unknown) {
      const holder = places.get(this);
      if (holder !== undefined) last = `${holder}${Array.isArray(this) ? `[${name}]` : `.${name}`}`;
      places.set(member, last);
      return refuseLoss.call(this, name, member);
    });
  } catch {
    // It fails again, at the same member.
  }
  return last;
}

/** The error for a value that JSON cannot hold; its message has no value. */
class NoJson extends TypeError {}

/** Refuses values that JSON.stringify would silently drop or change. */
function refuseLoss(this: unknown, name: string, value: unknown): unknown {
  // The value before its own toJSON, which turns an invalid Date into null and a valid one into text.
  const original = (this as Readonly<Record<string, unknown>>)[name];
  if (typeof value === "number" && !Number.isFinite(value)) throw new NoJson("JSON has no NaN or Infinity.");
  if (typeof value === "function" || typeof value === "symbol")
    throw new NoJson(`JSON has no ${typeof value}s.`);
  if (value === undefined && Array.isArray(this)) throw new NoJson("JSON has no undefined in arrays.");
  if (typeof original === "object" && original !== null && losesItself(original))
    throw new NoJson(
      `JSON has no ${original.constructor.name}. Store it in a separate property, or as text.`,
    );
  return value;
}

/** Built-in objects that JSON turns into text, null or an empty object. */
const losesItself = (value: object): boolean =>
  isDate(value) ||
  isError(value) ||
  unsupported.has(tagOf(value)) ||
  ArrayBuffer.isView(value) ||
  isOpaque(value);

/** An object of a class without enumerable content, such as URLSearchParams or one with private fields only. */
function isOpaque(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Array.isArray(value)) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== "function" && Object.keys(value).length === 0;
}

/** By their tags, which subclasses inherit. */
const unsupported: ReadonlySet<string> = new Set([
  "RegExp",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "Promise",
  "ArrayBuffer",
  "Number",
  "String",
  "Boolean",
]);
