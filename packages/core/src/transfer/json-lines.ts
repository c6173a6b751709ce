import { timestampOf } from "../codec/row-layout.ts";
import { parseDouble, storedDouble } from "../edm/double.ts";
import {
  annotationOf,
  edmTypeOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../edm/stored-entity.ts";
import { type LineProblem, TransferError } from "../errors/transfer-error.ts";
import { problemOfValue } from "../storage/check-write.ts";
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
    const annotation = row[annotationOf(name)];
    if (annotation !== undefined) line[annotationOf(name)] = annotation;
    setMember(line, name, annotation === "Edm.Double" ? normalDouble(value) : value);
  }
  return `${JSON.stringify(line)}\n`;
}

/** Reads one row from each line of JSON. */
export class JsonLineReader implements LineReader {
  line = 1;

  next(text: string, from: number, isEnd: boolean): Line | undefined {
    const found = text.indexOf("\n", from);
    if (found === -1 && !isEnd) return undefined;
    const end = found === -1 ? text.length : found;
    const length = (found === -1 ? end : found + 1) - from;
    const line = this.line++;
    const json = text.slice(from, end);
    if (json.trim() === "") return { length };
    try {
      return { row: rowOfJson(json, line), length };
    } catch (error) {
      if (TransferError.is(error)) return { bad: error, length };
      throw error;
    }
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

/** Takes a value into a row, after checking that it is one of its EDM type. */
function takeValue(
  row: StoredEntityDraft,
  members: Readonly<Record<string, unknown>>,
  { name, value, line, isDouble }: Member,
): void {
  const annotationName = annotationOf(name);
  const written = Object.hasOwn(members, annotationName) ? members[annotationName] : undefined;
  const annotation = written === undefined && isDouble ? "Edm.Double" : written;
  const problem = (text: string): LineProblem => ({ line, property: name, problem: text });
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw TransferError.badLine(problem("is no text, number or boolean"));
  if (annotation !== undefined && typeof annotation !== "string")
    throw TransferError.badLine(problem("has a type that is no text"));
  checkValue(value, annotation, problem);
  if (annotation !== undefined) setMember(row, annotationName, annotation);
  setMember(row, name, annotation === "Edm.Double" ? normalDouble(value) : value);
}

/** A Double as Partita stores it: others may write its digits as text. */
function normalDouble(value: StoredValue): StoredValue {
  const number = parseDouble(value);
  return number === undefined ? value : storedDouble(number);
}

/** What is too large is the store's to refuse: limits are not the same in all of them. @throws TransferError */
export function checkValue(
  value: StoredValue,
  annotation: string | undefined,
  problem: (text: string) => LineProblem,
): void {
  const found = problemOfValue(value, annotation);
  if (found === undefined || found === "PropertyValueTooLarge") return;
  const type = edmTypeOf(value, annotation);
  throw TransferError.badLine(problem(edmTypes.has(type) ? `is no ${type}` : "is of an unknown EDM type"));
}

/** The types of the service. */
export const edmTypes: ReadonlySet<string> = new Set([
  "Edm.String",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Double",
  "Edm.Boolean",
  "Edm.DateTime",
  "Edm.Guid",
  "Edm.Binary",
]);
