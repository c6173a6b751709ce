/** The eight property types of the service. Source: learn.microsoft.com "Understanding the Table service data model". */
export type EdmType =
  | "Edm.String"
  | "Edm.Int32"
  | "Edm.Int64"
  | "Edm.Double"
  | "Edm.Boolean"
  | "Edm.DateTime"
  | "Edm.Guid"
  | "Edm.Binary";

/** A value in the service's JSON form: Int64, DateTime, Guid and Binary are text. */
export type StoredValue = string | number | boolean;

/**
 * An entity in the service's JSON form. A value and its sibling `name@odata.type` together always determine the EDM
 * type: Int64, DateTime, Guid, Binary, and integral, exponent and special Doubles have the annotation; String, Int32,
 * Boolean and other Doubles do not. There are no nulls, only absent members.
 */
export interface StoredEntity {
  readonly PartitionKey: string;
  readonly RowKey: string;
  /** Set by the store on every write: ISO 8601 with up to 7 fractional digits. */
  readonly Timestamp?: string;
  readonly "odata.etag"?: string;
  readonly [name: string]: StoredValue | undefined;
}

/** A stored entity under construction. */
export type StoredEntityDraft = { -readonly [Name in keyof StoredEntity]: StoredEntity[Name] };

/** The two keys that name one entity in a table. */
export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** The name of the sibling member that holds a property's EDM type. */
export const annotationOf = (name: string): string => `${name}@odata.type`;

/** Whether a member of a stored entity is not one of the user's properties. */
export function isSystemName(name: string): boolean {
  return (
    name === "PartitionKey" ||
    name === "RowKey" ||
    name === "Timestamp" ||
    name.includes("@") ||
    name.startsWith("odata.")
  );
}

/** The EDM type of a stored value, from its annotation or, without one, from its JSON form. */
export function edmTypeOf(value: StoredValue, annotation: StoredValue | undefined): EdmType {
  if (annotation !== undefined) return annotation as EdmType;
  if (typeof value === "string") return "Edm.String";
  if (typeof value === "boolean") return "Edm.Boolean";
  // A whole number beyond Int32 is a Double, as in the service. Source: github.com/microsoft/AzureStorageExplorer
  // #1382.
  return (value | 0) === value ? "Edm.Int32" : "Edm.Double";
}

/** Sets a member by any name, `__proto__` included, without touching the object's prototype. */
export function setMember(draft: StoredEntityDraft, name: string, value: StoredValue | undefined): void {
  if (name === "__proto__")
    Object.defineProperty(draft, name, { value, enumerable: true, configurable: true, writable: true });
  else draft[name] = value;
}
