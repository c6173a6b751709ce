import { hasSameProperty } from "../edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../edm/stored-entity.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import { notLoaded, restoreStored } from "../codec/snapshot.ts";
import { writeHistoryProperty, writeIdProperty } from "../model/entity-model.ts";
import { inParallel } from "../storage/in-parallel.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isEdited } from "../unit-of-work/entity-state.ts";
import { noteFailure, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { noteTrail } from "../unit-of-work/write-id.ts";
import { refused } from "./collect-changes.ts";
import type { Told } from "../recovery/read-in-doubt-writes.ts";

/**
 * Makes an entity be written that has nothing to save, while an earlier write of it may yet take effect: what it holds
 * now, sent under its version, keeps the late one out for good.
 */
export function fenceDoubts(entry: TrackedEntity): void {
  const { uncertain, intent, forced, model, snapshot, entity } = entry;
  if (uncertain.length === 0 || intent.type !== "none" || forced !== undefined || isEdited(entry)) return;
  const values = entity as Readonly<Record<string, unknown>>;
  const stored = model.properties.find(({ name }, i) => {
    const kept = snapshot?.values[i];
    return kept !== undefined && kept !== notLoaded && values[name] !== undefined && values[name] !== null;
  });
  if (stored !== undefined) entry.forced = new Set([stored]);
}

/**
 * Reads the versions of entities that were stored by an answer which did not name them. Where somebody else has
 * changed the row since, that is a conflict of the entity.
 */
export async function learnVersions(
  storage: TableStorage,
  { entities }: ChangeTracker,
  entries: readonly TrackedEntity[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal?: AbortSignal },
): Promise<Told[]> {
  const unknown = entries.filter(({ etag, snapshot }) => etag === undefined && snapshot !== undefined);
  const told = await inParallel(unknown, concurrency, async (entry): Promise<Told | undefined> => {
    try {
      const row = await storage.get(entry.model.table, entry.key, {
        mayBeStale: false,
        ...(signal && { signal }),
      });
      if (row !== undefined && isAsKnown(entry, row)) {
        entry.etag = row["odata.etag"];
        noteTrail(entry, row, entry.etag);
        return undefined;
      }
      if (row === undefined && entry.intent.type === "remove") entities.delete(entry);
      return resultOf(entry, row);
    } catch (error) {
      return notRead(entry, error);
    }
  });
  return told.filter((one) => one !== undefined);
}

/** An entity whose version could not be read is not sent; others are. */
function notRead(entry: TrackedEntity, cause: unknown): Told {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  noteFailure(entry, error);
  return { entry, result: refused(entry, error) };
}

/** Whether a row still holds everything that is known of an entity. */
function isAsKnown({ model, key, snapshot }: TrackedEntity, row: StoredEntity): boolean {
  if (snapshot === undefined) return false;
  const known = restoreStored(model, key, snapshot);
  const names = snapshot.isWhole ? new Set([...Object.keys(known), ...Object.keys(row)]) : Object.keys(known);
  for (const name of names) {
    const isKnown = snapshot.isWhole || known[name] !== undefined;
    const isOurs = model.options.writeId && (name === writeIdProperty || name === writeHistoryProperty);
    if (isKnown && !isOurs && !isSystemName(name) && !hasSameProperty(known, row, name)) return false;
  }
  return true;
}

function resultOf(entry: TrackedEntity, row: StoredEntity | undefined): Told {
  const { entity, model, key, intent } = entry;
  const subject = subjectOf(model, key);
  const operation = intent.type === "remove" ? "delete" : "merge";
  if (row === undefined && intent.type === "remove")
    return { entry, result: { entity, subject, operation, outcome: "committed", attempts: 0 } };
  const error = new ConflictError(row === undefined ? "missing" : "etag", subject, undefined);
  noteFailure(entry, error);
  return { entry, result: { entity, subject, operation, outcome: "rejected", attempts: 0, error } };
}
