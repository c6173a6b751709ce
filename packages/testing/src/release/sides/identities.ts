import type { EntityModel } from "@partita/core/models";
import { identityNames, propertyRoots } from "./property-roots.ts";
import { type GivenValues, isKey, keyPool, type PlainValues, vectorAt } from "./value-pools.ts";

/** The values that determine a row's key, by the names of each release. */
export interface Identity {
  readonly old: PlainValues;
  readonly new: PlainValues;
}

/** The names of key values in the old release, each with its name in the new one. */
type NamePairs = readonly (readonly [old: string, new: string])[];

/** The first rows share a partition, for values that are unique in it. */
const rowsOfOnePartition = 2;

/** Number of rows to try keys with; histories use the first ones. */
const mostRows = 24;

/** Maximum number of combinations to try. */
const mostTries = 200;

/** Rows with keys in both releases; undefined if their keys have different properties. */
export function identitiesOf(
  older: EntityModel,
  newer: EntityModel,
  given: GivenValues,
  seed: number,
): readonly Identity[] | undefined {
  const names = pairNames(older, newer);
  if (names === undefined) return undefined;
  const found = identitiesIn(older, names, given, seed);
  const both = found.filter((each) => isKey(newer, each.new));
  return both.length > 0 ? both : found;
}

function identitiesIn(
  older: EntityModel,
  names: NamePairs,
  given: GivenValues,
  seed: number,
): readonly Identity[] {
  const pools = names.map(([name]) => [name, poolOfName(older, name, given, seed)] as const);
  const inPartition = new Set(
    older.keyProperties.flatMap(({ name, key }) => (key === "PartitionKey" ? [name] : [])),
  );
  const found = new Map<string, Identity>();
  for (let i = 0; i < mostTries && found.size < mostRows; i++) {
    const [own, other] = [vectorAt(pools, i), vectorAt(pools, i < rowsOfOnePartition ? 0 : i)];
    const values = Object.fromEntries(
      names.map(([name]) => [name, (inPartition.has(name) ? other : own)[name]]),
    );
    if (!isKey(older, values)) continue;
    const renamed = Object.fromEntries(names.map(([name, to]) => [to, values[name]]));
    found.set(JSON.stringify(values), { old: values, new: renamed });
  }
  return [...found.values()];
}

function poolOfName(model: EntityModel, name: string, given: GivenValues, seed: number): unknown[] {
  if (model.keyProperties.some((each) => each.name === name)) return keyPool(model, name, given, seed);
  const root = propertyRoots(model).find((each) => each.name === name);
  return (root?.pool(given, seed) ?? []).filter((value) => value !== undefined);
}

function pairNames(older: EntityModel, newer: EntityModel): NamePairs | undefined {
  const names = identityNames(older);
  const others = identityNames(newer);
  if (names.length !== others.length) return undefined;
  const pairs = names.map(
    (name) => [name, others.includes(name) ? name : atSamePlace(older, newer, name)] as const,
  );
  return pairs.every((pair): pair is [string, string] => pair[1] !== undefined) &&
    new Set(pairs.map(([, to]) => to)).size === pairs.length
    ? pairs
    : undefined;
}

function atSamePlace(older: EntityModel, newer: EntityModel, name: string): string | undefined {
  const own = older.keyProperties.find((each) => each.name === name);
  return newer.keyProperties.find(({ key, index }) => key === own?.key && index === own.index)?.name;
}
