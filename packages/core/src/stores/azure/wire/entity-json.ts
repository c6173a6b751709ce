import {
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../../values/edm/stored-entity.ts";
import { malformed } from "./read-response.ts";

/**
 * Parses a response so that every value's EDM type is known. The service sends an integral Double as `7.0` without an
 * annotation, which JSON.parse would turn into an Int32. So such numbers are annotated in the text first.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseResponse(text: string): unknown {
  return JSON.parse(mayHaveWholeDoubles(text) ? text.replace(wholeDouble, annotated) : text);
}

/**
 * Whether the text may contain integral Doubles. This search takes a fraction of the time of parsing; annotating
 * doesn't.
 */
const mayHaveWholeDoubles = (text: string): boolean => /\d(?:\.0+|[eE][+-]?\d+)[,}\s]/.test(text);

/**
 * A member whose value is an integral number with a point or an exponent. Text inside string values never matches: a
 * quote followed by a colon closes a member's name, and quotes inside text are escaped. Other characters of names may
 * be escaped.
 */
const wholeDouble =
  /"((?:[^"\\:,{}[\]\s]|\\u[0-9a-fA-F]{4}){1,255})":\s*(-?\d+(?:\.0+|(?:\.\d+)?[eE][+-]?\d+))(?=\s*[,}])/g;

/** Negative zero becomes text, its stored form, since JSON.stringify would lose its sign later. */
const annotated = (_member: string, name: string, number: string): string =>
  `"${name}@odata.type":"Edm.Double","${name}":${Object.is(Number(number), -0) ? '"-0.0"' : number}`;

/**
 * The entities of a page in stored form; undefined if the text is not a list.
 *
 * @param isSelection - whether properties were selected: the service then sends absent ones as null
 * @throws SyntaxError if the text is not JSON; StorageError `storage.malformed-response` for 1e999
 */
export function parsePage(text: string, isSelection: boolean): readonly StoredEntity[] | undefined {
  const { value } = (parseResponse(text) ?? {}) as { value?: unknown };
  if (!Array.isArray(value) || !value.every(hasKeys)) return undefined;
  value.forEach(checkNumbers);
  // Either all entities have links and types of system properties, or none has.
  const isClean = !isSelection && (value.length === 0 || toStoredEntity(value[0] as object) === value[0]);
  return isClean ? (value as StoredEntity[]) : value.map((entity) => toStoredEntity(entity as object));
}

/**
 * Refuses numbers outside the range of Double, such as 1e999, which JSON.parse reads as Infinity.
 *
 * @throws StorageError `storage.malformed-response`
 */
export function checkNumbers(entity: object): void {
  for (const name in entity) {
    const value: unknown = (entity as Readonly<Record<string, unknown>>)[name];
    if (typeof value === "number" && !Number.isFinite(value))
      throw malformed("a number is outside the range of Double");
  }
}

/** Whether an object has the system values of an entity, all as text. */
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

/**
 * Removes everything that is not stored from a response's entity: metadata links, nulls, and types of system
 * properties.
 */
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
