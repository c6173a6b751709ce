/**
 * The effect of a change while both releases run.
 *
 * - `breaks old readers`: the old release cannot read, or does not see, values that the new one writes.
 * - `breaks new readers`: the new release cannot read, or does not see, values that the old one writes.
 * - `breaks both`: both of the above.
 * - `needs order`: nothing is lost if you roll out the releases in the order that the message names.
 * - `harmless`: no effect.
 */
export type ChangeSeverity =
  | "breaks old readers"
  | "breaks new readers"
  | "breaks both"
  | "needs order"
  | "harmless";

/** One difference between the models of two releases. */
export interface ModelChange {
  readonly severity: ChangeSeverity;
  readonly table: string;
  /** The name of the class in the new release, or in the old one if the new one lacks it. */
  readonly entity: string;
  /** The stored name of the property. */
  readonly property?: string;
  readonly index?: string;
  /** The difference, and the remedy. */
  readonly message: string;
}

/** A change without its class. */
export type ClassChange = Omit<ModelChange, "table" | "entity">;

/** In order of severity, the worst first. */
export const severities: readonly ChangeSeverity[] = [
  "breaks both",
  "breaks old readers",
  "breaks new readers",
  "needs order",
  "harmless",
];
