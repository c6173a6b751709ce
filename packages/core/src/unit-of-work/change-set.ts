import type { StoredEntity, StoredEntityDraft } from "../edm/stored-entity.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { StateError } from "../errors/state-error.ts";
import { checkLimits, encodeEntity, encodeProperty, subjectOf } from "../materialize/encode-entity.ts";
import type { PropertyModel } from "../model/entity-model.ts";
import { sizeOfEntity } from "../storage/limits.ts";
import type { WriteOperation } from "../storage/write-operation.ts";
import { checkKeyUnchanged, detectChanges, type PropertyChanges } from "./detect-changes.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** The pending operation of one entity. */
export interface ChangeSet {
  readonly entry: TrackedEntity;
  readonly operation: WriteOperation;
  /** What is stored once the operation is committed: the next snapshot. Undefined for a removal. */
  readonly image: StoredEntity | undefined;
  /** At least the size of what is sent, as the service counts an entity. */
  readonly bytes: number;
}

/**
 * What to send for an entity; undefined when nothing changed.
 *
 * @throws SerializationError, KeyError or StateError naming class and property, when the entity cannot be stored
 */
export function changeSetOf(entry: TrackedEntity): ChangeSet | undefined {
  const { intent, model, entity, key } = entry;
  if (intent.type === "remove")
    return { entry, operation: { type: "delete", key, etag: entry.etag ?? "*" }, image: undefined, bytes: 0 };

  checkKeyUnchanged(entry);
  switch (intent.type) {
    case "add": {
      const { stored, bytes } = encodeEntity(model, entity, key);
      const image = withUndeclared(stored, entry);
      const { replaces } = intent;
      const operation =
        replaces === undefined
          ? insert(image)
          : ({ type: "replace", entity: image, etag: replaces } as const);
      return { entry, operation, image, bytes: image === stored ? bytes : sizeOfEntity(image).bytes };
    }
    case "upsert": {
      const { stored: image, bytes } = encodeEntity(model, entity, key);
      return { entry, operation: { type: `upsert-${intent.mode}`, entity: image }, image, bytes };
    }
    case "none":
      return updateOf(entry, entry.snapshot as StoredEntity);
    default:
      return intent satisfies never;
  }
}

const insert = (entity: StoredEntity): WriteOperation => ({ type: "insert", entity });

function updateOf(entry: TrackedEntity, snapshot: StoredEntity): ChangeSet | undefined {
  const changes = detectChanges(entry, snapshot);
  if (changes.assigned.length === 0 && changes.cleared.length === 0) return undefined;
  const required = changes.cleared.find((property) => property.presence === "required");
  if (required !== undefined) throw SerializationError.required(required.path);
  if (changes.cleared.length > 0 && !entry.isComplete) throw notLoaded(entry, changes.cleared);
  const image = imageAfter(entry, snapshot, changes);
  const size = sizeOfEntity(image);
  checkLimits(entry.model, entry.key, size);
  const etag = entry.etag ?? "*";
  // A merge cannot remove a property: clearing one means sending everything else again.
  const operation: WriteOperation =
    changes.cleared.length > 0
      ? { type: "replace", entity: image, etag }
      : { type: "merge", entity: mergeBody(entry, changes), etag };
  return { entry, operation, image, bytes: size.bytes };
}

/** The snapshot with the changes in it: every stored property, undeclared ones included, with its exact type. */
function imageAfter(
  { entity }: TrackedEntity,
  snapshot: StoredEntity,
  { assigned, cleared }: PropertyChanges,
): StoredEntity {
  const { Timestamp: _timestamp, "odata.etag": _etag, ...stored } = snapshot;
  const image: StoredEntityDraft = stored as StoredEntityDraft;
  const values = entity as Readonly<Record<string, unknown>>;
  for (const property of cleared) {
    image[property.storedName] = undefined;
    image[property.annotationName] = undefined;
  }
  for (const property of assigned) encodeProperty(property, values[property.name], image);
  return image;
}

/** An entity that was removed and added again is replaced whole: what its row has beyond the class stays. */
function withUndeclared(image: StoredEntity, { snapshot, model }: TrackedEntity): StoredEntity {
  if (snapshot === undefined) return image;
  const { Timestamp: _timestamp, "odata.etag": _etag, ...kept } = snapshot as StoredEntityDraft;
  for (const { storedName, annotationName } of model.properties) {
    delete kept[storedName];
    delete kept[annotationName];
  }
  return { ...kept, ...image } as StoredEntity;
}

/** A merge sends what changed: kind and version are what the row already has. */
function mergeBody({ entity, key }: TrackedEntity, { assigned }: PropertyChanges): StoredEntity {
  const body: StoredEntityDraft = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
  const values = entity as Readonly<Record<string, unknown>>;
  for (const property of assigned) encodeProperty(property, values[property.name], body);
  return body;
}

function notLoaded({ model, key }: TrackedEntity, cleared: readonly PropertyModel[]): StateError {
  const names = cleared.map((p) => p.name);
  return new StateError(
    "entity.not-loaded",
    `${subjectOf(model, key)} cannot have ${names.join(", ")} cleared: clearing rewrites the whole row, and the rest of it was not loaded. Read the entity whole first.`,
    { entity: model.name, properties: names },
  );
}
