import { ConflictError } from "../errors/conflict-error.ts";
import { asksForSame } from "../recovery/ledger.ts";
import { type Outcome, stillUnknown, unlessSentBefore } from "../recovery/outcome.ts";
import { type EntryResult, resolveAttempts } from "../recovery/resolve-attempts.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import type { Save } from "./save.ts";

/** What a save reports: one result for each entity, what earlier saves left in doubt first, then the changes in order. */
export function resultsOf(save: Save): readonly SaveResult[] {
  const { outcomes = [], changes } = save;
  const others = unsentOf(save);
  if (others.length === 0 && isInOrder(outcomes, changes)) return outcomes.map(({ result }) => result);
  const sent = new Map(outcomes.map(({ change, result }) => [change.entry, result]));
  return [
    ...others.filter(({ entry }) => !sent.has(entry)).map(({ result }) => result),
    ...changes.map(({ entry }) => sent.get(entry) as SaveResult),
  ];
}

/** Whether outcomes are of the changes one by one, as they are where nothing was moved or answered out of turn. */
const isInOrder = (outcomes: readonly Outcome[], changes: readonly ChangeSet[]): boolean =>
  outcomes.length === changes.length && outcomes.every(({ change }, i) => change === changes[i]);

/** What is reported of entities that are not sent. */
export function unsentOf({ source: { ledger }, ready, changes, resolved, blocked }: Save): EntryResult[] {
  if (ledger.isEmpty && resolved.length + blocked.size === 0) return [];
  const known = [...resolved.filter(({ entry }) => !blocked.has(entry)), ...blocked.values()];
  const sent = new Set(changes.map(({ entry }) => entry));
  for (const { entry } of ready) {
    const open = sent.has(entry) || blocked.has(entry) ? [] : ledger.open(entry);
    const [newest] = open.slice(-1);
    if (newest !== undefined) known.push({ entry, result: stillUnknown(newest.change, open) });
  }
  return known;
}

/** Results about what was changed since an earlier save say what this save has found out of the change before it. */
export function withEarlier({ resolved }: Save, results: readonly SaveResult[]): readonly SaveResult[] {
  const proved = new Map(
    resolved.flatMap(({ result }) => (result.outcome === "committed" ? [[result.entity, result]] : [])),
  );
  if (proved.size === 0) return results;
  return results.map((result) => {
    const earlier = proved.get(result.entity);
    return earlier === undefined || result.outcome === "committed" ? result : { ...result, earlier };
  });
}

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
  const { known, blocked } = await resolveAttempts(source, inDoubt, options);
  save.resolved = [...save.resolved, ...known];
  const changeOf = new Map(changes.map((change) => [change.entry, change]));
  const listed = new Set(results.map(({ entity }) => entity));
  const newest = new Map<object, SaveResult>();
  const others: SaveResult[] = [];
  for (const { entry, change, result } of [...blocked, ...known]) {
    if (result.outcome !== "committed" && entry.isInDoubt) continue;
    const own = changeOf.get(entry);
    if (own === undefined ? listed.has(result.entity) : asksForSame(change, own))
      newest.set(result.entity, result);
    else if (own === undefined) others.push(result);
  }
  return [...results.map((result) => newest.get(result.entity) ?? result), ...others];
}
