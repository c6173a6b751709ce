import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";

/** Whether a transaction stores or gives up values that are unique over the table, or may do so once it is retried. */
export const changesUniqueValues = (changes: readonly ChangeSet[]): boolean =>
  changes.some(
    ({ entry: { model }, indexRows = [], unconditional }) =>
      model.options.proof === "marker" &&
      (indexRows.some(({ index }) => index.isOverTable) ||
        (unconditional !== undefined && model.indexes.some((index) => index.isOverTable))),
  );
