import { annotationOf, type StoredEntity } from "../../values/edm/stored-entity.ts";
import type { StoredProperties, StoredProperty } from "./convert-values.ts";
import { type ChangeStep, type Conversion, stepsTo } from "./step-names.ts";
import type { NamedStep } from "./step.ts";
import type { UpgradeChain } from "./upgrade-chain.ts";

/** A step, and the places of the properties that it takes and gives among all that steps name. */
export interface PlacedStep<Step = NamedStep | Conversion> extends ChangeStep<Step> {
  /** The version it leads to. */
  readonly version: number;
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

/** The members of a row that hold a property. */
interface PropertyMembers {
  readonly name: string;
  readonly annotationName: string;
}

/** The steps from one version to the last, and the properties that they name, each at its place. */
export interface PlacedSteps {
  readonly steps: readonly PlacedStep[];
  readonly members: readonly PropertyMembers[];
  /** Every member of a row that steps may change. */
  readonly changing: ReadonlySet<string>;
}

/** Names are looked up once: rows in a table may be upgraded by the million. */
export function placeSteps(chain: UpgradeChain, from: number): PlacedSteps {
  const names: string[] = [];
  const placeOf = (name: string): number => {
    const place = names.indexOf(name);
    return place >= 0 ? place : names.push(name) - 1;
  };
  const steps: PlacedStep[] = [];
  for (let version = from + 1; version <= chain.version; version++)
    for (const each of stepsTo(chain, version))
      steps.push({
        ...each,
        version,
        sources: each.reads.map(({ name }) => placeOf(name)),
        targets: each.gives.map(({ name }) => placeOf(name)),
      });
  const members = names.map((name) => ({ name, annotationName: annotationOf(name) }));
  const changing = new Set(members.flatMap(({ name, annotationName }) => [name, annotationName]));
  return { steps, members, changing };
}

/** The properties of a row that steps name, by place. */
export const propertiesIn = ({ members }: PlacedSteps, row: StoredEntity): StoredProperties =>
  members.map((each) => propertyIn(row, each));

function propertyIn(
  row: StoredEntity,
  { name, annotationName }: PropertyMembers,
): StoredProperty | undefined {
  const value = row[name];
  return value === undefined ? undefined : { value, annotation: row[annotationName] };
}
