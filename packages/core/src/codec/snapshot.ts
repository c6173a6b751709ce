import { SerializationError } from "../errors/serialization-error.ts";
import type { Kept } from "../edm/serializer.ts";
import { KeptAs } from "../edm/stored-as.ts";
import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../edm/stored-entity.ts";
import {
  type EntityModel,
  type PropertyModel,
  writeHistoryProperty,
  writeIdProperty,
} from "../model/entity-model.ts";
import { sizeOfProperties, type EntitySize } from "../storage/limits.ts";
import type { RowAge } from "./current-row.ts";
import { newImage } from "./encode-entity.ts";

/**
 * An entity's properties as last known to be stored. It shares what cannot change with the entity, and stands for the
 * row in every digit: a whole snapshot gives the stored entity back.
 */
export interface Snapshot {
  /** What each property's serializer keeps, by its position in the model; undefined: absent; or `notLoaded`. */
  readonly values: readonly Kept[];
  /** Stored properties that the class does not declare, with their annotations. */
  readonly undeclared: UndeclaredProperties | undefined;
  /** Whether this is everything the row has. */
  readonly isWhole: boolean;
  /** Of an older row: what it is upgraded to, which is stored as a whole or not at all. Of a newer one: never replaced. */
  readonly age: RowAge;
}

/** Stored members beside those a class declares. */
export type UndeclaredProperties = Readonly<Record<string, StoredEntity[string]>>;

/** Stands for a value that a projection left out. */
export const notLoaded: unique symbol = Symbol("not loaded");

/** Properties of a model that a read returns, by position; undefined: all of them. */
export type LoadedProperties = readonly boolean[] | undefined;

/** The members of a row that its class does not declare; undefined when there are none. */
export function undeclaredOf(
  model: EntityModel,
  stored: StoredEntity,
  declaredMembers: number,
): UndeclaredProperties | undefined {
  let count = 0;
  for (const _name in stored) count++;
  return count === declaredMembers ? undefined : collectUndeclared(model, stored);
}

function collectUndeclared(model: EntityModel, stored: StoredEntity): UndeclaredProperties | undefined {
  const { kind, version } = model;
  const declared = new Set(model.properties.flatMap((p) => [p.storedName, p.annotationName]));
  const found: StoredEntityDraft = Object.create(null) as StoredEntityDraft;
  let isEmpty = true;
  const take = (name: string): void => {
    isEmpty = false;
    // It would go back into the row as it came, however deep it is.
    if (typeof stored[name] === "object" && stored[name] !== null)
      throw new SerializationError(
        "edm.malformed",
        `A row of ${model.name} has a value that is neither text, number nor boolean, which no entity of the service has.`,
        { entity: model.name },
      );
    setMember(found, name, stored[name]);
  };
  for (const name of Object.keys(stored)) {
    if (declared.has(name) || isSystemName(name)) continue;
    if (kind?.isStored === true && name === kind.storedName && stored[name] === kind.name) continue;
    // Every write has an id of its own.
    if ((name === writeIdProperty || name === writeHistoryProperty) && model.options.writeId) continue;
    if (name === version?.storedName && stored[name] === version.number) continue;
    take(name);
    if (stored[annotationOf(name)] !== undefined) take(annotationOf(name));
  }
  // A row without a version is not given one by the way.
  if (version !== undefined && stored[version.storedName] === undefined) take(version.storedName);
  return isEmpty ? undefined : found;
}

/** The whole stored entity again, without Timestamp and ETag. */
export function restoreStored(
  model: EntityModel,
  key: { readonly partitionKey: string; readonly rowKey: string },
  { values, undeclared }: Snapshot,
): StoredEntity {
  const stored = newImage(model, key);
  for (let i = 0; i < values.length; i++) {
    const kept = values[i];
    if (kept !== undefined && kept !== notLoaded)
      restoreProperty(model.properties[i] as PropertyModel, kept, stored);
  }
  for (const name in undeclared) setMember(stored, name, undeclared[name]);
  return stored;
}

/** Puts a kept value into a stored entity, annotated as its row has it. */
export function restoreProperty(property: PropertyModel, kept: Kept, into: StoredEntityDraft): void {
  const { serializer, storedName, annotationName, path } = property;
  if (kept instanceof KeptAs) {
    into[storedName] = kept.stored;
    into[annotationName] = kept.annotation;
    return;
  }
  const value = serializer.restore(kept, path);
  into[storedName] = value;
  if (serializer.isAnnotated(value)) into[annotationName] = serializer.edm;
}

/** The host value of something kept; absent ones read as the declared default, else undefined. */
export function valueOfKept(property: PropertyModel, kept: Kept): unknown {
  if (kept === notLoaded) return undefined;
  const { serializer, path } = property;
  if (kept instanceof KeptAs) return serializer.decode(kept.stored, kept.annotation, path);
  const stored = kept === undefined ? property.defaultStored : serializer.restore(kept, path);
  if (stored === undefined) return undefined;
  return serializer.decode(stored, serializer.isAnnotated(stored) ? serializer.edm : undefined, path);
}

/** The size of the stored entity, as the service counts it. */
export function sizeOfSnapshot(model: EntityModel, keyLength: number, snapshot: Snapshot): EntitySize {
  const { values, undeclared } = snapshot;
  let { bytes, count } = sizeOfProperties(undeclared ?? {}, 2 * keyLength);
  const { kind, version } = model;
  if (kind?.isStored === true) {
    bytes += 8 + 2 * kind.storedName.length + 2 * kind.name.length + 4;
    count++;
  }
  if (version !== undefined) {
    bytes += 8 + 2 * version.storedName.length + 4;
    count++;
  }
  for (let i = 0; i < values.length; i++) {
    const kept = values[i];
    if (kept === undefined || kept === notLoaded) continue;
    const { overheadBytes, serializer, path } = model.properties[i] as PropertyModel;
    const stored = kept instanceof KeptAs ? kept.stored : serializer.restore(kept, path);
    bytes += overheadBytes + serializer.sizeOf(stored);
    count++;
  }
  return { bytes, count };
}
