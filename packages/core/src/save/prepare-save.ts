import type { StoredEntity } from "../edm/stored-entity.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import { etagOf } from "../codec/row-layout.ts";
import { notLoaded } from "../codec/snapshot.ts";
import { type EntryResult, type Proved, resolveWrites } from "../recovery/resolve-writes.ts";
import { findOverwritten } from "../recovery/late-upserts.ts";
import { inParallel } from "../storage/in-parallel.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { needsRecovery, type PendingEntity } from "../unit-of-work/change-set.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { rewrite } from "../unit-of-work/in-doubt-write.ts";
import { isAsKnown } from "../unit-of-work/known-row.ts";
import { isEdited } from "../unit-of-work/entity-state.ts";
import { noteFailure, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { noteWriteHistory } from "../unit-of-work/write-id.ts";
import { runSavingHooks } from "./run-hooks.ts";
import type { SaveSource } from "./save-source.ts";
import type { CheckedOptions } from "./save-options.ts";
import { refused } from "./unsent-results.ts";

/** What a save may send, once earlier writes are resolved and hooks have run. */
export interface PreparedSave {
  /** Finds the pending entities again, those excepted that must not be sent yet. */
  readonly find: () => PendingEntity[];
  /** Writes of earlier saves that proved to be stored. */
  readonly committed: readonly Proved[];
  /** What must not be sent, since the outcome of an earlier write, or the version of the row, is not known. */
  readonly blocked: readonly EntryResult[];
}

/** Resolves what earlier saves left in doubt, and runs `saving` hooks. */
export async function prepareSave(
  source: SaveSource,
  options: CheckedOptions,
  findAll: () => PendingEntity[],
  runsHooks: boolean,
): Promise<PreparedSave> {
  const { storage, tracker, hooks } = source;
  const entriesOf = (pending: readonly PendingEntity[]): TrackedEntity[] => pending.map(({ entry }) => entry);
  await findOverwritten(source, options);
  const ready = findAll();
  const mustRecover = ready.some(needsRecovery);
  const resolved = mustRecover ? await resolveWrites(source, entriesOf(ready), options) : nothingResolved;
  const versions = mustRecover ? await learnVersions(storage, tracker, entriesOf(findAll()), options) : [];
  const blocked = new Map([...resolved.unknown, ...versions].map((one) => [one.entry, one]));
  const find = (): PendingEntity[] => findAll().filter(({ entry }) => !blocked.has(entry));
  if (runsHooks && hooks.saving !== undefined) await runSavingHooks(source, () => entriesOf(find()));
  for (const { entry } of find()) rewriteInDoubt(entry);
  return { find, committed: resolved.committed, blocked: [...blocked.values()] };
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
    const snapshotValue = snapshot?.values[i];
    return (
      snapshotValue !== undefined &&
      snapshotValue !== notLoaded &&
      values[name] !== undefined &&
      values[name] !== null
    );
  });
  if (stored !== undefined) rewrite(entry, [stored]);
}

/**
 * Reads the versions of entities that were stored by an answer which did not name them. Where somebody else has
 * changed the row since, that is a conflict of the entity.
 */
async function learnVersions(
  storage: TableStorage,
  { entities }: ChangeTracker,
  entries: readonly TrackedEntity[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal?: AbortSignal | undefined },
): Promise<EntryResult[]> {
  const withoutVersion = entries.filter(({ etag, snapshot }) => etag === undefined && snapshot !== undefined);
  const results = await inParallel(
    withoutVersion,
    concurrency,
    async (entry): Promise<EntryResult | undefined> => {
      try {
        const row = await storage.get(entry.model.table, entry.key, {
          mayBeStale: false,
          ...(signal && { signal }),
        });
        if (row !== undefined && isAsKnown(entry, row)) {
          entry.etag = etagOf(row);
          noteWriteHistory(entry, row, entry.etag);
          return undefined;
        }
        if (row === undefined && entry.intent.type === "remove") entities.delete(entry);
        return resultOf(entry, row);
      } catch (error) {
        return notRead(entry, error);
      }
    },
  );
  return results.filter((one) => one !== undefined);
}

/** An entity whose version could not be read is not sent; others are. */
function notRead(entry: TrackedEntity, cause: unknown): EntryResult {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  noteFailure(entry, error);
  return { entry, result: refused(entry, error) };
}

function resultOf(entry: TrackedEntity, row: StoredEntity | undefined): EntryResult {
  const { entity, model, key, intent } = entry;
  const subject = subjectOf(model, key);
  const operation = intent.type === "remove" ? "delete" : "merge";
  if (row === undefined && intent.type === "remove")
    return { entry, result: { entity, subject, operation, outcome: "committed", attempts: 0 } };
  const error = new ConflictError(row === undefined ? "missing" : "etag", subject, undefined);
  noteFailure(entry, error);
  return { entry, result: { entity, subject, operation, outcome: "rejected", attempts: 0, error } };
}
