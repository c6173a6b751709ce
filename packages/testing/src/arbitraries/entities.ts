import type { StoredEntity, StoredValue } from "@partita/core/storage";
import fc from "fast-check";
import { hostileText, int64Value, legalKey, storableDate } from "./values.ts";

/** A stored value, with an annotation if its JSON form does not show its type. */
export interface AnnotatedValue {
  readonly value: StoredValue;
  readonly annotation?: string;
}

/** Values of every type of the service, including edge cases. */
export const storedValue = (): fc.Arbitrary<AnnotatedValue> =>
  fc.oneof(
    hostileText(12).map((value) => ({ value })),
    fc.boolean().map((value) => ({ value })),
    fc.integer().map((value) => ({ value })),
    int64Value().map((value) => ({ value: String(value), annotation: "Edm.Int64" })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(annotatedDouble),
    fc.constantFrom("NaN", "Infinity", "-Infinity").map((value) => ({ value, annotation: "Edm.Double" })),
    storableDate().map((date) => ({
      value: `${date.toISOString().slice(0, -1)}4321Z`,
      annotation: "Edm.DateTime",
    })),
    fc.uuid().map((value) => ({ value, annotation: "Edm.Guid" })),
    fc.uint8Array({ maxLength: 16 }).map((bytes) => ({
      value: Buffer.from(bytes).toString("base64"),
      annotation: "Edm.Binary",
    })),
  );

/** Whole numbers, and numbers that print with an exponent, need the annotation Double. */
function annotatedDouble(number: number): AnnotatedValue {
  if (Object.is(number, -0)) return { value: "-0.0", annotation: "Edm.Double" };
  const isAnnotated = !Number.isInteger(number) && Math.abs(number) >= 1e-6;
  return isAnnotated ? { value: number } : { value: number, annotation: "Edm.Double" };
}

/** Names that the service accepts, including the member names of every JavaScript object. */
export const storedName = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
    fc.constantFrom(
      "constructor",
      "toString",
      "hasOwnProperty",
      "__proto__",
      "then",
      "Übergröße",
      "x\u0301",
      "_",
    ),
  );

/** Entities that every store accepts: with similar, legal keys and up to `maxProperties` properties (default 8). */
export const storedEntity = (maxProperties: number = 8): fc.Arbitrary<StoredEntity> =>
  fc
    .record({
      partitionKey: legalKey(8),
      rowKey: legalKey(8),
      properties: fc.uniqueArray(fc.tuple(storedName(), storedValue()), {
        maxLength: maxProperties,
        selector: ([name]) => name,
      }),
    })
    .map(({ partitionKey, rowKey, properties }) => {
      const members: [string, StoredValue][] = [
        ["PartitionKey", partitionKey],
        ["RowKey", rowKey],
      ];
      for (const [name, { value, annotation }] of properties) {
        if (name === "PartitionKey" || name === "RowKey" || name === "Timestamp") continue;
        if (annotation !== undefined) members.push([`${name}@odata.type`, annotation]);
        members.push([name, value]);
      }
      // Unlike an assignment, this also creates a member `__proto__`.
      return Object.fromEntries(members) as unknown as StoredEntity;
    });
