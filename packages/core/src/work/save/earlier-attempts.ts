import { isAbsent } from "../../model/codec/is-absent.ts";
import { valueIn } from "../../model/codec/embedded-values.ts";
import { isStored } from "../../model/codec/snapshot.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import type { Attempt } from "../recovery/attempt.ts";
import { asksForSame } from "../recovery/ledger.ts";
import { stillUnknown, unlessSentBefore } from "../recovery/outcome.ts";
import { type EntryResult, resolveAttempts } from "../recovery/resolve-attempts.ts";
import { heldResult } from "../recovery/unsent-results.ts";
import { isEdited } from "../unit-of-work/entity-state.ts";
import type { KnownRow } from "../unit-of-work/known-row.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { type ChangeSet, RewrittenProperties, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { entriesOf, findReady, type Save } from "./save-state.ts";

/* How a save treats requests with lost responses: before it sends, when it groups its changes, and in its results. */

/** Whether earlier saves left unknown outcomes for entities that this one will send. */
export const isInDoubt = ({ source: { ledger }, ready }: Save): boolean =>
  !ledger.isEmpty && ready.some(({ entry }) => entry.isInDoubt);

/** Resolves unknown outcomes of earlier saves, before anything is sent for the same rows. */
export async function resolveEarlier(save: Save): Promise<void> {
  const { known, blocked } = await resolveAttempts(save.source, entriesOf(save.ready), save.options);
  save.resolved = known;
  for (const one of blocked) save.blocked.set(one.entry, one);
  findReady(save);
}

/**
 * Writes an entity without changes if an earlier write of it may still be applied. Its row gets a new ETag, so the
 * earlier write is refused.
 */
export function keepEarlierOut(save: Save): void {
  for (const { entry } of save.ready) rewriteInDoubt(entry);
  findReady(save);
}

function rewriteInDoubt(entry: TrackedEntity): void {
  const { isInDoubt, intent, explicitlyModified, model, snapshot, entity } = entry;
  if (!isInDoubt || intent.type !== "none" || explicitlyModified !== undefined || isEdited(entry)) return;
  const values = entity as Readonly<Record<string, unknown>>;
  const stored = model.properties.find(
    (property, i) => isStored(snapshot?.values[i]) && !isAbsent(property, valueIn(property, values)),
  );
  if (stored !== undefined) entry.explicitlyModified = new RewrittenProperties([stored]);
}

/**
 * Atomic groups with an unknown outcome, which are sent again as complete groups in any mode. A group is not sent if
 * some of its members are not saved.
 */
export function groupsInDoubt(save: Save): ChangeSet[][] {
  const { ledger } = save.source;
  if (ledger.isEmpty) return [];
  const groups = new Map<Attempt, ChangeSet[]>();
  for (const change of save.changes) {
    const group = ledger.groupOf(change);
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), change]);
  }
  for (const [group, members] of groups) {
    const isSent = new Set(members.map(({ entry }) => entry.rowKey));
    if (ledger.membersOf(group).every((one) => isSent.has(one.entry.rowKey) || isGivenUp(save, one)))
      continue;
    groups.delete(group);
    for (const { entry } of members) save.blocked.set(entry, { entry, result: heldResult(ledger, entry) });
  }
  save.changes = save.changes.filter(({ entry }) => !save.blocked.has(entry));
  return [...groups.values()];
}

/** Whether the entity of a change has nothing left to save because the program reverted it. */
function isGivenUp({ source: { tracker } }: Save, { entry: { model, key } }: ChangeSet): boolean {
  const entry = tracker.entities.ofKey(model, key);
  return entry === undefined || (!entry.isInDoubt && tracker.stateOf(entry) === "unchanged");
}

/** The row as an entity knows it, including a row that was deleted after a write with a final unknown outcome. */
export const knownRow = ({ source }: Save, entry: TrackedEntity): KnownRow => ({
  model: entry.model,
  key: entry.key,
  snapshot: entry.snapshot ?? source.ledger.sentOf(entry).at(-1)?.change.after,
});

/** An entity was added and deleted again: nothing to delete. */
export function forget({ source: { tracker, ledger } }: Save, entry: TrackedEntity): void {
  ledger.giveUp(entry);
  tracker.entities.delete(entry);
}

/** The results reported for entities that are not sent. */
export function unsentOf({ source: { ledger }, ready, changes, resolved, blocked }: Save): EntryResult[] {
  if (ledger.isEmpty && resolved.length + blocked.size === 0) return [];
  const known = [...resolved.filter(({ entry }) => !blocked.has(entry)), ...blocked.values()];
  const sent = new Set(changes.map(({ entry }) => entry));
  const listed = new Set(known.map(({ result }) => result.entity));
  for (const { entry } of ready) {
    const open = sent.has(entry) || blocked.has(entry) ? [] : ledger.open(entry);
    const newest = open.at(-1)?.change;
    // It may belong to the former entity of a key that this one took during the save.
    if (newest !== undefined && !listed.has(newest.entry.entity))
      known.push({ entry, result: stillUnknown(newest, open) });
  }
  return known;
}

/**
 * The results of a save. A change that an earlier attempt may have stored is not reported as rejected. If a conflict
 * may be with our own delayed attempt, its rows are read once more.
 */
export async function resolveRefusals(
  save: Save,
  results: readonly SaveResult[],
): Promise<readonly SaveResult[]> {
  return unlessStored(save, await resolveConflicts(save, results));
}

/** The same without reading rows again. */
export const unlessStored = (save: Save, results: readonly SaveResult[]): readonly SaveResult[] =>
  withEarlier(save, unlessSentBefore(save.source.ledger, save.changes, results));

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

/** If an entity was changed since an earlier save, its result also contains the outcome of the earlier change. */
function withEarlier({ resolved }: Save, results: readonly SaveResult[]): readonly SaveResult[] {
  const proved = new Map(
    resolved.flatMap(({ result }) => (result.outcome === "committed" ? [[result.entity, result]] : [])),
  );
  if (proved.size === 0) return results;
  return results.map((result) => {
    const earlier = proved.get(result.entity);
    return earlier === undefined || result.outcome === "committed" ? result : { ...result, earlier };
  });
}
