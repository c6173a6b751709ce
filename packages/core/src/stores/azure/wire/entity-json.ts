import {
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../../values/edm/stored-entity.ts";
import { malformed } from "./read-response.ts";

/**
 * Parses an answer of the service so that every value's EDM type is known. The service sends an integral Double as
 * `7.0` without annotation, which JSON.parse would turn into an Int32: such tokens are annotated in the text first.
 *
 * @throws SyntaxError for text that is no JSON
 */
export function parseResponse(text: string): unknown {
  return JSON.parse(mayHaveWholeDoubles(text) ? text.replace(wholeDouble, annotated) : text);
}

/** Whether there may be whole Doubles: this search takes a fraction of the time of parsing, and theirs does not. */
const mayHaveWholeDoubles = (text: string): boolean => /\d(?:\.0+|[eE][+-]?\d+)[,}\s]/.test(text);

/**
 * A member whose value is a whole number written with a point or an exponent. Only a member's name is closed by a
 * quote that a colon follows, and a quote inside of text is escaped: text inside of string values never matches. Names
 * may come with their other characters escaped.
 */
const wholeDouble =
  /"((?:[^"\\:,{}[\]\s]|\\u[0-9a-fA-F]{4}){1,255})":\s*(-?\d+(?:\.0+|(?:\.\d+)?[eE][+-]?\d+))(?=\s*[,}])/g;

/** Minus zero, however it is written, becomes text, as it is stored: JSON.stringify would lose its sign later. */
const annotated = (_member: string, name: string, number: string): string =>
  `"${name}@odata.type":"Edm.Double","${name}":${Object.is(Number(number), -0) ? '"-0.0"' : number}`;

/**
 * The entities of a page's text, in stored form; undefined when it holds no list.
 *
 * @param isSelection - whether properties were selected: the service then sends absent ones as null
 * @throws SyntaxError for text that is no JSON; StorageError `storage.malformed-response` for 1e999
 */
export function parsePage(text: string, isSelection: boolean): readonly StoredEntity[] | undefined {
  const { value } = (parseResponse(text) ?? {}) as { value?: unknown };
  if (!Array.isArray(value) || !value.every(hasKeys)) return undefined;
  value.forEach(checkNumbers);
  // Links and types of system properties come with every entity or with none.
  const isClean = !isSelection && (value.length === 0 || toStoredEntity(value[0] as object) === value[0]);
  return isClean ? (value as StoredEntity[]) : value.map((entity) => toStoredEntity(entity as object));
}

/**
 * Refuses numbers that no Double is, such as 1e999, which JSON.parse reads as Infinity.
 *
 * @throws StorageError `storage.malformed-response`
 */
export function checkNumbers(entity: object): void {
  for (const name in entity) {
    const value: unknown = (entity as Readonly<Record<string, unknown>>)[name];
    if (typeof value === "number" && !Number.isFinite(value)) throw malformed("a number is beyond Double");
  }
}

/** Whether an object has the system values of an entity, each of them text. */
export const hasKeys = (entity: unknown): boolean => {
  const { PartitionKey, RowKey, Timestamp, "odata.etag": etag } = (entity ?? {}) as Partial<StoredEntity>;
  return (
    typeof PartitionKey === "string" &&
    typeof RowKey === "string" &&
    isTextOrAbsent(Timestamp) &&
    isTextOrAbsent(etag)
  );
};

const isTextOrAbsent = (value: unknown): boolean =>
  typeof value === "string" || value === undefined || value === null;

/** An entity of an answer without what is not its own: metadata links, nulls, and types of system properties. */
export function toStoredEntity(response: object): StoredEntity {
  const entity = response as Record<string, unknown>;
  for (const name in entity)
    if (entity[name] === null || (isSystemName(name) && !isExpected(name))) return cleaned(entity);
  return entity as unknown as StoredEntity;
}

const isExpected = (name: string): boolean =>
  name === "PartitionKey" ||
  name === "RowKey" ||
  name === "Timestamp" ||
  name === "odata.etag" ||
  (name.endsWith("@odata.type") && name !== "Timestamp@odata.type");

function cleaned(entity: Readonly<Record<string, unknown>>): StoredEntity {
  const draft = {} as StoredEntityDraft;
  for (const [name, value] of Object.entries(entity)) {
    if (value === null || (isSystemName(name) && !isExpected(name))) continue;
    if (name.endsWith("@odata.type") && entity[name.slice(0, -"@odata.type".length)] === null) continue;
    setMember(draft, name, value as string);
  }
  return draft;
}
