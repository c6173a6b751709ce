import type { SaveError } from "../save/save-error.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** A pending change as it was when a save refused it. */
interface RefusedChange {
  readonly intent: TrackedEntity["intent"];
  /** Of the snapshot. */
  readonly before: TrackedEntity["values"];
  readonly values: readonly unknown[];
}

/**
 * Remembers which pending changes the last save refused and reported: that they are not stored is no news when the context is
 * closed. What was edited, read anew or resolved since is another change.
 */
export class RefusedChanges {
  /** Made when there is one. */
  #changes: WeakMap<object, RefusedChange> | undefined;

  note(error: SaveError, tracker: ChangeTracker): void {
    const changes = (this.#changes ??= new WeakMap());
    for (const { entity } of error.results) changes.delete(entity);
    for (const { entity } of error.rejected) {
      const entry = tracker.entities.ofEntity(entity);
      if (entry !== undefined) changes.set(entity, changeOf(entry));
    }
  }

  has(entry: TrackedEntity): boolean {
    const refused = this.#changes?.get(entry.entity);
    if (refused === undefined) return false;
    const { intent, before, values } = changeOf(entry);
    return (
      refused.intent === intent &&
      refused.before === before &&
      values.every((value, i) => Object.is(value, refused.values[i]))
    );
  }
}

const changeOf = ({ entity, model, intent, values }: TrackedEntity): RefusedChange => ({
  intent,
  before: values,
  values: model.properties.map(({ name }) => valueOf(entity, name)),
});

function valueOf(entity: object, name: string): unknown {
  try {
    return (entity as Readonly<Record<string, unknown>>)[name];
  } catch (error) {
    // A property that throws when it is read.
    return error;
  }
}
