import type { AnyKeyFormat, KeyFormat, RangeOperator } from "./key-format.ts";

/** A condition on the property a derived part is made of. */
export type SourceCondition =
  | { readonly op: Exclude<RangeOperator, "startsWith">; readonly operand: unknown }
  | { readonly op: "in"; readonly operands: readonly unknown[] };

/**
 * A part that many values share, such as a month or a bucket. It is made from a property and holds less than the
 * property does, so the property is also declared elsewhere: in the other key, or as a stored property.
 *
 * Laws: `textsOf(v)` holds `encode(v)`; where `texts` or `range` answer, they cover `textsOf(v)` of every value v that
 * satisfies the conditions.
 */
export interface DerivedFormat<Value> extends KeyFormat<Value> {
  readonly isDerived: true;

  /** Every text that a row of this value may have, the one that is written first. Empty for values it does not take. */
  textsOf(value: Value): readonly string[];

  /**
   * Every text that rows may have whose value satisfies all of the conditions, in order.
   *
   * @returns undefined when they cannot be listed, or are too many
   */
  texts(conditions: readonly SourceCondition[]): readonly string[] | undefined;
}

/** A derived format of whatever property, where only its texts matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- the value type is checked where the model is declared
export type AnyDerivedFormat = DerivedFormat<any>;

export const isDerived = (format: AnyKeyFormat): format is AnyDerivedFormat =>
  (format as Partial<AnyDerivedFormat> | undefined)?.isDerived === true;
