import { checkChoice } from "../errors/unknown-option.ts";
import type { RequestOptions } from "../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isAsKept } from "../unit-of-work/detect-changes.ts";
import type { PropertyConflict, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { EntityReader } from "./entity-reader.ts";

/** How the two sides of an edit conflict are settled. */
export type Resolution = "mine" | "theirs" | ((conflict: PropertyConflict) => "mine" | "theirs");

/** Reads what is stored now, and settles what was edited on both sides. @throws as `reload` does; `entity.not-loaded` */
export async function resolveConflict(
  reader: EntityReader,
  tracker: ChangeTracker,
  entity: object,
  resolution: Resolution,
  options: RequestOptions | undefined,
): Promise<void> {
  if (typeof resolution !== "function")
    checkChoice("resolve(entity, resolution)", resolution, ["mine", "theirs"]);
  const tracked = tracker.tracked(entity, "resolve");
  const { snapshot, intent } = tracked;
  const isTaken = snapshot === undefined && intent.type !== "remove";
  const mine = { ...entity } as Readonly<Record<string, unknown>>;
  await reader.reload(tracked, resolution !== "theirs", options);
  if (resolution === "theirs") return;
  if (tracker.entities.ofEntity(entity) === undefined) {
    if (snapshot !== undefined && intent.type !== "remove") tracker.addAgain(entity, snapshot);
    return;
  }
  const conflicts = isTaken ? overTaken(tracked, mine) : tracked.conflicts;
  const values = entity as Record<string, unknown>;
  for (const conflict of conflicts) {
    const isTheirs = typeof resolution === "function" && resolution(conflict) === "theirs";
    values[conflict.property] = isTheirs ? conflict.theirs : conflict.mine;
  }
  tracked.conflicts = [];
}

/** What a new entity has that the row under its key has not, once that has taken its place. */
function overTaken(
  { model, snapshot, entity }: TrackedEntity,
  mine: Readonly<Record<string, unknown>>,
): PropertyConflict[] {
  if (snapshot === undefined) return [];
  const theirs = entity as Readonly<Record<string, unknown>>;
  return model.properties.flatMap((property, i) => {
    const { name } = property;
    if (mine[name] === undefined || isAsKept(property, snapshot.values[i], mine[name])) return [];
    return [{ property: name, base: undefined, mine: mine[name], theirs: theirs[name] }];
  });
}
