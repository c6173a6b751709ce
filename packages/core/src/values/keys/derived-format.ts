import type { AnyKeyFormat, KeyFormat, RangeOperator } from "./key-format.ts";

/** A condition on the property that a derived part is made from. */
export type SourceCondition =
  | { readonly op: Exclude<RangeOperator, "startsWith">; readonly operand: unknown }
  | { readonly op: "in"; readonly operands: readonly unknown[] };

/** The span of time of one text of a key part; both ends are inclusive. */
export interface TimeSlice {
  readonly from: Date;
  readonly to: Date;
}

/** The slices that a key part divides time into, in the order of their texts. */
export interface SliceSteps {
  readonly isNewestFirst: boolean;
  /** The slice of a text; undefined for other text. */
  of(text: string): TimeSlice | undefined;
  /** The slice after another one; undefined after the last. */
  next(slice: TimeSlice): TimeSlice | undefined;
  /** The first slice of values that satisfy all conditions; undefined if they leave the first end open. */
  first(conditions: readonly SourceCondition[]): TimeSlice | undefined;
}

/**
 * A key part that many values share, such as a month or a bucket. It is made from a property and holds less than the
 * property does, so the property is also declared elsewhere: in the other key, or as a stored property.
 *
 * Laws: `textsOf(v)` contains `encode(v)`. If `texts` or `range` return a result, it covers `textsOf(v)` of every value
 * v that satisfies the conditions.
 */
export interface DerivedFormat<Value> extends KeyFormat<Value> {
  readonly isDerived: true;

  /** Its slices of time; absent for other formats, and where a moment may have several slices. */
  readonly slices?: SliceSteps;

  /**
   * All texts that a row with this value may have; the first is written. Empty for values that the format does not
   * take.
   */
  textsOf(value: Value): readonly string[];

  /**
   * All texts that rows may have if their values satisfy all conditions, in order.
   *
   * @returns undefined if they cannot be listed, or are too many
   */
  texts(conditions: readonly SourceCondition[]): readonly string[] | undefined;
}

/** A derived format of any property type, used only for its texts. */
// oxlint-disable-next-line typescript/no-explicit-any -- the value type is checked where the model is declared
export type AnyDerivedFormat = DerivedFormat<any>;

export const isDerived = (format: AnyKeyFormat): format is AnyDerivedFormat =>
  (format as Partial<AnyDerivedFormat> | undefined)?.isDerived === true;
