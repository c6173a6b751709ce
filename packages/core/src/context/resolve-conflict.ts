import { StateError } from "../errors/state-error.ts";
import { oneOf } from "../options/checks.ts";
import { checkArgument } from "../options/define-options.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import type { RequestOptions } from "../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { PropertyConflict, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { EntityReader } from "./entity-reader.ts";

/** What a property is to be: this side's value, or another one, merged of both. */
export type Choice = "mine" | "theirs" | { readonly value: unknown };

/** How the two sides of an edit conflict are resolved: one of them, or one choice for each property in conflict. */
export type Resolution = "mine" | "theirs" | ((conflict: PropertyConflict) => Choice | Promise<Choice>);

/** Reads what is stored now, and resolves what was edited on both sides. @throws as `reload` does; `entity.not-loaded` */
export async function resolveConflict(
  reader: EntityReader,
  tracker: ChangeTracker,
  entity: object,
  resolution: Resolution,
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
  if (typeof resolution === "function" && isRemoved) throw nothingToChoose(tracked, "is to be removed here");
  await reader.reload(tracked, resolution !== "theirs", options);
  if (resolution === "theirs") return;
  if (tracker.entities.ofEntity(entity) === undefined) {
    if (typeof resolution === "function")
      throw nothingToChoose(tracked, "is no longer stored, and was detached");
    if (snapshot !== undefined && !isRemoved) tracker.addAgain(entity, snapshot);
    return;
  }
  const values = entity as Record<string, unknown>;
  for (const conflict of tracked.conflicts) {
    const choice = typeof resolution === "function" ? await resolution(conflict) : resolution;
    values[conflict.property] = valueOf(choice, conflict);
  }
  tracked.conflicts = [];
}

function valueOf(choice: Choice, { mine, theirs }: PropertyConflict): unknown {
  if (typeof choice === "object" && choice !== null && "value" in choice) return choice.value;
  checkArgument("A resolution", choice, {
    ...oneOf("mine", "theirs"),
    takes: '"mine", "theirs" or { value }',
  });
  return choice === "mine" ? mine : theirs;
}

function nothingToChoose({ model, key }: TrackedEntity, why: string): StateError {
  return new StateError(
    "entity.nothing-to-choose",
    `${subjectOf(model, key)} ${why}, so there is nothing to choose property by property. Resolve it as "mine" or "theirs"; add() stores one again that was detached.`,
    { entity: model.name },
  );
}
