import type { EdmType, StoredValue } from "./stored-entity.ts";

/**
 * What the rest of the library asks of an EDM type. `edm-types.ts` lists the types; nothing else depends on which there are.
 *
 * Values are in stored form, which `parse` makes of other forms. Laws: `parse(v)` is `v` for a stored value; equal values have the
 * same canonical form, and `compare` them as 0.
 */
export interface EdmForms {
  readonly edm: EdmType;
  /** Whether stored values have their `@odata.type` beside them; of Doubles, only those that JSON does not distinguish. */
  readonly annotation: "always" | "never" | "sometimes";
  isAnnotated(stored: StoredValue): boolean;
  /** Reads a value from text or JSON into stored form; undefined for anything that is not of this type. */
  parse(value: unknown): StoredValue | undefined;
  /** Whether the service stores it, where filters may name more: it stores no time before 1601. */
  isInRange?(stored: StoredValue): boolean;
  /** Whether it is longer than the service stores. */
  isTooLarge?(stored: StoredValue): boolean;
  /** Bytes, as the service counts them for an entity's size, the name not included. */
  sizeOf(stored: unknown): number;
  /** Negative, zero or positive; NaN where the two have no order. */
  compare(a: StoredValue, b: StoredValue): number;
  /** Whether the service orders its values; of other types it compares equality only. */
  readonly isOrdered: boolean;
  /** Other types whose constants the service compares with its values. */
  readonly comparesWith?: readonly EdmType[];
  /**
   * A smaller type that other clients store the same numbers as: such a value of a row is read as one of this type. For some
   * emulators, a constant of that type is less or greater, and equals none of this one.
   */
  readonly widens?: { readonly edm: "Edm.Int32"; readonly isEqual: boolean };
  /** The same for all stored forms of one value, as the service compares them. */
  canonical(stored: StoredValue): StoredValue;
  /** Some value. */
  readonly example: StoredValue;
  /** A constant of filters. Source: learn.microsoft.com "Querying tables and entities". */
  print(stored: StoredValue): string;
  /** Constants in quotation marks: what stands before them, and what they hold. */
  readonly quoted?: {
    readonly prefixes: readonly string[];
    parse(content: string): StoredValue | undefined;
    /** What is wrong where that is undefined, for messages. */
    readonly problem: string;
  };
  /** What plain data has of it, for messages. */
  readonly plainForm: string;
  /** What plain data has of it, as JSON Schema 2020-12 of keywords that draft-07 has too. */
  readonly plainSchema: PlainSchema;
  readonly isNumber?: true;
  /** Whether its values have no order that means anything, as bytes. */
  readonly isOpaque?: true;
  /** Whether properties of this type often identify something, so that their values differ. */
  readonly isUsualId?: true;
}

/** A JSON Schema of one value in plain data. */
export type PlainSchema = Readonly<Record<string, unknown>>;

/** The order of values that JavaScript orders. */
export const inOrder = <Value extends string | number | bigint | boolean>(a: Value, b: Value): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** The text that a value is; that of another value is not of any type that parses text. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
