import { ConflictError } from "../errors/conflict-error.ts";
import { asksForSame } from "../recovery/ledger.ts";
import { type Proved, resolveWrites } from "../recovery/resolve-writes.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { Scope } from "../unit-of-work/pending-search.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import type { Pass, SaveSource } from "./save-source.ts";
import { SaveError } from "./save-error.ts";
import type { CheckedOptions } from "./save-options.ts";

/**
 * A conflict may be with a write of our own that took effect late. Where the rows prove it, that is taken as stored,
 * and the whole transaction is sent again over it.
 */
export async function saveOverLateWrites(
  source: SaveSource,
  options: CheckedOptions,
  { results, batches, changes }: Pass,
  saveAgain: (scope: Scope) => Promise<Pass>,
): Promise<readonly SaveResult[]> {
  const refusedEntries = results.flatMap(({ entity, outcome, error }) => {
    const entry = source.tracker.entities.ofEntity(entity);
    const mayBeOwn = outcome === "rejected" && ConflictError.is(error);
    return mayBeOwn && entry !== undefined && entry.inDoubt.length > 0 ? [entry] : [];
  });
  if (refusedEntries.length === 0) return results;
  const { committed, unknown } = await resolveWrites(source, refusedEntries, options);
  const stored = new Set(committed.map(({ entry }) => entry));
  const again = new Set(
    batches
      .filter(({ changes }) => changes.some(({ entry }) => stored.has(entry)))
      .flatMap(({ changes }) => changes.map(({ entry }) => entry)),
  );
  const second = await resultsOf(saveAgain(() => [...again].filter(({ index }) => index !== undefined)));
  const newest = new Map(
    [...unknown.filter(isOf(changes)), ...committed, ...second.map((result) => ({ result }))].map(
      ({ result }) => [result.entity, result],
    ),
  );
  return results.map((result) => newest.get(result.entity) ?? result);
}

/** Whether a final report is about the change that was refused now: what its earlier attempts did will never be known. */
const isOf =
  (changes: readonly ChangeSet[]) =>
  ({ entry, write }: Proved): boolean => {
    const refused = changes.find((change) => change.entry === entry);
    return (
      refused !== undefined &&
      !entry.inDoubt.includes(write) &&
      write.changes.some((sent) => asksForSame(sent, refused))
    );
  };

async function resultsOf(pass: Promise<Pass>): Promise<readonly SaveResult[]> {
  try {
    return (await pass).results;
  } catch (error) {
    if (SaveError.is(error)) return error.results;
    throw error;
  }
}
