import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../edm/stored-entity.ts";

/**
 * Parses an answer of the service so that every value's EDM type is known. The service sends an integral Double as
 * `7.0` without annotation, which JSON.parse would turn into an Int32: such tokens are annotated in the text first.
 *
 * @throws SyntaxError for text that is no JSON
 */
export function parseAnswer(text: string): unknown {
  // The search alone costs a tenth of parsing, and most pages have no such token.
  return JSON.parse(unannotatedDouble.test(text) ? annotateDoubles(text) : text);
}

/**
 * A member whose value is a whole number written with a point or an exponent. Only a member's name is closed by a
 * quote that a colon follows, and names hold none of the excluded characters: text inside of string values never matches.
 */
const unannotatedDouble = /"[^"\\:,{}[\]\s]{1,255}":-?\d+(?:\.0+|(?:\.\d+)?[eE][+-]?\d+)(?=[,}])/;
const everyDouble = new RegExp(unannotatedDouble.source.replace('"[^', '"([^').replace('}":', '})":'), "g");

const annotateDoubles = (text: string): string =>
  text.replace(everyDouble, (member, name: string) => `"${name}@odata.type":"Edm.Double",${member}`);

/** An entity of an answer without what is not its own: metadata links, nulls, and types of system properties. */
export function toStoredEntity(answer: object): StoredEntity {
  const entity = answer as Record<string, unknown>;
  let isClean = true;
  for (const name in entity) {
    if (entity[name] === null || (isSystemName(name) && !isExpected(name))) {
      isClean = false;
      break;
    }
  }
  return isClean ? (entity as unknown as StoredEntity) : cleaned(entity);
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

/** The body of a write: keys and the user's properties, each with its type where its JSON form does not tell it. */
export function printEntity(entity: StoredEntity): string {
  const body: Record<string, unknown> = { PartitionKey: entity.PartitionKey, RowKey: entity.RowKey };
  for (const name in entity) {
    if (isSystemName(name)) continue;
    const value = entity[name];
    if (value === undefined || value === null) continue;
    const annotation = entity[annotationOf(name)];
    if (annotation !== undefined) body[annotationOf(name)] = annotation;
    const isMinusZero = value === "-0.0" && annotation === "Edm.Double";
    setMember(body as unknown as StoredEntityDraft, name, isMinusZero ? (minusZero as string) : value);
  }
  return JSON.stringify(body);
}

/** The one number that JSON.stringify cannot say. */
const minusZero = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("-0.0");
