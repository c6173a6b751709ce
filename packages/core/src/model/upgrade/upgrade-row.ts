import {
  annotationOf,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import {
  addedBy,
  type ChangeContext,
  type ChangeStep,
  convertProperties,
  nameTaken,
  sourcesOf,
  type StoredProperty,
  stepsTo,
  targetsOf,
} from "./convert-values.ts";
import type { UpgradeChain } from "./upgrades.ts";

/** A step, and the positions of the properties that it takes and gives among all that the steps name. */
interface PlacedStep extends ChangeStep {
  readonly version: number;
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

type Properties = (StoredProperty | undefined)[];

/**
 * Upgrades rows of one version to what the last version stores, the version itself excepted, change by change. The row
 * itself is not touched; properties that no version declares stay, with their types.
 *
 * @param from - the version the rows have
 * @returns a function that throws UpgradeError naming row, version and step
 */
export function rowUpgrade(
  chain: UpgradeChain,
  from: number,
): (row: StoredEntity, entity: string) => StoredEntityDraft {
  // Names are looked up once: rows in a table may be upgraded by the million.
  const names: string[] = [];
  const placeOf = (name: string): number => {
    const place = names.indexOf(name);
    return place >= 0 ? place : names.push(name) - 1;
  };
  const steps: PlacedStep[] = [];
  for (let version = from + 1; version <= chain.version; version++)
    for (const { step, types } of stepsTo(chain, version))
      steps.push({
        step,
        types,
        version,
        sources: sourcesOf(step).map(placeOf),
        targets: Object.keys(targetsOf(step)).map(placeOf),
      });
  const members = names.map((name) => ({ name, annotationName: annotationOf(name) }));
  const changing = new Set(members.flatMap(({ name, annotationName }) => [name, annotationName]));
  return (row, entity) => {
    const properties = members.map(({ name, annotationName }) => {
      const value = row[name];
      return value === undefined ? undefined : { value, annotation: row[annotationName] };
    });
    for (const step of steps) apply(step, names, properties, { row, entity, version: step.version });
    const upgraded: StoredEntityDraft = { PartitionKey: row.PartitionKey, RowKey: row.RowKey };
    for (const name in row) if (!changing.has(name)) setMember(upgraded, name, row[name]);
    for (let i = 0; i < members.length; i++) {
      const [member, property] = [members[i] as (typeof members)[number], properties[i]];
      if (property?.annotation !== undefined) setMember(upgraded, member.annotationName, property.annotation);
      if (property !== undefined) setMember(upgraded, member.name, property.value);
    }
    return upgraded;
  };
}

function apply(
  { step, types, sources, targets }: PlacedStep,
  names: readonly string[],
  properties: Properties,
  context: ChangeContext,
): void {
  // A row that has the property already was written by somebody who knew of it.
  if (step.op === "add" && properties[targets[0] as number] !== undefined) return;
  const found = sources.map((place) => properties[place]);
  const made = madeBy(step, types, found, context);
  for (const place of sources) properties[place] = undefined;
  for (let i = 0; i < made.length; i++) {
    const place = targets[i] as number;
    if (properties[place] !== undefined) throw nameTaken(step, names[place] as string, context);
    properties[place] = made[i];
  }
}

function madeBy(
  step: ChangeStep["step"],
  types: ChangeStep["types"],
  found: Readonly<Properties>,
  context: ChangeContext,
): Readonly<Properties> {
  switch (step.op) {
    case "rename":
      return found;
    case "add":
      return [addedBy(step, context)];
    case "remove":
      return [];
    case "retype":
    case "split":
    case "join":
    case "free":
      return convertProperties(step, types, found, context);
    default:
      return step satisfies never;
  }
}
