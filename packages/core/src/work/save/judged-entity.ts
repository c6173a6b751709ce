import { isAsInSnapshot } from "../../model/codec/comparison.ts";
import { comparable } from "../../model/codec/decode-entity.ts";
import { notLoaded, putEncoded } from "../../model/codec/snapshot.ts";
import { valueIn } from "../../model/codec/embedded-values.ts";
import { isGiven } from "../../model/codec/is-absent.ts";
import {
  type EntityModel,
  findEmbedded,
  memberNameOf,
  propertiesNamed,
  type PropertyModel,
  propertyNames,
} from "../../model/declaration/entity-model.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { type TrackedEntity, union } from "../unit-of-work/tracked-entity.ts";
import { Copies, findStored } from "./copies.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * A copy of an entity for one validator, with its state at the time of one save. Later, the values to send are compared
 * with those that were checked. If a validator changes its copy, now or later, nothing else changes.
 */
export class JudgedCopy {
  readonly entry: TrackedEntity;
  readonly entity: object;
  /** Properties with unknown stored values. The copy does not have them. */
  readonly notLoaded: readonly string[];
  readonly #before = new Map<string, (value: unknown) => boolean>();
  readonly #ignored: ReadonlySet<string>;

  constructor(entry: TrackedEntity) {
    const { model } = entry;
    const { notStored, children, etagProperty, timestampProperty } = model;
    const missing = unknownProperties(entry);
    const copy = new Copies().entity(entry.entity, missing);
    this.entry = entry;
    this.entity = copy;
    this.notLoaded = missing;
    // A validator may fill in a property that is not loaded; this is not known to be an edit.
    this.#ignored = new Set([
      ...missing,
      ...notStored,
      ...children.map(({ property }) => property),
      etagProperty ?? "",
      timestampProperty ?? "",
    ]);
    for (const name of new Set([...propertyNames(model), ...Object.keys(copy)]))
      if (!this.#ignored.has(name))
        this.#before.set(name, isMemberStill(model, name, (copy as Values)[name]));
  }

  /** The properties that the validator has changed in its copy. */
  changed(): string[] {
    const names = new Set([...this.#before.keys(), ...Object.keys(this.entity)]);
    return [...names].filter((name) => {
      if (this.#ignored.has(name)) return false;
      const isAsBefore = this.#before.get(name);
      const value = (this.entity as Values)[name];
      return isAsBefore === undefined ? value !== undefined : !isAsBefore(value);
    });
  }

  /**
   * Applies these properties as edits of the entity, if it still has the values that were validated.
   *
   * @throws StateError `entity.frozen`
   */
  apply(names: readonly string[]): void {
    const { entity, model, key, explicitlyModified } = this.entry;
    checkAssignable(entity, model, key, "A validator with applyTransforms", () => names);
    // The validator may still use its copy later.
    const edited = new Copies().entity(this.entity) as Values;
    const taken = names.filter((name) => {
      const isAsBefore = this.#before.get(name);
      const value = (entity as Values)[name];
      return isAsBefore === undefined ? value === undefined : isAsBefore(value);
    });
    for (const name of taken) (entity as Record<string, unknown>)[name] = edited[name];
    // With explicit tracking, these properties are named as well.
    const properties = taken.flatMap((name) => propertiesNamed(model, name));
    if (explicitlyModified !== undefined)
      this.entry.explicitlyModified = union(explicitlyModified, new Set(properties));
  }
}

/**
 * Properties that were not loaded and have no value here, and those that a merging upsert does not send: they may be
 * stored.
 */
function unknownProperties({ entity, model, snapshot, intent }: TrackedEntity): string[] {
  const isPartial = intent.type === "upsert" && intent.mode === "merge";
  const unknown = model.properties.flatMap((property, i) => {
    const isUnknown = isPartial || snapshot?.values[i] === notLoaded;
    const name = memberNameOf(property);
    return isUnknown && (entity as Values)[name] === undefined ? [name] : [];
  });
  return [...new Set(unknown)];
}

/** Whether a later value of a member means the same; for an embedded object, every leaf. */
function isMemberStill(model: EntityModel, name: string, value: unknown): (later: unknown) => boolean {
  if (findEmbedded(model, name) === undefined) return isStill(findStored(model, name), value);
  const tests = propertiesNamed(model, name).map((leaf) => {
    const read = (object: unknown): unknown => valueIn(leaf, { [name]: object });
    if (leaf.place?.member === undefined) return (later: unknown) => isGiven(later) === isGiven(value);
    const isSame = isStill(leaf, read(value));
    return (later: unknown) => isSame(read(later));
  });
  return (later) => tests.every((test) => test(later));
}

/** Whether a later value means the same: compared by its stored form if it can be changed in place. */
export function isStill(property: PropertyModel | undefined, value: unknown): (later: unknown) => boolean {
  if (property === undefined || typeof value !== "object" || value === null) {
    const former = comparable(value);
    return (later) => Object.is(comparable(later), former);
  }
  const snapshotValue = snapshotValueOf(property, value);
  return (later) =>
    later !== undefined &&
    (snapshotValue === undefined ? later === value : isAsInSnapshot(property, snapshotValue, later));
}

/** The snapshot value for a value; undefined if it cannot be stored. */
function snapshotValueOf(property: PropertyModel, value: unknown): unknown {
  try {
    return putEncoded(property, value, { PartitionKey: "", RowKey: "" });
  } catch {
    return undefined;
  }
}
