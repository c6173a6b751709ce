/**
 * How a row that was read is merged with an entity that the context already tracks. With all options but `noTracking`,
 * entities that are new to the context become tracked.
 *
 * - `appendOnly` (default): a tracked entity does not change, and is marked stale if its row has another ETag.
 * - `preserveChanges`: properties that you have not edited are refreshed, edited ones stay, and the entity gets the
 *   row's ETag. Properties that were changed on both sides are listed in `entry(e).conflicts`.
 * - `overwriteChanges`: the row's values replace all edits, and the entity is unchanged.
 * - `noTracking`: every row becomes a separate instance that the context does not track.
 */
export type MergeOption = "appendOnly" | "preserveChanges" | "overwriteChanges" | "noTracking";

/** All merge options. */
export const mergeOptions: readonly MergeOption[] = [
  "appendOnly",
  "preserveChanges",
  "overwriteChanges",
  "noTracking",
];

/** A merge option that merges rows with tracked entities. */
export type TrackingMergeOption = Exclude<MergeOption, "noTracking">;

/** A merge option that refreshes the tracked entity with the row. */
export type RefreshingMergeOption = Exclude<TrackingMergeOption, "appendOnly">;
