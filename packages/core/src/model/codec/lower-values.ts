// `unit-of-work/lower-change.ts` calls this file for changes of rows in an older form, if no other release has changed
// their values. All values are known then, so what to send follows from what changed.

import { annotationOf, type StoredEntity, type StoredEntityDraft } from "../../values/edm/stored-entity.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";
import { perModel } from "../declaration/per-model.ts";
import { isMissing, revertValues } from "../upgrade/convert-values.ts";
import { isAsInSnapshot } from "./comparison.ts";
import type { LaidProperty, LaidStep, OlderLayout, OlderValues } from "./older-layout.ts";
import { hostValueIn } from "./remembered-values.ts";
import { isStored, putEncoded } from "./snapshot.ts";

/** A merge of a row in an older form. */
export interface LoweredPart {
  /** The properties to send. */
  readonly part: StoredEntity;
  /** The values of the row after it. */
  readonly stored: OlderValues;
}

/**
 * The merge to send for a merge of present properties. Older values that the ways back give again are not sent, so they
 * keep their spelling.
 *
 * @param after - the snapshot values of the entity after the merge
 * @returns undefined if the merge would have to delete an older value, or a way back fails
 */
export function lowerPart(
  model: EntityModel,
  { rows: { properties }, steps }: OlderLayout,
  { values, older }: OlderValues,
  part: StoredEntity,
  after: readonly SnapshotValue[],
): LoweredPart | undefined {
  const { PartitionKey, RowKey } = part;
  const sent: StoredEntityDraft = { PartitionKey, RowKey };
  const now = [...values, ...older];
  const changed = new Set<number>();
  for (const name of Object.keys(part)) {
    const at = positionsOf(model).get(name);
    if (at === undefined) continue;
    const { storedName, annotationName } = properties[at] as PropertyModel;
    if (part[annotationOf(name)] !== undefined) sent[annotationName] = part[annotationOf(name)];
    sent[storedName] = part[name];
    now[at] = after[at];
    changed.add(at);
  }
  try {
    for (const step of steps.toReversed()) if (!takeBack(step)) return undefined;
  } catch {
    // The general way reports it.
    return undefined;
  }
  return { part: sent, stored: { values: now.slice(0, values.length), older: now.slice(values.length) } };

  /** Whether a merge can give the row the older values of a step. */
  function takeBack(step: LaidStep): boolean {
    const { reads, gives, taken } = step;
    const made = gives.filter(({ at }) => changed.has(at));
    if (made.length === 0) return true;
    // A function may make anything of a name that it both reads and gives.
    if (made.some(({ at }) => reads.some((read) => read.at === at))) return false;
    const given = gives.map((each) => hostValueIn(each, properties, now));
    const former = revertValues(step, given, { PartitionKey, RowKey });
    return taken.every((i) => {
      const { at } = reads[i] as LaidProperty;
      const property = properties[at] as PropertyModel;
      if (isMissing(former[i])) return !isStored(now[at]) && property.presence !== "required";
      if (isStored(now[at]) && isAsInSnapshot(property, now[at], former[i])) return true;
      now[at] = putEncoded(property, former[i], sent);
      changed.add(at);
      return true;
    });
  }
}

/** The positions of the present properties, by their stored names. */
const positionsOf = perModel(
  ({ properties }) => new Map(properties.map(({ storedName }, at) => [storedName, at])),
);
