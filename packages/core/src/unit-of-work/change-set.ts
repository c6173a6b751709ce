import type { Kept } from "../edm/serializer.ts";
import type { StoredEntity, StoredEntityDraft } from "../edm/stored-entity.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { StateError } from "../errors/state-error.ts";
import { checkLimits, encodeEntity, encodeProperty, subjectOf } from "../materialize/encode-entity.ts";
import { notLoaded, restoreStored, type Snapshot, sizeOfSnapshot } from "../materialize/snapshot.ts";
import type { PropertyModel } from "../model/entity-model.ts";
import type { WriteOperation } from "../storage/write-operation.ts";
import { checkKeyUnchanged, detectChanges, type PropertyChanges } from "./detect-changes.ts";
import type { TrackedEntity } from "./tracked-entity.ts";
import { withWriteId } from "./write-id.ts";

/** The pending operation of one entity. */
export interface ChangeSet {
  readonly entry: TrackedEntity;
  readonly operation: WriteOperation;
  /** The snapshot once the operation is committed; undefined for a removal. */
  readonly after: Snapshot | undefined;
  /** At least the size of what is sent, as the service counts an entity. */
  readonly bytes: number;
  /** What `update()` asked to be sent. */
  readonly forced?: ReadonlySet<PropertyModel>;
}

/** How changes become operations. */
export interface ChangeOptions {
  /** Whether a changed entity is sent as what changed, or whole. */
  readonly update: "merge" | "replace";
  /** Whether only what `update()` named is sent. */
  readonly isExplicit: boolean;
  /** Marks the rows of this save, in tables that ask for it. */
  readonly writeId: string;
}

/**
 * What to send for an entity; undefined when nothing changed.
 *
 * @throws SerializationError, KeyError or StateError naming class and property, when the entity cannot be stored
 */
export function changeSetOf(entry: TrackedEntity, options: ChangeOptions): ChangeSet | undefined {
  const change = unmarkedChangeSetOf(entry, options);
  if (change === undefined) return undefined;
  const { forced } = entry;
  return withWriteId(forced === undefined ? change : { ...change, forced }, options.writeId);
}

function unmarkedChangeSetOf(entry: TrackedEntity, options: ChangeOptions): ChangeSet | undefined {
  const { intent, model, entity, key } = entry;
  if (intent.type === "remove")
    return { entry, operation: { type: "delete", key, etag: etagOf(entry) }, after: undefined, bytes: 0 };

  checkKeyUnchanged(entry);
  switch (intent.type) {
    case "add": {
      const { stored, values, bytes } = encodeEntity(model, entity, key);
      const undeclared = entry.snapshot?.undeclared;
      const after = { values, undeclared, isWhole: true };
      const { replaces } = intent;
      if (replaces === undefined)
        return { entry, operation: { type: "insert", entity: stored }, after, bytes };
      // What the row has beyond the class stays.
      const image = undeclared === undefined ? stored : { ...stored, ...undeclared };
      return { entry, operation: { type: "replace", entity: image, etag: replaces }, after, bytes };
    }
    case "upsert": {
      const { stored, values, bytes } = encodeEntity(model, entity, key);
      const after = intent.mode === "replace" ? whole(values) : mergedOver(values);
      return { entry, operation: { type: `upsert-${intent.mode}`, entity: stored }, after, bytes };
    }
    case "none":
      return entry.snapshot === undefined ? undefined : updateOf(entry, entry.snapshot, options);
    default:
      return intent satisfies never;
  }
}

const whole = (values: readonly Kept[]): Snapshot => ({ values, undeclared: undefined, isWhole: true });

/** After a merge into a row that nobody read: only what was sent is known. */
const mergedOver = (values: readonly Kept[]): Snapshot => ({
  values: values.map((kept) => (kept === undefined ? notLoaded : kept)),
  undeclared: undefined,
  isWhole: false,
});

function updateOf(
  entry: TrackedEntity,
  snapshot: Snapshot,
  { update, isExplicit }: ChangeOptions,
): ChangeSet | undefined {
  const { model, key } = entry;
  if (isExplicit && entry.forced === undefined) return undefined;
  const changes = withForced(entry, detectChanges(entry, snapshot));
  const { assigned, cleared } = changes;
  if (assigned.length === 0 && cleared.length === 0) return undefined;
  for (const i of cleared) {
    const property = model.properties[i] as PropertyModel;
    if (property.presence === "required") throw SerializationError.required(property.path);
  }
  // A merge cannot remove a property: clearing one means sending everything else again.
  const isReplace = cleared.length > 0 || update === "replace";
  if (isReplace && !snapshot.isWhole) throw notWhole(entry, snapshot, cleared);

  const body: StoredEntityDraft = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
  const after = snapshotAfter(entry, snapshot, changes, body);
  const size = sizeOfSnapshot(model, key.partitionKey.length + key.rowKey.length, after);
  checkLimits(model, key, size);
  const etag = etagOf(entry);
  const operation: WriteOperation = isReplace
    ? { type: "replace", entity: restoreStored(model, key, after), etag }
    : { type: "merge", entity: body, etag };
  return { entry, operation, after, bytes: size.bytes };
}

/** Named properties are sent even when they are as they were; without names, all that are loaded. */
function withForced({ forced, entity, model }: TrackedEntity, changes: PropertyChanges): PropertyChanges {
  if (forced === undefined) return changes;
  const values = entity as Readonly<Record<string, unknown>>;
  const assigned = model.properties.flatMap((property, i) => {
    const hasValue = values[property.name] !== undefined && values[property.name] !== null;
    return changes.assigned.includes(i) || (forced.has(property) && hasValue) ? [i] : [];
  });
  return { assigned, cleared: changes.cleared };
}

/** The snapshot with the changes in it; encodes what was assigned into `body`. */
function snapshotAfter(
  { entity, model }: TrackedEntity,
  { values, undeclared, isWhole }: Snapshot,
  { assigned, cleared }: PropertyChanges,
  body: StoredEntityDraft,
): Snapshot {
  const source = entity as Readonly<Record<string, unknown>>;
  const after: Kept[] = values.slice();
  for (const i of cleared) after[i] = undefined;
  for (const i of assigned) {
    const property = model.properties[i] as PropertyModel;
    const value = source[property.name];
    const encoded = encodeProperty(property, value, body);
    after[i] = property.serializer.keep(encoded, value, body[property.annotationName]);
  }
  return { values: after, undeclared, isWhole };
}

/** @throws StateError `entity.etag-unknown` when the store did not say which version it has */
function etagOf(entry: TrackedEntity): string {
  if (entry.etag !== undefined) return entry.etag;
  throw new StateError(
    "entity.etag-unknown",
    `${subjectOf(entry.model, entry.key)} was stored, but the store did not say its new version, so a further change could overwrite somebody else's. Call reload() on it first.`,
    { entity: entry.model.name },
  );
}

function notWhole(
  { model, key }: TrackedEntity,
  { values }: Snapshot,
  cleared: readonly number[],
): StateError {
  const nameOf = (i: number): string => (model.properties[i] as PropertyModel).name;
  const missing = values.flatMap((kept, i) => (kept === notLoaded ? [nameOf(i)] : []));
  const names = cleared.map(nameOf);
  const what = names.length > 0 ? `have ${names.join(", ")} cleared` : "be replaced";
  const rest =
    missing.length > 0
      ? `${missing.join(", ")} of it`
      : "what else it may hold beside its declared properties";
  return new StateError(
    "entity.not-loaded",
    `${subjectOf(model, key)} cannot ${what}: that rewrites the whole row, and ${rest} was not loaded. Call reload() on it first, or read it without select.`,
    { entity: model.name, properties: names, notLoaded: missing },
  );
}
