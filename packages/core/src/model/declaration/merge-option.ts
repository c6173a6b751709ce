/**
 * How rows meet entities the context already tracks. An entity that is new to the context is tracked by each of the
 * first three.
 *
 * - `appendOnly` (default): a tracked entity stays as it is, and is marked stale when its row has another ETag.
 * - `preserveChanges`: properties that were not edited here are refreshed, edited ones stay, the ETag is the row's.
 *   What was edited on both sides is listed in `entry(e).conflicts`.
 * - `overwriteChanges`: the row wins, and the entity is unchanged.
 * - `noTracking`: every row becomes an instance of its own that the context does not know.
 */
export type MergeOption = "appendOnly" | "preserveChanges" | "overwriteChanges" | "noTracking";

/** Every merge option there is. */
export const mergeOptions: readonly MergeOption[] = [
  "appendOnly",
  "preserveChanges",
  "overwriteChanges",
  "noTracking",
];

/** A merge option under which rows and tracked entities meet. */
export type TrackingMergeOption = Exclude<MergeOption, "noTracking">;

/** A merge option under which a row refreshes the tracked entity. */
export type RefreshingMergeOption = Exclude<TrackingMergeOption, "appendOnly">;
