// Fills new entities: calls the default functions of properties without a value, and generates absent parts of keys.
// `work/context/create-entity.ts` and `fromPlain` build entities through this file; the change tracker fills what the
// program built itself.

import { isAbsent, isGiven } from "./is-absent.ts";
import { embeddedObject } from "../declaration/embedded-object.ts";
import { type EntityModel, findEmbedded, type PropertyModel } from "../declaration/entity-model.ts";
import { assignLeaves, type LeafValue, objectIn, valueIn } from "./embedded-values.ts";
import { callFill, holdBack, keepValue } from "../declaration/initialise-instance.ts";

type Values = Readonly<Record<string, unknown>>;

/** An instance with the values that its constructor assigns; no default function is called for it. */
export const initialInstance = ({ filled, entityClass, create }: EntityModel): object =>
  filled.length === 0 ? create() : holdBack(entityClass, undefined, create);

/**
 * A new entity with these values. Where a property has a default, null leaves the default.
 *
 * @param read - converts a given value; values are assigned unchanged when absent
 */
export function newEntity(
  model: EntityModel,
  values: Values,
  read?: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  const { filled, entityClass, create } = model;
  const isFilled = filled.length > 0;
  const entity = (isFilled ? holdBack(entityClass, values, create) : create()) as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (value === undefined || (value === null && isDefaulted(model, name))) continue;
    const of = findEmbedded(model, name);
    if (name === "__proto__") keepValue(entity, name, value);
    else
      entity[name] =
        read !== undefined ? read(name, value) : of === undefined ? value : embeddedObject(of, value);
  }
  if (isFilled) fillProperties(model, entity);
  return entity;
}

function isDefaulted({ properties }: EntityModel, name: string): boolean {
  const property = properties.find((each) => each.name === name);
  if (property === undefined || !isAbsent(property, null)) return false;
  return property.fill !== undefined || property.hasInitial();
}

/** Entities with keys that were generated here, and that are not known to be stored. */
const withNewKeys = new WeakSet<object>();

/** Generates the absent parts of an entity's key. */
export function generateKey({ generated }: EntityModel, entity: object): void {
  const values = entity as Record<string, unknown>;
  for (const { name, generate } of generated) {
    if (values[name] !== undefined && values[name] !== null) continue;
    if (Reflect.set(values, name, generate())) withNewKeys.add(entity);
  }
}

/** Whether an entity has a generated key, and was not stored under it yet. */
export const hasNewKey = ({ generated }: EntityModel, entity: object): boolean =>
  generated.length > 0 && withNewKeys.has(entity);

/** Notes that an entity with a generated key is stored under it. */
export const noteStored = (entity: object): void => void withNewKeys.delete(entity);

/** Generates the absent parts of a new entity's key, and fills its properties. */
export function fillEntity(model: EntityModel, entity: object): void {
  if (model.generated.length > 0) generateKey(model, entity);
  if (model.filled.length > 0) fillProperties(model, entity);
}

/** Calls the default functions of properties without a value, in the order of declaration. */
function fillProperties({ filled }: EntityModel, entity: object): void {
  const values = entity as Record<string, unknown>;
  const leaves: LeafValue[] = [];
  for (const property of filled) {
    if (!isAbsent(property, valueIn(property, values))) continue;
    if (property.place === undefined) {
      // A frozen entity keeps its values: the save refuses those that are missing.
      Reflect.set(values, property.name, filledValue(property));
    } else if (isGiven(objectIn(property.place.of, values))) leaves.push([property, filledValue(property)]);
  }
  assignLeaves(values, leaves);
}

/** The value of a property's default function. */
const filledValue = ({ name, fill }: PropertyModel): unknown =>
  fill === undefined ? undefined : callFill(name, fill);
