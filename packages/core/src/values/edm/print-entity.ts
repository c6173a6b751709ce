import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "./stored-entity.ts";

/** The JSON of a write: keys and the user's properties, each with its type if its JSON form does not show it. */
export function printEntity(entity: StoredEntity): string {
  // Entities that Partita encodes have no system values; only those that were read have them.
  if (entity.Timestamp !== undefined || entity["odata.etag"] !== undefined)
    return printWithoutSystemValues(entity);
  const text = printJson(entity);
  return hasMinusZero(text) || hasMinusZeroAsNumber(entity) ? printWithoutSystemValues(entity) : text;
}

/** Whether a program set the number itself: JSON.stringify prints it as 0. */
function hasMinusZeroAsNumber(entity: StoredEntity): boolean {
  for (const name in entity) if (Object.is(entity[name], -0)) return true;
  return false;
}

/** JSON is full of quotation marks: searching for another first character takes a fraction of the time. */
const hasMinusZero = (text: string): boolean => text.includes('-0.0"') && text.includes('"-0.0"');

function printWithoutSystemValues(entity: StoredEntity): string {
  const body: Record<string, unknown> = { PartitionKey: entity.PartitionKey, RowKey: entity.RowKey };
  for (const name in entity) {
    if (isSystemName(name)) continue;
    const value = entity[name];
    if (value === undefined || value === null) continue;
    const annotation = entity[annotationOf(name)];
    if (annotation !== undefined) body[annotationOf(name)] = annotation;
    const isMinusZero = annotation === "Edm.Double" && (value === "-0.0" || Object.is(value, -0));
    setMember(body as unknown as StoredEntityDraft, name, isMinusZero ? (minusZero() as string) : value);
  }
  return printJson(body);
}

/** JSON without the two characters that some readers take for line ends in the parts of a transaction. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value);
  const hasSeparator = text.includes("\u2028") || text.includes("\u2029");
  return hasSeparator ? text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029") : text;
}

/**
 * The one number that JSON.stringify cannot print. It is created on first use: opening a storage refuses older runtimes
 * before that.
 */
const minusZero = (): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("-0.0");
