import type { Kept } from "../edm/serializer.ts";
import type { EntityModel, KeyProperty, PropertyModel } from "../model/entity-model.ts";
import type { EntityKey } from "../edm/stored-entity.ts";
import { comparable } from "./decode-entity.ts";
import { notLoaded } from "./snapshot.ts";

/** What differs between an entity and its snapshot, by position in the model. */
export interface PropertyChanges {
  /** Properties with a new value. */
  readonly assigned: readonly number[];
  /** Stored properties that were set to undefined or null. */
  readonly cleared: readonly number[];
  /** Whether a part of the key is another one. */
  readonly isKeyChanged: boolean;
}

/** Nothing differs. */
export const noChanges: PropertyChanges = { assigned: [], cleared: [], isKeyChanged: false };

/** The key an entity is known under. */
export interface KnownKey extends EntityKey {
  /** Its parts as they were read or added, each as something `===` compares; undefined where they are the keys' own texts. */
  readonly keyValues: readonly unknown[] | undefined;
}

/**
 * Compares an entity with its snapshot values and its former key parts, decoded value by decoded value: a Date that was
 * read from a text of 7 digits is unchanged, and so is JSON with other spacing. What was not loaded counts as changed
 * once it has a value. Undefined where nothing differs.
 */
export type Comparison = (
  entity: Readonly<Record<string, unknown>>,
  values: readonly Kept[],
  known: KnownKey,
) => PropertyChanges | undefined;

const comparisons = new WeakMap<EntityModel, Comparison>();

/**
 * The comparison of a class, written out for it. A save that finds 1 % changed among 10,000 entities spends its time on
 * reading properties under computed names; written out, that takes a quarter (docs/benchmarks.md). Where the runtime
 * refuses to compile text, a loop finds the same.
 */
export function comparisonOf(model: EntityModel): Comparison {
  const known = comparisons.get(model);
  if (known !== undefined) return known;
  const comparison = compile(model) ?? loopOver(model);
  comparisons.set(model, comparison);
  return comparison;
}

/** The same by a loop over the properties. */
export const loopOver =
  (model: EntityModel): Comparison =>
  (entity, values, known) =>
    changesFrom(model, 0, entity, values, known);

/** Undefined where text may not be compiled. Names enter the text only as JSON strings, values not at all. */
function compile(model: EntityModel): Comparison | undefined {
  const { properties, keyProperties } = model;
  // Up to the first difference, the text compares; the rest of an entity that has one is for the loop.
  const lines = [
    ...properties.map(lineOf),
    ...keyProperties.map(({ name }, i) => {
      const part = partOf(model, i);
      return `const p${i} = e[${JSON.stringify(name)}]; if (p${i} !== ${part} && comparable(p${i}) !== ${part}) return changesFrom(model, ${properties.length}, e, k, t);`;
    }),
  ];
  const body = `"use strict"; return function (e, k, t) { ${lines.join("\n")} };`;
  const names = properties.flatMap((_, i) => [`q${i}`, `s${i}`]);
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- see above
    const build = new Function("model", "isAsInSnapshot", "comparable", "changesFrom", ...names, body) as (
      ...args: unknown[]
    ) => Comparison;
    const each = properties.flatMap((property) => [property, property.serializer]);
    return build(model, isAsInSnapshot, comparable, changesFrom, ...each);
  } catch {
    return undefined;
  }
}

/** Where the former value of a key part stands. */
const partOf = ({ keyProperties, hasVerbatimKeys }: EntityModel, i: number): string =>
  !hasVerbatimKeys
    ? `t.keyValues[${i}]`
    : keyProperties[i]?.key === "PartitionKey"
      ? "t.partitionKey"
      : "t.rowKey";

function lineOf({ name, serializer }: PropertyModel, i: number): string {
  const read = `const v${i} = e[${JSON.stringify(name)}], k${i} = k[${i}];`;
  const differs = `!isAsInSnapshot(q${i}, k${i}, v${i})`;
  const found = `return changesFrom(model, ${i}, e, k, t);`;
  switch (serializer.keeping) {
    case "value":
      return `${read} if (v${i} !== k${i} && ${differs}) ${found}`;
    case "number":
      return `${read} if ((v${i} !== k${i} || v${i} === 0) && ${differs}) ${found}`;
    case "stored":
      return `${read} if (typeof k${i} === "number" || typeof k${i} === "string" ? !s${i}.isUnchanged(k${i}, v${i}) : (v${i} !== undefined || k${i} !== undefined) && ${differs}) ${found}`;
    default:
      return serializer.keeping satisfies never;
  }
}

/** What differs from the property at `start` on. */
function changesFrom(
  model: EntityModel,
  start: number,
  entity: Readonly<Record<string, unknown>>,
  values: readonly Kept[],
  known: KnownKey,
): PropertyChanges | undefined {
  const { properties, keyProperties } = model;
  const assigned: number[] = [];
  const cleared: number[] = [];
  for (let i = start; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const value = entity[property.name];
    if (isAsInSnapshot(property, values[i], value)) continue;
    if (value !== undefined && value !== null) assigned.push(i);
    else cleared.push(i);
  }
  let isKeyChanged = false;
  for (let i = 0; i < keyProperties.length; i++)
    if (isPartChanged(model, i, entity, known)) isKeyChanged = true;
  if (assigned.length === 0 && cleared.length === 0 && !isKeyChanged) return undefined;
  return { assigned, cleared, isKeyChanged };
}

/** Whether an entity has another value for a part of its key than it was read or added with. */
export function isPartChanged(
  { keyProperties }: EntityModel,
  i: number,
  entity: Readonly<Record<string, unknown>>,
  { keyValues, partitionKey, rowKey }: KnownKey,
): boolean {
  const { name, key } = keyProperties[i] as KeyProperty;
  const text = key === "PartitionKey" ? partitionKey : rowKey;
  const former = keyValues === undefined ? text : keyValues[i];
  return entity[name] !== former && comparable(entity[name]) !== former;
}

/** Whether a value still means what the snapshot holds. */
export function isAsInSnapshot(property: PropertyModel, snapshotValue: unknown, value: unknown): boolean {
  if (snapshotValue !== undefined && snapshotValue !== notLoaded)
    return property.serializer.isUnchanged(snapshotValue, value);
  // Null, unlike undefined, is somebody's word that there is to be no value.
  if (snapshotValue === notLoaded) return value === undefined;
  return value === undefined || value === null || isDefault(property, value);
}

/** Whether a property that the row lacks still has the default it was read with. */
function isDefault({ defaultStored, serializer, path }: PropertyModel, value: unknown): boolean {
  if (defaultStored === undefined) return false;
  const annotation = serializer.isAnnotated(defaultStored) ? serializer.edm : undefined;
  const initial: unknown = serializer.decode(defaultStored, annotation, path);
  return serializer.isUnchanged(serializer.keep(defaultStored, initial, annotation), value);
}
