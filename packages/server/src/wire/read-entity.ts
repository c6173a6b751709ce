import { setTyped, type TypedValue, typedValue, untypedValue } from "@partita/core/protocol";
import type { StoredValue } from "@partita/core/storage";
import { membersOf } from "./json-members.ts";
import { ServiceFault } from "./service-fault.ts";

/** The properties of a body in stored form, without nulls. */
export type BodyProperties = Readonly<Record<string, StoredValue>>;

/**
 * Parses the JSON of an entity or a table, with its members in any order.
 *
 * @throws ServiceFault `InvalidInput`, `DuplicatePropertiesSpecified`
 */
export function readJsonBody(text: string): BodyProperties {
  const { names, values, sources } = membersOf(text);
  const hasTypes = names.some((name) => name.endsWith("@odata.type"));
  const places = new Map<string, number>();
  for (const [i, name] of names.entries()) places.set(name, i);
  if (places.size < names.length) throw new ServiceFault("DuplicatePropertiesSpecified");
  const properties: Record<string, StoredValue> = {};
  for (const [i, name] of names.entries()) {
    const value = values[i];
    if (name.includes("@") || name.startsWith("odata.")) {
      if (name.endsWith("@odata.type") || name.startsWith("odata.")) continue;
      throw new ServiceFault("PropertyNameInvalid");
    }
    if (value === null || name === "Timestamp") continue;
    const place = hasTypes ? places.get(`${name}@odata.type`) : undefined;
    const edm = place === undefined ? undefined : values[place];
    if (edm !== undefined && typeof edm !== "string") throw new ServiceFault("InvalidInput");
    const found = edm === undefined ? untyped(name, value, sources[i] ?? "") : typedValue(value, edm);
    if (found === undefined) throw new ServiceFault("InvalidInput");
    setTyped(properties as Parameters<typeof setTyped>[0], name, found);
  }
  return properties;
}

/** The store refuses invalid keys with its own code. */
function untyped(name: string, value: unknown, source: string): TypedValue | undefined {
  const isKey = typeof value === "string" && (name === "PartitionKey" || name === "RowKey");
  return isKey ? { value } : untypedValue(value, source);
}
