import { ConflictError } from "../errors/conflict-error.ts";
import { asksForSame } from "../recovery/ledger.ts";
import { unlessSentBefore } from "../recovery/outcome.ts";
import { resolveAttempts } from "../recovery/resolve-attempts.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { Save } from "./save.ts";

/**
 * The results of a save, of which nothing is rejected that an earlier attempt may have stored. A conflict may be with an
 * attempt of our own that was applied late: its rows are read once more.
 */
export async function resolveRefusals(
  save: Save,
  results: readonly SaveResult[],
): Promise<readonly SaveResult[]> {
  const proved = await resolveConflicts(save, results);
  return unlessSentBefore(save.source.ledger, save.changes, proved);
}

async function resolveConflicts(save: Save, results: readonly SaveResult[]): Promise<readonly SaveResult[]> {
  const { source, changes, options } = save;
  const refused = results.flatMap(({ entity, outcome, error }) => {
    const isConflict = outcome === "rejected" && ConflictError.is(error);
    return (isConflict ? source.tracker.entities.ofEntity(entity) : undefined) ?? [];
  });
  const inDoubt = refused.filter((entry) => entry.isInDoubt);
  if (inDoubt.length === 0) return results;
  const { committed, blocked } = await resolveAttempts(source, inDoubt, options);
  const changeOf = new Map(changes.map((change) => [change.entry, change]));
  const listed = new Set(results.map(({ entity }) => entity));
  const newest = new Map<object, SaveResult>();
  const others: SaveResult[] = [];
  for (const { entry, change, result } of [...blocked, ...committed]) {
    if (result.outcome !== "committed" && entry.isInDoubt) continue;
    const own = changeOf.get(entry);
    if (own === undefined ? listed.has(result.entity) : asksForSame(change, own))
      newest.set(result.entity, result);
    else if (own === undefined) others.push(result);
  }
  return [...results.map((result) => newest.get(result.entity) ?? result), ...others];
}
