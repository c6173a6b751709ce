import { isAbsent } from "../../model/codec/is-absent.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { notLoaded, type Snapshot } from "../../model/codec/snapshot.ts";
import {
  type EntityModel,
  findProperty,
  type PropertyModel,
  propertiesNamed,
  propertyNames,
} from "../../model/declaration/entity-model.ts";
import type { EntityState, TrackedEntity } from "./tracked-entity.ts";

/** Advice for each state of an entity. */
const remedies: Readonly<Record<EntityState, string>> = {
  added: "The next save will insert it; detach() it first.",
  unchanged: "Change it and save, or detach() it first.",
  modified: "Save it, or discard() its changes first.",
  deleted: "The next save will delete it; discard() that, or add() it back, first.",
  upsert: "The next save will write it; detach() it first.",
  detached: "",
};

/** The error for an operation that does not apply to an entity in this state. */
export function wrongState({ model, key }: TrackedEntity, state: EntityState, operation: string): StateError {
  return new StateError(
    "entity.wrong-state",
    `${operation}() does not apply to ${subjectOf(model, key)}, which this context tracks as ${state}. ${remedies[state]}`,
    { entity: model.name, operation, state },
  );
}

/** The error for a second instance under a key. @param other - the class of the first */
export function duplicateKey(model: EntityModel, key: EntityKey, other: EntityModel): StateError {
  const problem =
    model === other
      ? "is already tracked by another instance. Change that one (find() returns it), or detach it first."
      : `has the key of a ${other.name} that is already tracked, and a key has only one row. Give it another key, or put the kind into the key: kind: { name, key: "prefix" }.`;
  return new StateError("entity.duplicate-key", `${subjectOf(model, key)} ${problem}`, {
    entity: model.name,
  });
}

/** The error for an instance that another context has. */
export function trackedElsewhere(model: EntityModel, key: EntityKey, operation: string): StateError {
  const { name } = model;
  return new StateError(
    "entity.tracked-elsewhere",
    `${operation}() takes an entity that no other context tracks, but ${subjectOf(model, key)} is tracked by a context that is still open. Two contexts would both save the same edits. detach() it there, or close that context first (await using).`,
    { entity: name, operation },
  );
}

/**
 * The properties that a save assigns to its entities: their new version, and the time of the last write (then unknown).
 */
export const systemNames = ({ etagProperty, timestampProperty }: EntityModel): readonly string[] =>
  [etagProperty, timestampProperty].filter((name) => name !== undefined);

/** The error for operations that are not possible while an entity is being saved. */
export function inFlight({ model, key }: TrackedEntity, operation: string): StateError {
  return new StateError(
    "entity.in-flight",
    `${operation}() does not apply to ${subjectOf(model, key)} while it is being saved. Await saveChanges() first.`,
    { entity: model.name, operation },
  );
}

/** The error for an entity with an unknown version. */
export function etagUnknown({ model, key }: TrackedEntity): StateError {
  return new StateError(
    "entity.etag-unknown",
    `${subjectOf(model, key)} was stored, but the response did not contain its new version, so another change could overwrite another writer's. Call reload() on it first.`,
    { entity: model.name },
  );
}

/** The error for a change that rewrites the complete row of an entity that was partly loaded. */
export function notComplete(
  { model, key }: TrackedEntity,
  { values, age }: Snapshot,
  cleared: readonly number[],
): StateError {
  const nameOf = (i: number): string => (model.properties[i] as PropertyModel).name;
  const missing = values.flatMap((snapshotValue, i) => (snapshotValue === notLoaded ? [nameOf(i)] : []));
  const names = cleared.map(nameOf);
  const what =
    age === "older"
      ? "be saved in part, since its row is of an older version"
      : names.length > 0
        ? `have ${names.join(", ")} cleared`
        : "be replaced";
  const rest =
    missing.length > 0
      ? `${missing.join(", ")} ${missing.length === 1 ? "was" : "were"}`
      : "properties other than the declared ones were";
  return new StateError(
    "entity.not-loaded",
    `${subjectOf(model, key)} cannot ${what}: that rewrites the complete row, and ${rest} not loaded. Call find() for its key first, which reads the rest and keeps edits, or read it without select.`,
    { entity: model.name, properties: names, notLoaded: missing },
  );
}

/** The error for a write to a row with a version that this program does not know. */
export function newerRow({ model, key }: Pick<TrackedEntity, "model" | "key">): StateError {
  return new StateError(
    "entity.newer-version",
    `${subjectOf(model, key)} has a newer version than ${model.version?.number}, the newest that this program knows. Newer programs would not see its changes, and could lose values that it does not know. Run a newer release of this program, or let the newer one support this version: upgrades(…).supports(${model.version?.number}).`,
    { entity: model.name, version: model.version?.number },
  );
}

/** The error for a write over a row that was never read. */
export function versionUnknown({ name }: EntityModel, method: string): StateError {
  return new StateError(
    "entity.version-unknown",
    `${method} would mix versions of ${name}: the row was not read, and may have an older version. Use find() or modify(), upsert it with "replace", or declare its upgrades clean() once no older rows are left.`,
    { entity: name, method },
  );
}

/** Refuses a merge that would overwrite what the insert of a stored row wrote. @throws StateError `entity.insert-only` */
export function checkInsertTimes({ name, savedFills = [] }: EntityModel, entity: object): void {
  const values = entity as Readonly<Record<string, unknown>>;
  const missing = savedFills.find(
    (property) => property.onSave?.when === "insert" && isAbsent(property, values[property.name]),
  );
  if (missing === undefined) return;
  throw new StateError(
    "entity.insert-only",
    `upsert(…, "merge") would overwrite ${name}.${missing.name} of a row that is already stored. Give it a value, or use modify(${name}, key, change, { create }).`,
    { entity: name, property: missing.name },
  );
}

/** The error for an entity that is attached as stored, although this program has just made its key. */
export function keyGenerated({ name }: EntityModel): StateError {
  return new StateError(
    "entity.key-generated",
    `This ${name} had no key, so one was generated: it cannot be stored yet. Add it with add(), or set the key of the row that you mean.`,
    { entity: name },
  );
}

/** @throws StateError `entity.missing-etag` */
export function checkETag(model: EntityModel, etag: unknown, method: string): void {
  if (typeof etag === "string" && etag !== "") return;
  throw new StateError(
    "entity.missing-etag",
    `${method} needs the version that the ${model.name} was read with, to protect newer versions from being overwritten. Pass its ETag, or "*" for any version. To write the row whether it is stored or not, use upsert().`,
    { entity: model.name },
  );
}

/** The stored properties with this name. @throws StateError `entity.unknown-property` */
export function namedProperties(model: EntityModel, name: string): readonly PropertyModel[] {
  if (typeof name !== "string")
    throw new StateError(
      "entity.unknown-property",
      `update() takes names of properties, but got ${describeType(name)}. Assign to the entity: entity.name = value, or call assign(entity, values). A save finds such changes itself.`,
      { entity: model.name },
    );
  const found = propertiesNamed(model, name);
  if (found.length > 0) return found;
  const property = findProperty(model, name);
  const named = `${model.name} ${property === undefined ? "does not store" : "cannot be given another value of"} "${String(name).slice(0, 80)}"`;
  const why = property === undefined ? "" : ", which is part of its key";
  throw new StateError(
    "entity.unknown-property",
    `${named}${why}. Declared: ${propertyNames(model).join(", ")}.`,
    { entity: model.name, property: name },
  );
}

/** The error for an operation on an entity that its context does not track. */
export const notTracked = ({ name }: EntityModel, operation: string): StateError =>
  new StateError(
    "entity.not-tracked",
    `${operation}() takes an entity of this context, but this ${name} was neither read for tracking nor added here. Read it with find() or a query (without noTracking), or attach() it first. To delete a row that was not read, use removeByKey().`,
    { entity: name, operation },
  );

/** The error for adding an entity again after its row was deleted, if not all of its properties are known. */
export const notCompleteToAdd = (
  model: EntityModel,
  key: EntityKey,
  missing: readonly string[],
): StateError =>
  new StateError(
    "entity.not-loaded",
    `${subjectOf(model, key)} is no longer stored, and cannot be added again because these properties were not loaded: ${missing.join(", ")}. Add a complete ${model.name} instead.`,
    { entity: model.name, notLoaded: missing },
  );

/** The error for a closed context. */
export const closedContext = (): StateError =>
  new StateError(
    "context.disposed",
    "This context was closed. Make a new TableContext for each unit of work.",
  );

/** The error for a context that was closed before the rows could be returned. */
export const closedWhileReading = (): StateError =>
  new StateError(
    "context.disposed",
    "This context was closed during a read. Await the result: `return await query.toArray()`, since `await using` closes the context as soon as the function returns.",
  );
