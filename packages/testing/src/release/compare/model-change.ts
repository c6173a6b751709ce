/**
 * What a change means while both releases run.
 *
 * - `breaks old readers`: the old release cannot read, or does not see, what the new one writes.
 * - `breaks new readers`: the same of the new release and what the old one writes.
 * - `breaks both`.
 * - `needs order`: nothing is lost if the releases are rolled out in the order that the message names.
 * - `harmless`.
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
  /** The class, as the new release names it where it has one. */
  readonly entity: string;
  /** The property, by its stored name. */
  readonly property?: string;
  readonly index?: string;
  /** What differs, and what to do. */
  readonly message: string;
}

/** A change of one class, before it says which. */
export type ClassChange = Omit<ModelChange, "table" | "entity">;

/** The worst first. */
export const severities: readonly ChangeSeverity[] = [
  "breaks both",
  "breaks old readers",
  "breaks new readers",
  "needs order",
  "harmless",
];
