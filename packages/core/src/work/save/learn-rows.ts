import { asError } from "../../values/errors/built-ins.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { shownKindOf } from "../../model/codec/choose-kind.ts";
import { etagOf, isEntityRow, isOfKind } from "../../model/codec/row-layout.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { KindError } from "../../values/errors/kind-error.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { EntryResult } from "../recovery/resolve-attempts.ts";
import { inParallel } from "../../storage/in-parallel.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import type { ContextScope } from "../scope/context-scope.ts";
import type { StoredBefore } from "../unit-of-work/index-rows.ts";
import { mayWriteOver } from "../unit-of-work/known-row.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { noteFailure, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { ofEntry, refused } from "../recovery/unsent-results.ts";
import { forget, knownRow } from "./earlier-attempts.ts";
import { entriesOf, findReady, type Save } from "./save-state.ts";

/** Reads the rows of entities that lack values for writing their index rows or for checking their scope. */
export function readIndexedRows(save: Save, isWanted: (entry: TrackedEntity) => boolean): Promise<void> {
  const before = new Map<TrackedEntity, StoredBefore>();
  save.before = before;
  return readEach(save, isWanted, async (entry) => {
    const read = await storedNow(save.source.storage, entry, save.options.signal, entry.home?.scope);
    before.set(entry, read);
    const isMissing = entry.isUnread && read.etag === undefined && entry.intent.type !== "upsert";
    return isMissing ? missing(save, entry) : undefined;
  });
}

/** Reads rows of entities. Entities with unreadable rows, or without remaining work, are not sent. */
export async function readEach(
  save: Save,
  isWanted: (entry: TrackedEntity) => boolean,
  read: (entry: TrackedEntity) => Promise<EntryResult | undefined>,
): Promise<void> {
  await inParallel(entriesOf(save.ready).filter(isWanted), save.options.concurrency, async (entry) => {
    const found = await read(entry).catch((error: unknown) => notRead(entry, error));
    if (found !== undefined) save.blocked.set(entry, found);
  });
  findReady(save);
}

/**
 * Reads the stored row of an entity.
 *
 * @param scope - of the entity's context: a row of another scope counts as not stored
 * @throws KindError if another class has taken the key
 */
export async function storedNow(
  storage: TableStorage,
  { model, key }: { readonly model: EntityModel; readonly key: EntityKey },
  signal: AbortSignal | undefined,
  scope?: ContextScope,
): Promise<StoredBefore> {
  const options: RequestOptions = { mayBeStale: false, ...(signal && { signal }) };
  const row = await storage.get(model.table, key, options);
  if (row === undefined || scope?.holds(model, row) === false)
    return { etag: undefined, snapshot: undefined };
  if (!isEntityRow(row) || !isOfKind(model, row))
    throw KindError.mismatch(subjectOf(model, key), model.name, shownKindOf(model, row));
  return { etag: etagOf(row), snapshot: decodeEntity(model, row, undefined).snapshot };
}

/**
 * Reads the versions of entities that are known to be stored by their marker, if their rows could not be read before.
 * If another program has changed the row since, that is a conflict of the entity.
 */
export const learnVersions = (save: Save, isWanted: (entry: TrackedEntity) => boolean): Promise<void> =>
  readEach(save, isWanted, (entry) => learnVersion(save, entry));

async function learnVersion(save: Save, entry: TrackedEntity): Promise<EntryResult | undefined> {
  const { source, options } = save;
  const { storage, tracker } = source;
  const { signal } = options;
  const request = { mayBeStale: false, ...(signal && { signal }) };
  const found = await storage.get(entry.model.table, entry.key, request);
  const row = found !== undefined && tracker.scope.holds(entry.model, found) ? found : undefined;
  if (row !== undefined && mayWriteOver(knownRow(save, entry), row, entry.intent)) {
    entry.etag = etagOf(row);
    return undefined;
  }
  if (row === undefined && entry.intent.type === "remove" && entry.snapshot === undefined) {
    forget(save, entry);
    return undefined;
  }
  return row === undefined ? missing(save, entry) : { entry, result: conflictOf(entry, true) };
}

/**
 * The row of an entity does not exist. This is a conflict, unless the entity is being deleted and the save ignores
 * missing rows.
 */
function missing({ source, options }: Save, entry: TrackedEntity): EntryResult {
  if (entry.intent.type !== "remove" || options.removeMissing !== "ignore")
    return { entry, result: conflictOf(entry, false) };
  source.tracker.entities.delete(entry);
  return { entry, result: { ...ofEntry(entry), outcome: "committed", evidence: "gone" } };
}

/** An entity with an unknown version is not sent; others are. */
function notRead(entry: TrackedEntity, cause: unknown): EntryResult {
  const error = asError(cause);
  noteFailure(entry, error);
  return { entry, result: refused(entry, error) };
}

/** Another writer has changed or deleted the row of an entity. */
function conflictOf(entry: TrackedEntity, isStored: boolean): SaveResult {
  const { model, key, intent } = entry;
  const operation = intent.type === "remove" ? "delete" : "merge";
  const error = new ConflictError(isStored ? "etag" : "missing", subjectOf(model, key), undefined);
  noteFailure(entry, error);
  return { ...ofEntry(entry), operation, outcome: "rejected", error };
}
