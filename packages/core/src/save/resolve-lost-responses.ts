import { isStored } from "../codec/snapshot.ts";
import { resolveAttempts } from "../recovery/resolve-attempts.ts";
import { isEdited } from "../unit-of-work/entity-state.ts";
import { RewrittenProperties, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { entriesOf, findReady, type Save } from "./save.ts";

/** Finds out what earlier saves left in doubt, before anything is sent for the same rows. */
export async function resolveEarlier(save: Save): Promise<void> {
  const { known, blocked } = await resolveAttempts(save.source, entriesOf(save.ready), save.options);
  save.resolved = known;
  for (const one of blocked) save.blocked.set(one.entry, one);
  findReady(save);
}

/**
 * Has an entity written that has nothing to save, while an earlier write of it may yet be applied: its row gets a new ETag,
 * so that the earlier write no longer can.
 */
export function keepEarlierOut(save: Save): void {
  for (const { entry } of save.ready) rewriteInDoubt(entry);
  findReady(save);
}

function rewriteInDoubt(entry: TrackedEntity): void {
  const { isInDoubt, intent, explicitlyModified, model, snapshot, entity } = entry;
  if (!isInDoubt || intent.type !== "none" || explicitlyModified !== undefined || isEdited(entry)) return;
  const values = entity as Readonly<Record<string, unknown>>;
  const stored = model.properties.find(({ name }, i) => {
    return isStored(snapshot?.values[i]) && values[name] !== undefined && values[name] !== null;
  });
  if (stored !== undefined) entry.explicitlyModified = new RewrittenProperties([stored]);
}
