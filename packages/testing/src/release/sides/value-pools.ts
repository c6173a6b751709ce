// The values that the simulated releases write, in plain data: the edges of each property's type, all values of an enum, and
// some that are drawn by the seed. A value that the class itself refuses is left out.

import { keyOfEntity, readPlain, readPlainProperty } from "@partita/core/internal";
import { type EmbeddedModel, type EntityModel, type PropertyModel, TableError } from "@partita/core/models";
import fc from "fast-check";
import { anyOfSchema, cornersOf, type PlainSchema } from "./plain-corners.ts";

/** Values by property, in plain data; undefined is the absence of one. */
export type PlainValues = Readonly<Record<string, unknown>>;

/** What the caller wants properties to have, by property. */
export type GivenValues = Readonly<Record<string, readonly unknown[]>>;

/** Values of one property that are drawn besides the corners. */
const drawn = 4;

/** More than this, besides the values of an enum, would make checks slow and find nothing else. */
const mostValues = 12;

/** The values of a part of a key. */
export function keyPool(model: EntityModel, name: string, given: GivenValues, seed: number): unknown[] {
  const part = model.keyProperties.find((each) => each.name === name);
  const template = part?.key === "PartitionKey" ? model.partitionKey : model.rowKey;
  const schema = template.parts[part?.index ?? 0]?.format.plainSchema ?? {};
  return poolOf(schema, (value) => void readPlain(model, name, value), given[name], seed);
}

/** The values of a stored property. An optional one may have none. */
export function propertyPool(property: PropertyModel, given: GivenValues, seed: number): unknown[] {
  const { serializer, name, presence, path, fill } = property;
  const check = (value: unknown): void =>
    void serializer.encode(readPlainProperty(property, value, { hidden: true }), path);
  const pool = poolOf(serializer.plainSchema, check, given[name], seed);
  // A default function would give a new entity without a value another one each time.
  const mayLack = presence === "optional" && fill === undefined;
  return mayLack ? [...pool.slice(0, 1), undefined, ...pool.slice(1)] : pool;
}

/** The values of an embedded object, put together of those of its leaves. */
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

/** The values of several properties together: each begins anew when its own are used up. */
export const vectorAt = (
  pools: readonly (readonly [name: string, pool: readonly unknown[]])[],
  i: number,
): PlainValues => Object.fromEntries(pools.map(([name, pool]) => [name, pool[i % Math.max(1, pool.length)]]));

/** Whether the class can be stored under this key. */
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
    // A converter of the program may refuse values with errors of its own.
    return false;
  }
}
