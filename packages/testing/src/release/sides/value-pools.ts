// The values that the simulated releases write, as plain data: corner values of each property's type, all values of an
// enum, and some that the seed draws. Values that the class itself refuses are left out.

import { keyOfEntity, readPlain, readPlainProperty } from "@partita/core/internal";
import { type EmbeddedModel, type EntityModel, type PropertyModel, TableError } from "@partita/core/models";
import fc from "fast-check";
import { anyOfSchema, cornersOf, type PlainSchema } from "./plain-corners.ts";

/** Values by property, as plain data; undefined means that there is none. */
export type PlainValues = Readonly<Record<string, unknown>>;

/** The caller's values, by property. */
export type GivenValues = Readonly<Record<string, readonly unknown[]>>;

/** Number of drawn values per property, in addition to the corner values. */
const drawn = 4;

/** Maximum number of values, except for enums: more would make checks slow without finding more. */
const mostValues = 12;

/** The values of a key part. */
export function keyPool(model: EntityModel, name: string, given: GivenValues, seed: number): unknown[] {
  const part = model.keyProperties.find((each) => each.name === name);
  const template = part?.key === "PartitionKey" ? model.partitionKey : model.rowKey;
  const schema = template.parts[part?.index ?? 0]?.format.plainSchema ?? {};
  return poolOf(schema, (value) => void readPlain(model, name, value), given[name], seed);
}

/** The values of a stored property, including none if it is optional. */
export function propertyPool(property: PropertyModel, given: GivenValues, seed: number): unknown[] {
  const { serializer, name, presence, path, fill } = property;
  const check = (value: unknown): void =>
    void serializer.encode(readPlainProperty(property, value, { hidden: true }), path);
  const pool = poolOf(serializer.plainSchema, check, given[name], seed);
  // A default function would give a new entity a different value each time.
  const mayLack = presence === "optional" && fill === undefined;
  return mayLack ? [...pool.slice(0, 1), undefined, ...pool.slice(1)] : pool;
}

/** The values of an embedded object, composed of its leaves' values. */
export function objectPool(of: EmbeddedModel, given: GivenValues, seed: number): unknown[] {
  const members = [
    ...of.leaves.flatMap((leaf) =>
      leaf.place?.member === undefined ? [] : [[leaf.place.member, propertyPool(leaf, {}, seed)] as const],
    ),
    ...of.parts.map((part) => [part.member, objectPool(part, {}, seed)] as const),
  ];
  const count = Math.max(1, ...members.map(([, pool]) => pool.length));
  const objects = Array.from({ length: count }, (_, i) => withoutAbsent(vectorAt(members, i)));
  return (
    given[of.name]?.slice() ??
    (of.isRequired ? objects : [...objects.slice(0, 1), undefined, ...objects.slice(1)])
  );
}

const withoutAbsent = (values: PlainValues): PlainValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Combines the values of several properties; each starts again when its own are used up. */
export const vectorAt = (
  pools: readonly (readonly [name: string, pool: readonly unknown[]])[],
  i: number,
): PlainValues => Object.fromEntries(pools.map(([name, pool]) => [name, pool[i % Math.max(1, pool.length)]]));

/** Whether an entity of the class can be stored under this key. */
export function isKey(model: EntityModel, values: PlainValues): boolean {
  return accepts((plain) => {
    const host = Object.entries(plain as PlainValues).map(([name, value]) => [
      name,
      readPlain(model, name, value, { hidden: true }),
    ]);
    keyOfEntity(model, Object.fromEntries(host) as Record<string, unknown>);
  }, values);
}

function poolOf(
  schema: PlainSchema,
  check: (value: unknown) => void,
  given: readonly unknown[] | undefined,
  seed: number,
): unknown[] {
  const all = given ?? [...cornersOf(schema), ...fc.sample(anyOfSchema(schema), { seed, numRuns: drawn })];
  const taken = all.filter((value) => value === undefined || accepts(check, value));
  const isListed = given !== undefined || Array.isArray(schema["enum"]);
  return [...new Map(taken.map((value) => [JSON.stringify(value), value])).values()].slice(
    0,
    isListed ? undefined : mostValues,
  );
}

function accepts(check: (value: unknown) => void, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch (error) {
    if (TableError.is(error)) return false;
    // A program's converter may refuse values with its own errors.
    return false;
  }
}
