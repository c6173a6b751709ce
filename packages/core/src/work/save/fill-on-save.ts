// `collect-changes.ts` calls this file for each pending entity of a class with properties that saves fill, such as
// `updatedAt()`. It assigns their values before the change is computed. If these are not stored, they are reverted at
// the end of the save.

import { isAbsent } from "../../model/codec/is-absent.ts";
import type { PropertyModel } from "../../model/declaration/entity-model.ts";
import type { PendingEntity } from "../unit-of-work/change-set.ts";
import { changesOf } from "../unit-of-work/entity-state.ts";
import { isTouch, RewrittenProperties, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { Save } from "./save-state.ts";

/** Assigns the values that a save makes. Returns the entity to send. */
export function fillOnSave(
  save: Save,
  pending: PendingEntity,
  fills: readonly PropertyModel[],
): PendingEntity {
  const { entry } = pending;
  const values = entry.entity as Record<string, unknown>;
  const open = fills.filter(openFor(pending, save.source.tracker.isExplicit));
  if (open.length === 0) return pending;
  const filled = new Map(entry.saveFilled);
  const time = (save.time ??= save.source.retries.clock.now());
  for (const property of open) {
    const before = values[property.name];
    const value = property.onSave?.make({ now: () => time });
    if (Reflect.set(values, property.name, value)) filled.set(property, { value, before });
  }
  entry.saveFilled = filled;
  (save.filled ??= new Set()).add(entry);
  return { entry, changes: undefined };
}

/** The properties that a save fills: those of a new entity without a value, or of an entity that is written. */
function openFor(pending: PendingEntity, isExplicit: boolean): (property: PropertyModel) => boolean {
  const { entry } = pending;
  const { intent, model, snapshot } = entry;
  const values = entry.entity as Readonly<Record<string, unknown>>;
  if (intent.type === "remove") return () => false;
  if (snapshot === undefined) return (property) => isAbsent(property, values[property.name]);
  const { assigned, cleared } = pending.changes ?? changesOf(entry);
  const isEdited = !isExplicit && assigned.length + cleared.length > 0;
  if (!isEdited && !isNamed(entry)) return () => false;
  return (property) =>
    property.onSave?.when === "write" && !assigned.includes(model.properties.indexOf(property));
}

/** Whether the program named the entity or its properties with `update()`: `touch()` and recovery write no value. */
const isNamed = ({ explicitlyModified }: TrackedEntity): boolean =>
  explicitlyModified !== undefined &&
  !isTouch(explicitlyModified) &&
  !RewrittenProperties.is(explicitlyModified);

/** Reverts the values of changes that are certainly not stored; the next save makes new ones. */
export function takeBackFills({ filled }: Save): void {
  for (const entry of filled ?? []) {
    const { saveFilled, isInDoubt, mayBeStored } = entry;
    if (saveFilled === undefined || isInDoubt || mayBeStored) continue;
    const values = entry.entity as Record<string, unknown>;
    for (const [{ name }, { value, before }] of saveFilled)
      if (Object.is(values[name], value)) Reflect.set(values, name, before);
    entry.saveFilled = undefined;
  }
}
