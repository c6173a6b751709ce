// The common data of all histories of a class: both sides, the rows, and the groups of properties with their values.

import type { ReleaseName } from "../release-report.ts";
import { type Identity } from "../sides/identities.ts";
import type { PropertyGroup } from "../sides/property-groups.ts";
import type { PropertyRoot } from "../sides/property-roots.ts";
import { type GivenValues, type PlainValues, vectorAt } from "../sides/value-pools.ts";
import type { Side } from "./side.ts";

/** A group of properties, with the values that each release writes. */
export interface SettingGroup extends PropertyGroup {
  readonly values: Readonly<Record<ReleaseName, PlainValues[]>>;
}

/** A class of both releases, ready to run. */
export interface PairSetting {
  readonly table: string;
  readonly sides: Readonly<Record<ReleaseName, Side>>;
  readonly rows: readonly Identity[];
  readonly groups: readonly SettingGroup[];
}

export const releases: readonly ReleaseName[] = ["old", "new"];

export const otherOf = (name: ReleaseName): ReleaseName => (name === "old" ? "new" : "old");

/** Adds the values of its properties in each release to a group. */
export function settingGroup(
  group: PropertyGroup,
  given: Readonly<Record<ReleaseName, GivenValues>>,
  seed: number,
): SettingGroup {
  return {
    ...group,
    values: { old: vectorsOf(group.old, given.old, seed), new: vectorsOf(group.new, given.new, seed) },
  };
}

function vectorsOf(roots: readonly PropertyRoot[], given: GivenValues, seed: number): PlainValues[] {
  if (roots.length === 0) return [];
  const pools = roots.map((root) => [root.name, root.pool(given, seed)] as const);
  if (pools.some(([, pool]) => pool.length === 0)) return [];
  return Array.from({ length: Math.max(...pools.map(([, pool]) => pool.length)) }, (_, i) =>
    vectorAt(pools, i),
  );
}

/** Selects the values of one release's properties. */
export const valuesOf = (group: PropertyGroup, release: ReleaseName, values: PlainValues): PlainValues =>
  Object.fromEntries(group[release].map(({ name }) => [name, values[name]]));

/** Whether two lists of values are the same in plain data. */
export const isSame = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

/** Plain data as text, independent of the order of members. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  ) ?? "";

export const isAbsent = (values: PlainValues): boolean =>
  Object.values(values).every((value) => value === undefined);
