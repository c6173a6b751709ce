import {
  findEdmType,
  isInRange,
  isPropertyName,
  setMember,
  type StoredEntityDraft,
  timestampOf,
} from "@partita/core/internal";
import {
  annotationOf,
  edmTypeOf,
  isSystemName,
  setTyped,
  typedValue,
  untypedValue,
} from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";
import { TransferError } from "./transfer-error.ts";
import { membersOf } from "./json-members.ts";
import type { Line, LineReader } from "./text-lines.ts";

/**
 * A row as a line of JSON in the service's form: keys first, then each value after its type.
 *
 * @param columns - the properties to write; all if undefined
 */
export function jsonLine(
  row: StoredEntity,
  hasTimestamp: boolean,
  columns: ReadonlySet<string> | undefined,
): string {
  const { PartitionKey, RowKey } = row;
  const line: StoredEntityDraft = { PartitionKey, RowKey };
  if (hasTimestamp) setMember(line, "Timestamp", timestampOf(row));
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (value === undefined || value === null || isSystemName(name)) continue;
    if (columns?.has(name) === false) continue;
    const edm = edmTypeOf(value, row[annotationOf(name)]);
    setTyped(line, name, typedValue(value, edm) ?? { value, annotation: edm });
  }
  return `${JSON.stringify(line)}\n`;
}

/** Reads one row from each line of JSON. */
export class JsonLineReader implements LineReader {
  line = 1;

  next(text: string, from: number, isEnd: boolean): Line | undefined {
    lineBreak.lastIndex = from;
    const found = lineBreak.exec(text);
    const next = found === null ? text.length : lineBreak.lastIndex;
    // The end of the text may split a line end.
    if (!isEnd && (found === null || (next === text.length && found[0] === "\r"))) return undefined;
    const json = text.slice(from, found?.index ?? next);
    const line = this.line++;
    return json.trim() === "" ? { length: next - from } : lineOfJson(json, line, next - from);
  }
}

/** JSON has none of these inside text. */
const lineBreak = /\r\n?|\n/g;

/** The row of a JSON text, or the problem with it. */
export function lineOfJson(json: string, line: number, length: number): Line {
  try {
    return { row: rowOfJson(json, line), length };
  } catch (error) {
    if (TransferError.is(error)) return { bad: error, length };
    throw error;
  }
}

/** @throws TransferError `transfer.line` */
function rowOfJson(json: string, line: number): StoredEntity {
  const bad = (problem: string, property?: string): TransferError =>
    TransferError.badLine({ line, problem, property });
  const found = parse(json);
  if (found === undefined) throw bad(`it is not JSON${/^\{$|\}\s*\{/.test(json.trim()) ? oneLineEach : ""}`);
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw bad("it is JSON, but not an object");
  const members = found as Readonly<Record<string, unknown>>;
  const { count, doubles } = membersOf(json);
  const row = {} as StoredEntityDraft;
  for (const name of ["PartitionKey", "RowKey"] as const) {
    const key = members[name];
    if (typeof key !== "string" || !key.isWellFormed()) throw bad(keyProblem, name);
    row[name] = key;
  }
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (isSystemName(name)) checkSystemMember(members, name, line);
    else if (value !== null) takeValue(row, members, { name, value, line, isDouble: doubles.has(name) });
  }
  if (count !== Object.keys(members).length) throw bad("it has one name twice, so one value would be lost");
  return row;
}

/** For the first line of an indented object, and for objects without line breaks between them. */
const oneLineEach = ". Write each row on one line, or all rows as a list: [{…},{…}]";

const keyProblem = "is missing or not a text";

/**
 * Undefined for invalid JSON. The parser's error is not passed on, because it contains a part of the text.
 */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** An annotation without its property would be lost. */
function checkSystemMember(members: Readonly<Record<string, unknown>>, name: string, line: number): void {
  if (!name.includes("@") || name.startsWith("odata.")) return;
  const property = name.endsWith(annotationOf("")) ? name.slice(0, -annotationOf("").length) : undefined;
  if (property === undefined || !Object.hasOwn(members, property))
    throw TransferError.badLine({ line, problem: "is the type of a missing property", property: name });
}

/** A value of a line, and its name. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly line: number;
  /** Whether it is written as a Double, such as `1.0`. */
  readonly isDouble: boolean;
}

/** Adds a value to a row in its stored form. @throws TransferError if it does not fit its EDM type */
function takeValue(
  row: StoredEntityDraft,
  members: Readonly<Record<string, unknown>>,
  { name, value, line, isDouble }: Member,
): void {
  const annotationName = annotationOf(name);
  const edm = Object.hasOwn(members, annotationName) ? members[annotationName] : undefined;
  const problem = (text: string): TransferError =>
    TransferError.badLine({ line, property: name, problem: text });
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw problem("is not a text, number or boolean");
  if (!isPropertyName(name)) throw problem("is not a property name");
  if (edm !== undefined && typeof edm !== "string") throw problem("has a type that is not a text");
  const isInexact = typeof value === "number" && !isDouble && !isExact(value);
  if (isInexact && edm === undefined)
    throw problem("has more digits than a Double. Write it as text, with its type");
  const typed = edm === undefined ? untypedValue(value, isDouble ? "1.0" : "") : typedValue(value, edm);
  if (typed === undefined || !isInRange(typed)) throw problem(problemOf(edm ?? edmTypeOf(value, undefined)));
  setTyped(row, name, typed);
}

/** Whole numbers beyond 2^53 change when they are parsed. */
const isExact = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

/** The problem with a value that does not fit its type. */
export const problemOf = (edm: string): string =>
  findEdmType(edm) ? `is not a valid ${edm}` : "has an unknown EDM type";
