import { isStored } from "../codec/snapshot.ts";
import { type EntryResult, type Proved, resolveWrites } from "../recovery/resolve-writes.ts";
import { needsRecovery, type PendingEntity } from "../unit-of-work/change-set.ts";
import type { StoredBefore } from "../unit-of-work/companions.ts";
import type { PendingSearch } from "../unit-of-work/pending-search.ts";
import { rewrite } from "../unit-of-work/in-doubt-write.ts";
import { isEdited } from "../unit-of-work/entity-state.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { checkUniqueIndexes } from "./check-unique-indexes.ts";
import { learnVersions, readBefore } from "./learn-rows.ts";
import { runSavingHooks } from "./run-hooks.ts";
import type { SaveSource } from "./save-source.ts";
import type { CheckedOptions } from "./save-options.ts";

/** What a save may send, once earlier writes are resolved and hooks have run. */
export interface PreparedSave {
  /** Finds the pending entities again, those excepted that must not be sent yet. */
  readonly find: () => PendingEntity[];
  /** The same after code of the program ran: it may have changed any entity. */
  readonly findAnew: () => PendingEntity[];
  /** Writes of earlier saves that proved to be stored. */
  readonly committed: readonly Proved[];
  /** What was read of entities that do not know enough of their rows themselves. */
  readonly before: ReadonlyMap<TrackedEntity, StoredBefore>;
  /** What must not be sent, since the outcome of an earlier write, or the version of the row, is not known. */
  readonly blocked: readonly EntryResult[];
}

/** What a save found before it is prepared. */
interface FoundForSave {
  readonly search: PendingSearch;
  readonly ready: readonly PendingEntity[];
  readonly runsHooks: boolean;
}

/** Resolves what earlier saves left in doubt, and runs `saving` hooks. */
export async function prepareSave(
  source: SaveSource,
  options: CheckedOptions,
  { search, ready, runsHooks }: FoundForSave,
): Promise<PreparedSave> {
  const { storage, tracker, hooks } = source;
  const entriesOf = (pending: readonly PendingEntity[]): TrackedEntity[] => pending.map(({ entry }) => entry);
  await checkUniqueIndexes(source.indexStates, ready, options);
  const mustRecover = ready.some(needsRecovery);
  const resolved = mustRecover ? await resolveWrites(source, entriesOf(ready), options) : nothingResolved;
  const versions = mustRecover
    ? await learnVersions(storage, tracker, entriesOf(search.again()), options)
    : [];
  const blocked = new Map([...resolved.unknown, ...versions].map((one) => [one.entry, one]));
  const isFree = ({ entry }: PendingEntity): boolean => !blocked.has(entry);
  const find = (): PendingEntity[] => search.again().filter(isFree);
  const findAnew = (): PendingEntity[] => search.everything().filter(isFree);
  if (runsHooks && hooks.saving !== undefined)
    await runSavingHooks(source, entriesOf(find()), () => entriesOf(findAnew()));
  for (const { entry } of find()) rewriteInDoubt(entry);
  const { before, failed } = await readBefore(storage, entriesOf(find()), options);
  for (const one of failed) blocked.set(one.entry, one);
  return { find, findAnew, committed: resolved.committed, before, blocked: [...blocked.values()] };
}

const nothingResolved = { committed: [], unknown: [] };

/**
 * Makes an entity be written that has nothing to save, while an earlier write of it may yet take effect: its row is
 * rewritten under a new ETag, so that the write in doubt can no longer apply.
 */
function rewriteInDoubt(entry: TrackedEntity): void {
  const { inDoubt, intent, explicitlyModified, model, snapshot, entity } = entry;
  if (inDoubt.length === 0 || intent.type !== "none" || explicitlyModified !== undefined || isEdited(entry))
    return;
  const values = entity as Readonly<Record<string, unknown>>;
  const stored = model.properties.find(({ name }, i) => {
    return isStored(snapshot?.values[i]) && values[name] !== undefined && values[name] !== null;
  });
  if (stored !== undefined) rewrite(entry, [stored]);
}
