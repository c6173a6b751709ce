import { StateError } from "../../values/errors/state-error.ts";
import { oneOf } from "../../values/options/checks.ts";
import { checkArgument } from "../../values/options/define-options.ts";
import { assignLeaves, snapshotValueIn, storedMarkers } from "../../model/codec/embedded-values.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { PropertyConflict, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { Copies, findStored } from "../save/copies.ts";
import { isStill } from "../save/judged-entity.ts";
import type { EntityReader } from "./entity-reader.ts";

/** A property's new value: the entity's value, the stored value, or a merged one. */
export type ConflictChoice = "mine" | "theirs" | { readonly value: unknown };

/**
 * How to resolve an edit conflict: for one side, or with a function that chooses for each property in conflict. The
 * function gets copies of the values.
 */
export type ConflictResolution =
  | "mine"
  | "theirs"
  | ((conflict: PropertyConflict) => ConflictChoice | Promise<ConflictChoice>);

/**
 * Reads the stored row, and resolves the properties that both sides have changed.
 *
 * @throws as `reload` does; `entity.not-loaded`
 */
export async function resolveConflict(
  reader: EntityReader,
  tracker: ChangeTracker,
  entity: object,
  resolution: ConflictResolution,
  options: RequestOptions | undefined,
): Promise<void> {
  if (typeof resolution !== "function")
    checkArgument("resolveConflict(entity, resolution)", resolution, {
      ...oneOf("mine", "theirs"),
      takes: '"mine", "theirs" or a function',
    });
  const tracked = tracker.tracked(entity, "resolveConflict");
  const { snapshot, intent } = tracked;
  const isRemoved = intent.type === "remove";
  if (typeof resolution === "function" && isRemoved)
    throw nothingToChoose(tracked, "is marked to be deleted in this context");
  await reader.reload(tracked, resolution !== "theirs", options);
  if (resolution === "theirs") return;
  if (tracker.entities.ofEntity(entity) === undefined) {
    if (typeof resolution === "function")
      throw nothingToChoose(tracked, "is no longer stored, and was detached");
    if (snapshot !== undefined && !isRemoved) tracker.addAgain(entity, snapshot);
    return;
  }
  if (typeof resolution === "function")
    for (const conflict of tracked.conflicts) await choose(tracked, conflict, resolution);
  tracked.conflicts = [];
}

/** Calls the caller's function with copies of both sides. @throws StateError `validator.changed-entity` */
async function choose(
  { entity, model, key, snapshot }: TrackedEntity,
  conflict: PropertyConflict,
  resolution: (conflict: PropertyConflict) => ConflictChoice | Promise<ConflictChoice>,
): Promise<void> {
  const { property: name, theirs } = conflict;
  const property = findStored(model, name);
  const values = entity as Record<string, unknown>;
  const copyOf = (value: unknown): unknown => new Copies().property(property, value);
  const given = {
    property: name,
    base: copyOf(conflict.base),
    mine: copyOf(conflict.mine),
    theirs: copyOf(theirs),
  };
  const isAsGiven = sides.map((side) => isStill(property, given[side]));
  const choice = await resolution(given);
  if (typeof choice === "object" && choice !== null && "value" in choice) {
    assign(choice.value);
    return;
  }
  checkArgument("A resolution", choice, {
    ...oneOf("mine", "theirs"),
    takes: '"mine", "theirs" or { value }',
  });
  const changed = sides.find((side, i) => isAsGiven[i]?.(given[side]) === false);
  if (changed !== undefined) throw changedSide(subjectOf(model, key), model.name, name, changed);
  // For "mine", the entity already has the value.
  if (choice === "theirs") assign(theirs);

  function assign(value: unknown): void {
    if (property?.place === undefined) values[name] = value;
    else {
      const snapshotOf = snapshotValueIn(model, snapshot?.values ?? model.noValues);
      assignLeaves(values, [[property, value], ...storedMarkers(property, snapshotOf)]);
    }
  }
}

const sides = ["base", "mine", "theirs"] as const;

const changedSide = (subject: string, entity: string, property: string, side: string): StateError =>
  new StateError(
    "validator.changed-entity",
    `The function that chooses for ${subject} changed the copy of ${property} that it got as ${side}. This has no effect. Return the merged value: { value }.`,
    { entity, property },
  );

function nothingToChoose({ model, key }: TrackedEntity, why: string): StateError {
  return new StateError(
    "entity.nothing-to-choose",
    `${subjectOf(model, key)} ${why}, so properties cannot be chosen one by one. Resolve it as "mine" or "theirs"; to store a detached entity again, call add().`,
    { entity: model.name },
  );
}
