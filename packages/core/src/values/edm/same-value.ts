import { canonicalValue } from "./edm-types.ts";
import {
  annotationOf,
  edmTypeOf,
  isSystemName,
  type StoredEntity,
  type StoredValue,
} from "./stored-entity.ts";

/** Whether two stored entities hold the same property, type and value, as the service compares values. */
export function hasSameProperty(a: StoredEntity, b: StoredEntity, name: string): boolean {
  // Data from outside may have a property such as "constructor", which every object inherits.
  const [x, y] = [memberOf(a, name), memberOf(b, name)];
  if (x === undefined || y === undefined) return x === y;
  const [left, right] = [a[annotationOf(name)], b[annotationOf(name)]];
  const type = edmTypeOf(x, left);
  if (type !== edmTypeOf(y, right)) return false;
  return x === y || canonicalValue(type, x) === canonicalValue(type, y);
}

const memberOf = (row: StoredEntity, name: string): StoredValue | undefined =>
  Object.hasOwn(row, name) ? row[name] : undefined;

/** Whether two stored entities hold the same properties, apart from keys, Timestamp and ETag. */
export function hasSameProperties(a: StoredEntity, b: StoredEntity): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!isSystemName(name) && !hasSameProperty(a, b, name)) return false;
  return true;
}
