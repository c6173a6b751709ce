// Values inside of embedded objects. Whatever compares, sends or assigns the values of properties one by one goes through this
// file, so that it handles leaves as it handles other properties.

import { SerializationError } from "../../values/errors/serialization-error.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import {
  type EmbeddedModel,
  type EmbeddedPlace,
  type EntityModel,
  type PropertyModel,
  rootOf,
} from "../declaration/entity-model.ts";
import { buildObject, memberValues } from "../declaration/embedded-object.ts";
import { perModel } from "../declaration/per-model.ts";
import { keepInitial } from "./initial-value.ts";
import { isAbsent, isGiven } from "./is-absent.ts";
import { isStored, type LoadedProperties, notLoaded } from "./snapshot.ts";

type Values = Readonly<Record<string, unknown>>;

/** The value of a stored property of an entity; the marker of an object has the object as its value. */
export const valueIn = (property: ValueModel, entity: Values): unknown =>
  property.place === undefined ? entity[property.name] : leafIn(property, property.place, entity);

type ValueModel = Pick<PropertyModel, "name" | "place" | "serializer">;

function leafIn({ serializer }: ValueModel, { of, member }: EmbeddedPlace, entity: Values): unknown {
  const object = objectIn(of, entity);
  if (member === undefined) return object;
  // An object that is null has no leaves, as a request; of JSON, null would be a value.
  return object === null && serializer.isJson !== true ? null : memberOf(object, member);
}

/** An embedded object of an entity; undefined or null where it has none. */
export function objectIn({ parent, member }: EmbeddedModel, entity: Values): unknown {
  const holder = parent === undefined ? entity : objectIn(parent, entity);
  return holder === null ? null : memberOf(holder, member);
}

const memberOf = (object: unknown, member: string): unknown => (object as Values | undefined)?.[member];

/** The same as generated code, over the entity `e`; undefined for a leaf of an object that is null. */
export function valueCode({ name, place }: PropertyModel): string {
  if (place === undefined) return `e[${JSON.stringify(name)}]`;
  const path: string[] = place.member === undefined ? [] : [place.member];
  for (let of: EmbeddedModel | undefined = place.of; of !== undefined; of = of.parent)
    path.unshift(of.member);
  return `e${path.map((member, i) => `${i === 0 ? "" : "?."}[${JSON.stringify(member)}]`).join("")}`;
}

/**
 * Refuses a required property without a value. A leaf is required where its object is there, or has to be.
 *
 * @throws SerializationError `property.required`, or `edm.wrong-type` for something else than an object
 */
export function checkGiven({ presence, place, path }: PropertyModel, entity: object): void {
  if (presence !== "required") return;
  if (place !== undefined && !isMissing(place, entity as Values)) return;
  throw SerializationError.required(path);
}

function isMissing({ of, member }: EmbeddedPlace, entity: Values): boolean {
  const object = objectIn(of, entity);
  if (!isGiven(object)) return mustBeThere(of, entity);
  if (typeof object !== "object" || Array.isArray(object))
    throw SerializationError.wrongType(of.path, "an object", object);
  return member !== undefined;
}

function mustBeThere({ isRequired, parent }: EmbeddedModel, entity: Values): boolean {
  if (!isRequired || parent === undefined) return isRequired;
  return isGiven(objectIn(parent, entity)) || mustBeThere(parent, entity);
}

/** Makes an object of the values of its leaves; undefined where none of them shows it. */
function objectOf(of: EmbeddedModel, valueOf: (property: PropertyModel) => unknown): object | undefined {
  const values = memberValues(
    of,
    (leaf) => {
      const value = valueOf(leaf);
      return isAbsent(leaf, value) ? undefined : value;
    },
    (part) => objectOf(part, valueOf),
  );
  const isMarked = of.marker !== undefined && isGiven(valueOf(of.marker));
  const isThere = isMarked || Object.values(values).some((value) => value !== undefined);
  return isThere ? buildObject(of, values) : undefined;
}

/**
 * Whether the program decided on an object as a whole: it cleared one that was stored, or assigned one before anything of it
 * was read. Leaves without a value are edits then.
 */
export function isDecided(
  { place }: PropertyModel,
  entity: Values,
  snapshotOf: (property: PropertyModel) => SnapshotValue,
): boolean {
  for (let of = place?.of; of !== undefined; of = of.parent) {
    const object = objectIn(of, entity);
    if (object !== undefined && !holds(of, (each) => snapshotOf(each) !== notLoaded)) return true;
    if (!isGiven(object) && holds(of, (each) => isStored(snapshotOf(each)))) return true;
  }
  return false;
}

/** Whether one of the stored properties of an object is such a one. */
const holds = ({ marker, leaves, parts }: EmbeddedModel, is: (property: PropertyModel) => boolean): boolean =>
  (marker !== undefined && is(marker)) || leaves.some(is) || parts.some((part) => holds(part, is));

/** The snapshot value of a property, in the snapshot values of its model. */
export const snapshotValueIn =
  (model: EntityModel, values: readonly SnapshotValue[]) =>
  (property: PropertyModel): SnapshotValue =>
    values[positionsOf(model).get(property) ?? -1];

/** The columns that show the objects around a leaf without values of their own, where they are stored. */
export function storedMarkers(
  { place }: PropertyModel,
  snapshotOf: (property: PropertyModel) => SnapshotValue,
): LeafValue[] {
  const found: LeafValue[] = [];
  for (let of = place?.of; of !== undefined; of = of.parent)
    if (of.marker !== undefined && isStored(snapshotOf(of.marker))) found.push([of.marker, true]);
  return found;
}

/** The value of a leaf that is to be assigned. */
export type LeafValue = readonly [property: PropertyModel, value: unknown];

/** Assigns a value to a property of an entity, or adds it to the leaves that `assignLeaves` assigns together. */
export function assignValue(
  entity: Record<string, unknown>,
  property: PropertyModel,
  value: unknown,
  leaves: LeafValue[],
): void {
  if (property.place === undefined) entity[property.name] = value;
  else leaves.push([property, value]);
}

/** Gives leaves their values: an object with other values is built anew, and keeps its other leaves. */
export function assignLeaves(entity: Record<string, unknown>, leaves: readonly LeafValue[]): void {
  if (leaves.length === 0) return;
  const changed = leaves.filter(([property, value]) => !isSame(property, valueIn(property, entity), value));
  const given = new Map(leaves);
  const valueOf = (property: PropertyModel): unknown => {
    if (given.has(property)) return given.get(property);
    const value = valueIn(property, entity);
    // An object that its leaves show goes with them.
    return isAbsent(property, value) ? undefined : value;
  };
  for (const of of new Set(changed.map(([{ place }]) => rootOf((place as EmbeddedPlace).of))))
    entity[of.member] = objectOf(of, valueOf);
}

/** The value of a marker is there or not. */
const isSame = ({ place }: PropertyModel, value: unknown, other: unknown): boolean =>
  place?.member === undefined ? isGiven(value) === isGiven(other) : Object.is(value, other);

/**
 * Makes the embedded objects of an entity that was read. One that the row lacks stays as the constructor made it.
 *
 * @param values - the values of the leaves, at the positions of the model
 * @throws SerializationError `property.absent` where a required object, or a required leaf of one, has no value
 */
export function placeEmbedded(
  model: EntityModel,
  entity: Record<string, unknown>,
  values: readonly unknown[],
  { snapshotValues, loaded }: PlaceOptions,
): void {
  const positions = positionsOf(model);
  const valueOf = (property: PropertyModel): unknown => values[positions.get(property) ?? -1];
  for (const of of model.embedded ?? []) {
    if (loaded !== undefined && !isLoaded(of)) continue;
    const object = objectOf(of, valueOf);
    if (object !== undefined || entity[of.member] === undefined) {
      entity[of.member] = object;
      checkStored(of, object, valueOf);
    } else if (snapshotValues !== undefined)
      for (const [property, i] of positions)
        if (property.place !== undefined && rootOf(property.place.of) === of)
          snapshotValues[i] = keepInitial(property, valueIn(property, entity));
  }

  function isLoaded({ leaves, parts }: EmbeddedModel): boolean {
    const [leaf] = leaves;
    return leaf === undefined ? parts.some(isLoaded) : loaded?.[positions.get(leaf) ?? -1] === true;
  }
}

interface PlaceOptions {
  /** Receives what the constructor assigned. */
  readonly snapshotValues?: SnapshotValue[];
  readonly loaded?: LoadedProperties;
}

const positionsOf = perModel(
  ({ properties }) => new Map(properties.map((property, i) => [property, i] as const)),
);

/** Whether an object that was read has what is required of it. */
function checkStored(
  of: EmbeddedModel,
  object: unknown,
  valueOf: (property: PropertyModel) => unknown,
): void {
  if (object === undefined) {
    if (of.isRequired) throw SerializationError.absent(of.path, of.storedName);
    return;
  }
  for (const leaf of of.leaves)
    if (leaf.presence === "required" && valueOf(leaf) === undefined)
      throw SerializationError.absent(leaf.path, leaf.storedName);
  for (const part of of.parts) checkStored(part, memberOf(object, part.member), valueOf);
}
