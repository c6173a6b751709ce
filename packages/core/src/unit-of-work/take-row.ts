import { KindError } from "../errors/kind-error.ts";
import type { CheckedRow } from "../codec/choose-kind.ts";
import { decodeEntity } from "../codec/codec-of.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import { etagOf, keyOfStored } from "../codec/row-layout.ts";
import type { LoadedProperties } from "../codec/snapshot.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { mergeRow, type TrackingMergeOption } from "./merge-row.ts";
import { TrackedEntity } from "./tracked-entity.ts";

/** How a row meets what a context has. */
export interface Meeting {
  readonly option: TrackingMergeOption;
  /** The `revision` when the row was asked for. */
  readonly readAt: number;
  /** What the query selected; all of it when undefined. */
  readonly loaded?: LoadedProperties;
  /** Called with an entity that the context did not have. */
  readonly onNew?: ((entity: object) => void) | undefined;
}

/**
 * The entity of a row: the tracked one, met as `option` says, or a new one; undefined for a row that was removed since.
 *
 * @throws KindError `kind.mismatch` when the key is tracked as another class
 */
export function takeRow(
  { entities, removed }: ChangeTracker,
  taken: CheckedRow,
  { option, readAt, loaded, onNew }: Meeting,
): object | undefined {
  const { model, scanned } = taken;
  const key = scanned ?? keyOfStored(taken.row);
  const tracked = entities.ofKey(model, key);
  if (tracked !== undefined) {
    if (tracked.model !== model)
      throw KindError.mismatch(subjectOf(model, key), model.name, tracked.model.name);
    // A row that was asked for before the entity was saved is of an older version.
    if (readAt >= tracked.savedAt) mergeRow(tracked, taken.row, option, loaded);
    return tracked.entity;
  }
  if (removed?.hasSince(model, key, readAt) === true) return undefined;
  const { entity, snapshot } = scanned ?? decodeEntity(model, taken.row, loaded);
  const etag = scanned === undefined ? etagOf(taken.row) : scanned.etag;
  const entry = new TrackedEntity(model, entity, key, { snapshot, etag });
  entities.addRead(entry);
  onNew?.(entity);
  return entity;
}
