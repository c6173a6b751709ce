import {
  binary,
  bool,
  dateTime,
  defineEntity,
  double,
  type EntityClass,
  guid,
  int32,
  int64,
  json,
  text,
} from "@partita/core";
import { type AnyPropertyType, decimal } from "@partita/core/models";
import { descending, escaped, padded } from "@partita/core/keys";
import fc from "fast-check";
import { hostileText, int64Value, legalKey, storableDate } from "./values.ts";

/** A random class, with values for its entities. */
export interface RandomClass {
  readonly entityClass: EntityClass;
  /** Values for `new entityClass(values)`, including keys. */
  readonly values: fc.Arbitrary<Readonly<Record<string, unknown>>>;
  /** Its declaration, for messages. */
  readonly description: string;
}

/** Key part declarations, each with its values. */
const keyParts: readonly (readonly [string, unknown, fc.Arbitrary<unknown>])[] = [
  ["text()", text(), legalKey(6).filter((key) => key !== "")],
  ["escaped", escaped, hostileText(6)],
  ["padded(4)", padded(4), fc.nat(9_999)],
  ["descending(padded(4))", descending(padded(4)), fc.nat(9_999)],
  ["guid", guid, fc.uuid()],
];

/** Formats hundredths as a decimal, in the form that reads return. */
const decimalOf = (units: bigint): string => {
  const digits = String(units).replace("-", "").padStart(3, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** Property types, each with its values. */
const propertyTypes: readonly (readonly [string, AnyPropertyType, fc.Arbitrary<unknown>])[] = [
  ["text()", text(), hostileText(10)],
  ["bool()", bool(), fc.boolean()],
  ["int32()", int32(), fc.integer()],
  ["int64()", int64(), int64Value()],
  ["double()", double(), fc.double()],
  ["decimal({ scale: 2 })", decimal({ scale: 2 }), int64Value().map((units) => decimalOf(units))],
  ["dateTime()", dateTime(), storableDate()],
  ["guid()", guid(), fc.uuid()],
  ["binary()", binary(), fc.uint8Array({ maxLength: 12 })],
  ["json()", json<unknown>(), fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxLength: 3 })],
];

/**
 * Classes with one part in each key and up to six properties of any type, some of them optional.
 *
 * @param table - the table of all these classes
 */
export const randomClass = (table: string): fc.Arbitrary<RandomClass> =>
  fc
    .record({
      pk: fc.constantFrom(...keyParts),
      rk: fc.constantFrom(...keyParts),
      properties: fc.array(fc.tuple(fc.constantFrom(...propertyTypes), fc.boolean()), { maxLength: 6 }),
    })
    .map(({ pk, rk, properties }) => {
      const declared = properties.map(([[name, type, values], isOptional], i) => ({
        name: `p${i}`,
        type: isOptional ? (type as { optional(): AnyPropertyType }).optional() : type,
        values: isOptional ? fc.option(values, { nil: undefined }) : values,
        described: isOptional ? `${name}.optional()` : name,
      }));
      const declaration = {
        table,
        partitionKey: { pk: pk[1] },
        rowKey: { rk: rk[1] },
        properties: Object.fromEntries(declared.map(({ name, type }) => [name, type])),
      };
      return {
        // A declaration that is composed at run time has no specific type.
        entityClass: class extends defineEntity(
          declaration as Parameters<typeof defineEntity>[0],
        ) {} as EntityClass,
        values: fc.record({
          pk: pk[2],
          rk: rk[2],
          ...Object.fromEntries(declared.map(({ name, values }) => [name, values])),
        }),
        description: `pk: ${pk[0]}, rk: ${rk[0]}; ${declared.map(({ name, described }) => `${name}: ${described}`).join(", ")}`,
      };
    });
