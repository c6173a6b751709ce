// Scanners and snapshots call this file for classes that support an older version. Their rows have the form of that
// version, so code that is compiled for the present names does not fit them. A second model with the older names does.

import type { SnapshotValue } from "../../values/edm/serializer.ts";
import {
  keepsOlderForm,
  type EntityModel,
  type PropertyModel,
  storedUnder,
  type VersionModel,
} from "../declaration/entity-model.ts";
import { perModel } from "../declaration/per-model.ts";
import { type PlacedStep, type PlacedSteps, placeSteps } from "../upgrade/place-steps.ts";
import { isRequired, readerOf } from "../upgrade/convert-values.ts";
import type { StoredType } from "../upgrade/step.ts";
import type { Conversion, StepProperty } from "../upgrade/step-names.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";

/** A step with a function, and the positions of its properties in the older layout. */
export interface LaidStep {
  readonly step: Conversion;
  readonly reads: readonly LaidProperty[];
  readonly gives: readonly LaidProperty[];
  /** The positions in `reads` of those that only older releases know. */
  readonly taken: readonly number[];
}

/** A property that a step reads or gives, with its position in the older layout. */
export interface LaidProperty extends StepProperty {
  readonly at: number;
}

/** How the rows of a class store its properties while an older version is supported. */
export interface OlderLayout {
  /**
   * The class as these rows have it: its own properties at their positions, under the names that the rows store them
   * under, followed by the properties that only older releases know. Those have no place in an entity.
   */
  readonly rows: EntityModel;
  readonly steps: readonly LaidStep[];
  /** The positions of added properties: a row without one gets the value of its step. */
  readonly added: readonly number[];
}

/** The snapshot values of a row in the older layout. */
export interface OlderValues {
  /** Of the class's own properties. */
  readonly values: readonly SnapshotValue[];
  /** Of the properties that only older releases know. */
  readonly older: readonly SnapshotValue[];
}

/** The layout of the rows of a class that supports an older version; undefined for other classes, and for index rows. */
export const olderLayoutOf = (model: EntityModel): OlderLayout | undefined =>
  keepsOlderForm(model) && model.index === undefined ? layoutIn(model).layout : undefined;

const layoutIn = perModel((model): { readonly layout: OlderLayout | undefined } => ({
  layout: layOut(model),
}));

/** A member of the rows, and the type of its values where a step reads or gives it first. */
interface Slot {
  readonly name: string;
  readonly type: StoredType | undefined;
}

function layOut(model: EntityModel): OlderLayout | undefined {
  const version = model.version as VersionModel;
  const placed = placeSteps(version.chain as UpgradeChain, version.lowest);
  const slots = slotsOf(placed);
  const own = model.properties.map(({ storedName }): Slot => {
    const place = placed.members.findIndex(({ name }) => name === storedName);
    return slots[place] ?? { name: storedName, type: undefined };
  });
  const all = [...new Set([...own, ...slots])];
  // The upgrade of each row knows what a name with two meanings has in it.
  if (new Set(all.map(({ name }) => name)).size < all.length) return undefined;
  const older = all.slice(model.properties.length).map((slot) => olderProperty(model.name, slot));
  const at = (place: number): number => all.indexOf(slots[place] as Slot);
  const isAdded = ({ step }: PlacedStep): boolean => step.op === "add" && step.value !== undefined;
  return {
    rows: {
      ...model,
      version: { ...version, number: version.lowest },
      properties: [...model.properties.map((property, i) => storedAs(property, own[i] as Slot)), ...older],
      emptyImage: noMembers,
    },
    steps: placed.steps.filter(isConversion).map((each) => layStep(each, at)),
    added: placed.steps.filter(isAdded).flatMap(({ targets }) => targets.map(at)),
  };
}

/** The members that hold the properties of each place: a property that is renamed keeps its oldest name. */
function slotsOf({ steps, members }: PlacedSteps): Slot[] {
  const slots: Slot[] = [];
  for (const { step, reads, gives, sources, targets } of steps) {
    const slotAt = (place: number, type: StoredType | undefined): Slot =>
      (slots[place] ??= { name: members[place]?.name as string, type });
    for (const [i, place] of sources.entries()) slotAt(place, reads[i]?.type);
    if (step.op === "rename") slots[targets[0] as number] = slots[sources[0] as number] as Slot;
    for (const [i, place] of targets.entries()) slotAt(place, gives[i]?.type);
  }
  return slots;
}

const isConversion = (placed: PlacedStep): placed is PlacedStep<Conversion> =>
  !["rename", "add", "remove"].includes(placed.step.op);

function layStep(
  { step, reads, gives, taken, sources, targets }: PlacedStep<Conversion>,
  at: (place: number) => number,
): LaidStep {
  return {
    step,
    taken,
    reads: reads.map((property, i) => ({ ...property, at: at(sources[i] as number) })),
    gives: gives.map((property, i) => ({ ...property, at: at(targets[i] as number) })),
  };
}

const storedAs = (property: PropertyModel, { name }: Slot): PropertyModel =>
  property.storedName === name ? property : { ...property, ...storedUnder(name) };

/** A property that entities do not have. */
const olderProperty = (entity: string, { name, type }: Slot): PropertyModel => ({
  ...noProperty,
  presence: isRequired(type as StoredType) ? "required" : "optional",
  ...storedUnder(name),
  name,
  serializer: readerOf(type as StoredType),
  path: { entity, property: name },
  lastInitial: {},
});

const noProperty = {
  fill: undefined,
  onSave: undefined,
  initial: undefined,
  hasInitial: () => false,
  defaultStored: () => undefined,
  isHidden: true,
  isStoredAsOther: false,
  place: undefined,
  isOlder: true,
} as const;

const noMembers = { PartitionKey: "", RowKey: "" };
