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

/** A row as a line of JSON, as the service writes it: keys first, then each value behind the name of its type. */
export function jsonLine(row: StoredEntity, hasTimestamp: boolean): string {
  const { PartitionKey, RowKey } = row;
  const line: StoredEntityDraft = { PartitionKey, RowKey };
  if (hasTimestamp) setMember(line, "Timestamp", timestampOf(row));
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (value === undefined || value === null || isSystemName(name)) continue;
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
    // What looks like the end of the line may be half of it.
    if (!isEnd && (found === null || (next === text.length && found[0] === "\r"))) return undefined;
    const json = text.slice(from, found?.index ?? next);
    const line = this.line++;
    return json.trim() === "" ? { length: next - from } : lineOfJson(json, line, next - from);
  }
}

/** JSON has none of these within text. */
const lineBreak = /\r\n?|\n/g;

/** The row that a text of JSON is, or what is wrong with it. */
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
  if (found === undefined) throw bad("it is not JSON");
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw bad("it is JSON of something else than an object");
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
  if (count !== Object.keys(members).length)
    throw bad("it has one name twice, and only one value could be kept");
  return row;
}

const keyProblem = "is missing, or is no text";

/** JSON that cannot be parsed is undefined. The error of the parser is not passed on: it has a part of the text in it. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** An annotation without a property would lose what it was of. */
function checkSystemMember(members: Readonly<Record<string, unknown>>, name: string, line: number): void {
  if (!name.includes("@") || name.startsWith("odata.")) return;
  const property = name.endsWith(annotationOf("")) ? name.slice(0, -annotationOf("").length) : undefined;
  if (property === undefined || !Object.hasOwn(members, property))
    throw TransferError.badLine({ line, problem: "is the type of no property", property: name });
}

/** A value of a line, and its name. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly line: number;
  /** Whether it is written as no whole number is, such as `1.0`. */
  readonly isDouble: boolean;
}

/** Takes a value into a row, in its stored form. @throws TransferError for one that is not of its EDM type */
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
    throw problem("is no text, number or boolean");
  if (!isPropertyName(name)) throw problem("is no name of a property");
  if (edm !== undefined && typeof edm !== "string") throw problem("has a type that is no text");
  const isInexact = typeof value === "number" && !isDouble && !isExact(value);
  if (isInexact && edm === undefined)
    throw problem("has more digits than a Double. Write it as text, with its type");
  const typed = edm === undefined ? untypedValue(value, isDouble ? "1.0" : "") : typedValue(value, edm);
  if (typed === undefined || !isInRange(typed)) throw problem(problemOf(edm ?? edmTypeOf(value, undefined)));
  setTyped(row, name, typed);
}

/** Whole numbers beyond 2^53 are not what was written, once they are parsed. */
const isExact = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

/** What is wrong with a value that is not of the type it names. */
export const problemOf = (edm: string): string =>
  findEdmType(edm) ? `is no ${edm}` : "is of an unknown EDM type";
