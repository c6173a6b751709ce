import { asError } from "../errors/built-ins.ts";
import { decodeEntity } from "../codec/codec-of.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import { shownKindOf } from "../codec/choose-kind.ts";
import { etagOf, isEntityRow, isOfKind } from "../codec/row-layout.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { KindError } from "../errors/kind-error.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { EntityKey } from "../edm/stored-entity.ts";
import type { EntryResult } from "../recovery/resolve-writes.ts";
import { inParallel } from "../storage/in-parallel.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { mustReadBefore, type StoredBefore } from "../unit-of-work/companions.ts";
import { isAsKnown } from "../unit-of-work/known-row.ts";
import type { RemoveMissing, SaveResult } from "../unit-of-work/save-result.ts";
import { noteFailure, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { refused } from "./unsent-results.ts";

/** How rows are read for a save. */
interface LearnOptions {
  readonly concurrency: number;
  readonly removeMissing: RemoveMissing;
  readonly signal?: AbortSignal | undefined;
}

/** What was read for entities that do not know enough of their rows. */
interface ReadBefore {
  readonly before: ReadonlyMap<TrackedEntity, StoredBefore>;
  readonly failed: readonly EntryResult[];
}

/** Reads what entities replace of whose rows they do not know enough to write their rows in indexes. */
export async function readBefore(
  storage: TableStorage,
  entries: readonly TrackedEntity[],
  { concurrency, signal }: LearnOptions,
): Promise<ReadBefore> {
  const before = new Map<TrackedEntity, StoredBefore>();
  const wanted = entries.filter((entry) => entry.model.indexes.length > 0 && mustReadBefore(entry));
  const failed = await inParallel(wanted, concurrency, async (entry): Promise<EntryResult | undefined> => {
    try {
      before.set(entry, await storedNow(storage, entry, signal));
      return undefined;
    } catch (error) {
      return notRead(entry, error);
    }
  });
  return { before, failed: failed.filter((one) => one !== undefined) };
}

/**
 * What is stored of an entity now.
 *
 * @throws KindError where another class has taken the key
 */
export async function storedNow(
  storage: TableStorage,
  { model, key }: { readonly model: EntityModel; readonly key: EntityKey },
  signal: AbortSignal | undefined,
): Promise<StoredBefore> {
  const options: RequestOptions = { mayBeStale: false, ...(signal && { signal }) };
  const row = await storage.get(model.table, key, options);
  if (row === undefined) return { etag: undefined, snapshot: undefined };
  if (!isEntityRow(row) || !isOfKind(model, row))
    throw KindError.mismatch(subjectOf(model, key), model.name, shownKindOf(model, row));
  return { etag: etagOf(row), snapshot: decodeEntity(model, row, undefined).snapshot };
}

/**
 * Reads the versions of entities that were stored by an answer which did not name them. Where somebody else has
 * changed the row since, that is a conflict of the entity.
 */
export async function learnVersions(
  storage: TableStorage,
  { entities }: ChangeTracker,
  entries: readonly TrackedEntity[],
  { concurrency, removeMissing, signal }: LearnOptions,
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
          return undefined;
        }
        const isDone = row === undefined && entry.intent.type === "remove" && removeMissing === "ignore";
        if (isDone) entities.delete(entry);
        return { entry, result: isDone ? alreadyGone(entry) : conflictOf(entry, row !== undefined) };
      } catch (error) {
        return notRead(entry, error);
      }
    },
  );
  return results.filter((one) => one !== undefined);
}

/** An entity whose version could not be read is not sent; others are. */
function notRead(entry: TrackedEntity, cause: unknown): EntryResult {
  const error = asError(cause);
  noteFailure(entry, error);
  return { entry, result: refused(entry, error) };
}

/** The removal of a row that somebody else has removed, for who does not mind. */
const alreadyGone = ({ entity, model, key }: TrackedEntity): SaveResult => ({
  entity,
  subject: subjectOf(model, key),
  operation: "delete",
  outcome: "committed",
  evidence: "gone",
  attempts: 0,
});

/** Somebody else has changed or removed the row of an entity. */
function conflictOf(entry: TrackedEntity, isStored: boolean): SaveResult {
  const { entity, model, key, intent } = entry;
  const subject = subjectOf(model, key);
  const operation = intent.type === "remove" ? "delete" : "merge";
  const error = new ConflictError(isStored ? "etag" : "missing", subject, undefined);
  noteFailure(entry, error);
  return { entity, subject, operation, outcome: "rejected", attempts: 0, error };
}
