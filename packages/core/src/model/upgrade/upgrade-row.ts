// `codec/current-row.ts` calls this file for rows of older versions, and for rows that keep the form of an older version
// because a release that knows only that is still supported. The rules were found with a model of releases side by side; each
// of them, left out, loses a write within a few acts.

import { setMember, type StoredEntity, type StoredEntityDraft } from "../../values/edm/stored-entity.ts";
import {
  addedBy,
  type ChangeContext,
  convertProperties,
  isSameValue,
  revertProperties,
  type StoredProperties,
  type StoredProperty,
} from "./convert-values.ts";
import { placeSteps, type PlacedStep, type PlacedSteps, propertiesIn } from "./place-steps.ts";
import type { Conversion } from "./step-names.ts";
import type { UpgradeChain } from "./upgrade-chain.ts";

/**
 * Upgrades rows of one version to what the last version stores, the version itself excepted, change by change. The row
 * itself is not touched; properties that no version declares stay, with their types.
 *
 * The names of the row's own version decide. A newer release may have stored properties under the names of later versions as
 * well: such remembered values stand as long as an older release has not changed what they were made from.
 *
 * @param from - the version the rows have
 * @returns a function that throws UpgradeError naming row, version and step
 */
export function rowUpgrade(
  chain: UpgradeChain,
  from: number,
): (row: StoredEntity, entity: string) => StoredEntityDraft {
  const placed = placeSteps(chain, from);
  return (row, entity) => {
    const properties = [...propertiesIn(placed, row)];
    for (const step of placed.steps) applyStep(step, properties, { row, entity, version: step.version });
    return withProperties(placed, row, properties);
  };
}

/** A row with other values for the properties that steps name, without its system values. */
export function withProperties(
  { members, changing }: PlacedSteps,
  row: StoredEntity,
  properties: StoredProperties,
): StoredEntityDraft {
  const made: StoredEntityDraft = { PartitionKey: row.PartitionKey, RowKey: row.RowKey };
  for (const name in row) if (!changing.has(name)) setMember(made, name, row[name]);
  for (const [i, { name, annotationName }] of members.entries()) {
    const property = properties[i];
    if (property?.annotation !== undefined) setMember(made, annotationName, property.annotation);
    if (property !== undefined) setMember(made, name, property.value);
  }
  return made;
}

/** Replaces the properties that a step takes by those that it gives, each at its place. */
export function applyStep(
  placed: PlacedStep,
  properties: (StoredProperty | undefined)[],
  context: ChangeContext,
): void {
  const { sources, targets } = placed;
  const found = sources.map((place) => properties[place]);
  // A name that is both taken and given has nothing remembered.
  const remembered = targets.map((place) => (sources.includes(place) ? undefined : properties[place]));
  const made = madeBy(placed, found, remembered, context);
  for (const place of sources) properties[place] = undefined;
  for (const [i, place] of targets.entries()) properties[place] = made[i];
}

/** What a step gives for what it takes, where the row may have the one, the other, or both. */
export function madeBy(
  placed: PlacedStep,
  found: StoredProperties,
  remembered: StoredProperties,
  context: ChangeContext,
): StoredProperties {
  const { step } = placed;
  switch (step.op) {
    case "rename":
      return [found[0] ?? remembered[0]];
    case "add":
      return [remembered[0] ?? addedBy(step, context)];
    case "remove":
      return [];
    case "retype":
    case "split":
    case "join":
    case "free": {
      const conversion = placed as PlacedStep<Conversion>;
      return remembered.some((each) => each !== undefined)
        ? reconciled(conversion, found, remembered, context)
        : convertProperties(conversion, found, context);
    }
    default:
      return step satisfies never;
  }
}

/**
 * Remembered values stand if they still mean what the older properties say. Otherwise an older release has changed those:
 * they are converted again. Of several values, those that the change does not affect stay.
 */
function reconciled(
  conversion: PlacedStep<Conversion>,
  found: StoredProperties,
  remembered: StoredProperties,
  context: ChangeContext,
): StoredProperties {
  const { step, reads, gives, taken, sources, targets } = conversion;
  const isShared = taken.length < reads.length;
  const complete = isShared
    ? targets.map((place, i) => remembered[i] ?? found[sources.indexOf(place)])
    : remembered;
  if (step.back === undefined) {
    const isOlder = taken.some((at) => found[at] !== undefined);
    return isOlder ? convertProperties(conversion, found, context) : complete;
  }
  const reverted = revertProperties(conversion, complete, context);
  if (taken.every((at) => isSameValue(reads[at]?.type, reverted[at], found[at], context))) return complete;
  const now = convertProperties(conversion, found, context);
  if (gives.length === 1) return now;
  const before = convertProperties(conversion, reverted, context);
  return gives.map(({ type }, i) => (isSameValue(type, now[i], before[i], context) ? complete[i] : now[i]));
}
