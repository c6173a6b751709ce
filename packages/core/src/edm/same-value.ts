import { parseDouble } from "./double.ts";
import { canonicalDateTime } from "./date-time-text.ts";
import {
  annotationOf,
  edmTypeOf,
  isSystemName,
  type StoredEntity,
  type StoredValue,
} from "./stored-entity.ts";

/** Whether two stored entities hold the same property, type and value, as the service compares values. */
export function hasSameProperty(a: StoredEntity, b: StoredEntity, name: string): boolean {
  const [x, y] = [a[name], b[name]];
  if (x === undefined || y === undefined) return x === y;
  const [left, right] = [a[annotationOf(name)], b[annotationOf(name)]];
  const type = edmTypeOf(x, left);
  return type === edmTypeOf(y, right) && isSameValue(type, x, y);
}

/** Whether two stored entities hold the same properties; keys, Timestamp and ETag aside. */
export function hasSameProperties(a: StoredEntity, b: StoredEntity): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!isSystemName(name) && !hasSameProperty(a, b, name)) return false;
  return true;
}

function isSameValue(type: string, x: StoredValue, y: StoredValue): boolean {
  if (x === y) return true;
  switch (type) {
    case "Edm.DateTime":
      return isText(x, y) && canonicalDateTime(x as string) === canonicalDateTime(y as string);
    case "Edm.Guid":
      return isText(x, y) && (x as string).toLowerCase() === (y as string).toLowerCase();
    case "Edm.Double": {
      const [left, right] = [parseDouble(x), parseDouble(y)];
      // Not every store keeps the sign of zero.
      return left === right || (Number.isNaN(left) && Number.isNaN(right));
    }
    default:
      return false;
  }
}

const isText = (x: StoredValue, y: StoredValue): boolean => typeof x === "string" && typeof y === "string";
