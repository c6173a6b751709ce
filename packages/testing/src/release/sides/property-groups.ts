import type { EntityModel, VersionModel } from "@partita/core/models";
import { versionSnapshot } from "../snapshot/version-snapshot.ts";
import { originsOf } from "./stored-origins.ts";
import { identityNames, type PropertyRoot, propertyRoots } from "./property-roots.ts";

/** Properties of both releases with the same meaning: usually one each, or several if one was split or joined. */
export interface PropertyGroup {
  readonly old: readonly PropertyRoot[];
  readonly new: readonly PropertyRoot[];
  /** Whether both have one property with the same stored name, so both must see the same value. */
  readonly isShared: boolean;
}

/** Pairs the properties of both releases: by what upgrades say, then by stored names, then by the names in the class. */
export function propertyGroups(older: EntityModel, newer: EntityModel): readonly PropertyGroup[] {
  const [own, others] = [writable(older), writable(newer)];
  const links = linksOf(older, newer);
  const groups: { old: PropertyRoot[]; new: PropertyRoot[] }[] = [];
  for (const root of own) groups.push({ old: [root], new: [] });
  for (const root of others) {
    const linked = groups.filter((group) => group.old.some((each) => isLinked(links, each, root)));
    const [first = { old: [], new: [] }, ...more] = linked;
    if (linked.length === 0) groups.push(first);
    for (const group of more) {
      first.old.push(...group.old);
      first.new.push(...group.new);
      groups.splice(groups.indexOf(group), 1);
    }
    first.new.push(root);
  }
  return byName(groups).map((group) => ({ ...group, isShared: isShared(group.old, group.new) }));
}

const writable = (model: EntityModel): readonly PropertyRoot[] => {
  const fixed = identityNames(model);
  return propertyRoots(model).filter(({ name }) => !fixed.includes(name));
};

/** Whether a stored name of the new release is derived from this one of the old release. */
type Links = (oldName: string, newName: string) => boolean;

function linksOf(older: EntityModel, newer: EntityModel): Links {
  const [from, to] = [older.version?.number ?? 1, newer.version?.number ?? 1];
  const [isForward, chain] = [to >= from, to >= from ? newer.version?.chain : older.version?.chain];
  if (chain === undefined || from === to) return (a, b) => a === b;
  const origins = originsOf(
    versionSnapshot((isForward ? newer : older).version as VersionModel),
    Math.min(from, to),
    Math.max(from, to),
  );
  return isForward ? (a, b) => origins.get(b)?.has(a) === true : (a, b) => origins.get(a)?.has(b) === true;
}

const isLinked = (links: Links, a: PropertyRoot, b: PropertyRoot): boolean =>
  a.storedNames.some((one) => b.storedNames.some((other) => links(one, other)));

/** Pairs the remaining properties by their names in the class: stored under another name, without an upgrade. */
function byName(
  groups: readonly { readonly old: PropertyRoot[]; readonly new: PropertyRoot[] }[],
): readonly { readonly old: readonly PropertyRoot[]; readonly new: readonly PropertyRoot[] }[] {
  const isLeft = (group: (typeof groups)[number]): boolean => group.old.length === 0;
  const left = groups.filter(isLeft);
  return groups.flatMap((group) => {
    if (isLeft(group)) {
      const name = group.new[0]?.name;
      return groups.some((each) => each.new.length === 0 && each.old[0]?.name === name) ? [] : [group];
    }
    const other =
      group.new.length > 0 ? undefined : left.find((each) => each.new[0]?.name === group.old[0]?.name);
    return [other === undefined ? group : { old: group.old, new: other.new }];
  });
}

const isShared = (older: readonly PropertyRoot[], newer: readonly PropertyRoot[]): boolean =>
  older.length === 1 && newer.length === 1 && older[0]?.storedNames.join() === newer[0]?.storedNames.join();
