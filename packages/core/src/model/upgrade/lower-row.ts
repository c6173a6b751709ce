// `codec/supported-row.ts` calls this file to store entities in the form of the oldest version that is supported. It is the
// reverse of `upgrade-row.ts`, and was found with the same model.

import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import {
  type ChangeContext,
  droppedBy,
  isSameProperty,
  isSameValue,
  revertProperties,
  type StoredProperties,
  type StoredProperty,
} from "./convert-values.ts";
import { type PlacedStep, placeSteps, type PlacedSteps, propertiesIn } from "./place-steps.ts";
import type { Shape, StoredType } from "./step.ts";
import type { Conversion } from "./step-names.ts";
import type { UpgradeChain } from "./upgrade-chain.ts";
import { applyStep, madeBy, withProperties } from "./upgrade-row.ts";

/** A change of a row. */
interface RowChange {
  /** The stored row; undefined for a new one. */
  readonly stored: StoredEntity | undefined;
  /** What it is to be in the present form of its class, from what it is now. */
  readonly presentOf: (stored: StoredEntity | undefined) => StoredEntity;
  /** The name of the class, for messages. */
  readonly entity: string;
}

type Draft = (StoredProperty | undefined)[];

/**
 * Rows of a present form in that of an older version: its own names, and with them the values that steps with functions gave, under
 * the names of later versions, which are remembered for the releases that know them. What did not change stays in its every
 * digit.
 *
 * @param from - the version of the stored rows; for new rows, `form`
 * @param form - the version whose form they get; at least `from`
 * @returns a function that throws UpgradeError naming row, version and step
 */
export function rowLowering(
  chain: UpgradeChain,
  from: number,
  form: number,
): (change: RowChange) => StoredEntity {
  const placed = placeSteps(chain, from);
  const first = placed.steps.findIndex(({ version }) => version > form);
  const own = placesOf(placed, chain.shapes[form - 1] as Shape);
  const isRaised = form > from;
  return ({ stored, presentOf, entity }) => {
    const levels = stored && levelsOf(placed, stored, entity);
    const present = presentOf(stored && withProperties(placed, stored, levels?.at(-1) ?? []));
    const kept = levels === undefined || isRaised ? [] : (levels[0] as StoredProperties);
    const after = propertiesIn(placed, present);
    const written = [...kept];
    const isWhole = levels === undefined || isRaised;
    let is = after;
    for (let at = placed.steps.length - 1; at >= first; at--) {
      const step = placed.steps[at] as PlacedStep;
      const context = { row: present, entity, version: step.version };
      is = stepBack(step, { levels, at, is, isWhole, written }, context);
    }
    for (const place of own)
      if (isWhole || !isSameProperty(levels[first]?.[place], is[place])) written[place] = is[place];
    return withProperties(placed, present, written);
  };
}

const placesOf = ({ members }: PlacedSteps, shape: Shape): number[] =>
  members.flatMap(({ name }, place) => (Object.hasOwn(shape, name) ? [place] : []));

/** What the properties of a stored row are before each step, and after the last. */
function levelsOf(placed: PlacedSteps, row: StoredEntity, entity: string): StoredProperties[] {
  const properties = [...propertiesIn(placed, row)];
  const levels: StoredProperties[] = [[...properties]];
  for (const step of placed.steps) {
    applyStep(step, properties, { row, entity, version: step.version });
    levels.push([...properties]);
  }
  return levels;
}

interface Lowering {
  /** Of the stored row. */
  readonly levels: readonly StoredProperties[] | undefined;
  /** The position of the step. */
  readonly at: number;
  /** What the properties are to be after the step. */
  readonly is: StoredProperties;
  /** Whether all of the row is written, not only what changed. */
  readonly isWhole: boolean;
  /** Receives what the row has under the names that the step gives. */
  readonly written: Draft;
}

/** What the properties are to be before a step. */
function stepBack(placed: PlacedStep, lowering: Lowering, context: ChangeContext): StoredProperties {
  const { step, reads, sources, targets } = placed;
  const { levels, at, is, isWhole, written } = lowering;
  const [former, was] = [levels?.[at], levels?.[at + 1]];
  const isChanged = (place: number): boolean => was === undefined || !isSameProperty(was[place], is[place]);
  const below = [...is];
  for (const place of targets) if (!sources.includes(place)) below[place] = undefined;
  switch (step.op) {
    case "rename":
      below[sources[0] as number] = is[targets[0] as number];
      break;
    case "add": {
      const [place] = targets as [number];
      if (isWhole || isChanged(place)) written[place] = is[place];
      break;
    }
    case "remove": {
      const [place] = sources as [number];
      const type = reads[0]?.type as StoredType;
      below[place] = former === undefined ? droppedBy(step, type, context) : former[place];
      break;
    }
    case "retype":
    case "split":
    case "join":
    case "free": {
      const given = targets.filter((place) => !sources.includes(place));
      const hasChanged = given.some(isChanged);
      const older = hasChanged
        ? revert(placed as PlacedStep<Conversion>, lowering, context)
        : sources.map((place) => former?.[place]);
      for (const [i, place] of sources.entries()) if (!targets.includes(place)) below[place] = older[i];
      if (hasChanged || isWhole) for (const place of given) written[place] = is[place];
      break;
    }
    default:
      return step satisfies never;
  }
  return below;
}

/** What the step takes for what it gives. Parts that the change does not affect stay, if the row is read the same with them. */
function revert(
  placed: PlacedStep<Conversion>,
  { levels, at, is }: Lowering,
  context: ChangeContext,
): StoredProperties {
  const { reads, gives, sources, targets } = placed;
  const [former, was] = [levels?.[at], levels?.[at + 1]];
  const made = targets.map((place) => is[place]);
  const older = revertProperties(placed, made, context);
  if (former === undefined || was === undefined || sources.length === 1) return older;
  const given = targets.map((place) => was[place]);
  const before = revertProperties(placed, given, context);
  const spared = sources.map((place, i) =>
    isSameValue(reads[i]?.type, older[i], before[i], context) ? former[place] : older[i],
  );
  const read = madeBy(placed, spared, made, context);
  const isSame = gives.every(({ type }, i) => isSameValue(type, read[i], made[i], context));
  return isSame ? spared : older;
}
