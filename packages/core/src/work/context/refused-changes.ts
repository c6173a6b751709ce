import { valueIn } from "../../model/codec/embedded-values.ts";
import type { PropertyModel } from "../../model/declaration/entity-model.ts";
import type { SaveError } from "../save/save-error.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { RefusedChange, TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** Remembers the pending changes that a save refused and reported. */
export function noteRefused({ results }: SaveError, { entities }: ChangeTracker): void {
  for (const { entity, outcome } of results) {
    const entry = entities.ofEntity(entity);
    if (entry !== undefined) entry.refused = outcome === "rejected" ? changeOf(entry) : undefined;
  }
}

/**
 * Whether the last save refused this pending change and reported it. Closing the context need not report it again. If
 * the entity was edited, reloaded or resolved since then, it is a different change.
 */
export function isAsRefused(entry: TrackedEntity): boolean {
  if (entry.refused === undefined) return false;
  const { intent, before, values } = changeOf(entry);
  const { refused } = entry;
  return (
    refused.intent === intent &&
    refused.before === before &&
    values.every((value, i) => Object.is(value, refused.values[i]))
  );
}

const changeOf = ({ entity, model, intent, values }: TrackedEntity): RefusedChange => ({
  intent,
  before: values,
  values: model.properties.map((property) => valueOf(entity, property)),
});

function valueOf(entity: object, property: PropertyModel): unknown {
  try {
    return valueIn(property, entity as Readonly<Record<string, unknown>>);
  } catch (error) {
    // A property that throws when it is read.
    return error;
  }
}
