import { isError } from "@partita/core/internal";
import { WorkflowError } from "../errors/workflow-error.ts";

/** Deeper nesting is treated as a circular structure. */
const deepest = 500;

/**
 * Prints a value as JSON text that parses to the same data. Undefined members are left out, and -0 becomes 0.
 * Objects of a class are stored by their properties. Values that JSON would drop or change are refused.
 *
 * @param what - for the error: `The output of step "mark"`
 * @throws WorkflowError `workflow.not-json` with the path of the value, but not the value
 */
export function jsonText(value: unknown, what: string): string {
  const flaw = flawOf(value, []);
  if (flaw === undefined) return JSON.stringify(value);
  const path = flaw.path.reduce<string>(pathOf, "");
  throw new WorkflowError(
    "workflow.not-json",
    `${what} is not JSON: ${path === "" ? "it" : path.slice(0, 200)} is ${flaw.problem}. Return or pass plain data: text, finite numbers, true and false, null, arrays and objects of these.`,
    { path, problem: flaw.problem },
  );
}

/** The reason why JSON cannot hold a value, and its path. */
interface Flaw {
  readonly problem: string;
  readonly path: readonly (string | number)[];
}

/** @param above - the objects that contain the value */
function flawOf(value: unknown, above: readonly object[]): Flaw | undefined {
  const problem = problemOf(value, above);
  if (problem !== undefined) return { problem, path: [] };
  if (typeof value !== "object" || value === null) return undefined;
  const inside = [...above, value];
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined && !isList) continue;
    const flaw = flawOf(member, inside);
    if (flaw !== undefined) return { ...flaw, path: [isList ? Number(name) : name, ...flaw.path] };
  }
  return undefined;
}

function pathOf(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  if (!/^[A-Za-z_$][\w$]{0,60}$/.test(name)) return `${path}[${JSON.stringify(name.slice(0, 60))}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** The reason why JSON cannot hold a value, in words that follow "is". */
function problemOf(value: unknown, above: readonly object[]): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : "a number that is not finite";
    case "object":
      return value === null ? undefined : problemOfObject(value, above);
    case "undefined":
      return "undefined";
    default:
      return `a ${typeof value}`;
  }
}

function problemOfObject(value: object, above: readonly object[]): string | undefined {
  if (above.includes(value)) return "an object that contains itself";
  if (above.length >= deepest) return `nested more than ${deepest} levels deep`;
  if (Array.isArray(value)) {
    // Holes and named properties of an array would be lost.
    return Object.keys(value).length === value.length ? undefined : "an array with holes or names";
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function")
    return `${nameOf(value)}, which becomes a text`;
  if (
    Object.getOwnPropertySymbols(value).some((symbol) =>
      Object.prototype.propertyIsEnumerable.call(value, symbol),
    )
  )
    return "an object with a symbol as a name";
  return isPlain(value) || !isOpaque(value) ? undefined : nameOf(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An object of a class without visible properties, such as a Map, or bytes. */
const isOpaque = (value: object): boolean =>
  ArrayBuffer.isView(value) || isError(value) || Object.keys(value).length === 0;

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === "string" && constructor.name !== ""
    ? `an object of ${constructor.name}`
    : "an object of a class";
}
