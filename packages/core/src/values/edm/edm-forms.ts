import type { EdmType, StoredValue } from "./stored-entity.ts";

/**
 * The interface of an EDM type to the rest of the library. `edm-types.ts` lists the types; no other file depends on the
 * list.
 *
 * Values are in stored form; `parse` converts other forms to it. Laws: `parse(v)` is `v` for a stored value; equal
 * values have the same canonical form, and `compare` returns 0 for them.
 */
export interface EdmForms {
  readonly edm: EdmType;
  /**
   * Whether stored values have an `@odata.type` annotation; `sometimes` for Doubles, which only have it if JSON does
   * not show the type.
   */
  readonly annotation: "always" | "never" | "sometimes";
  isAnnotated(stored: StoredValue): boolean;
  /** Converts text or JSON to stored form; undefined for a value that is not of this type. */
  parse(value: unknown): StoredValue | undefined;
  /** Whether the service stores the value. Filters accept more: no time before 1601 can be stored. */
  isInRange?(stored: StoredValue): boolean;
  /** Whether the value is longer than the service stores. */
  isTooLarge?(stored: StoredValue): boolean;
  /** The bytes that the service counts for an entity's size, without the name. */
  sizeOf(stored: unknown): number;
  /** Negative, zero or positive; NaN if the two have no order. */
  compare(a: StoredValue, b: StoredValue): number;
  /** Whether the service orders the values; it compares others only for equality. */
  readonly isOrdered: boolean;
  /** Other types that the service compares with this one in filters. */
  readonly comparesWith?: readonly EdmType[];
  /**
   * A smaller type that other clients store the same numbers as; it is read as this type. In some emulators, a constant
   * of that type never equals a value of this one: it is only less or greater.
   */
  readonly widens?: { readonly edm: "Edm.Int32"; readonly isEqual: boolean };
  /** The same for all stored forms of one value, as the service compares them. */
  canonical(stored: StoredValue): StoredValue;
  /** An example value. */
  readonly example: StoredValue;
  /** Prints a constant for filters. Source: learn.microsoft.com "Querying tables and entities". */
  print(stored: StoredValue): string;
  /** Constants in quotation marks: their prefix and their content. */
  readonly quoted?: {
    readonly prefixes: readonly string[];
    parse(content: string): StoredValue | undefined;
    /** The problem if `parse` returns undefined, for messages. */
    readonly problem: string;
  };
  /** The form in plain data, for messages. */
  readonly plainForm: string;
  /** The form in plain data, as JSON Schema 2020-12 with keywords that draft-07 has too. */
  readonly plainSchema: PlainSchema;
  readonly isNumber?: true;
  /** Whether the order of the values has no meaning, as with bytes. */
  readonly isOpaque?: true;
  /** Whether properties of this type usually identify something, so their values differ. */
  readonly isUsualId?: true;
}

/** A JSON Schema of one value in plain data. */
export type PlainSchema = Readonly<Record<string, unknown>>;

/** Compares values that JavaScript can order. */
export const inOrder = <Value extends string | number | bigint | boolean>(a: Value, b: Value): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** The value if it is text; otherwise a text that no type parses. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
