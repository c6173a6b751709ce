import { kindsBelow } from "@partita/core/internal";

import { type EntityClass, type EntityModel, modelOf } from "@partita/core/models";

/** A class of either release, or of both. */
export interface ClassPair {
  readonly table: string;
  readonly old: EntityModel | undefined;
  readonly new: EntityModel | undefined;
}

/** Matches the classes of two releases: by table and kind, former names included, then by table and name. */
export function pairClasses(
  older: readonly EntityClass[],
  newer: readonly EntityClass[],
): readonly ClassPair[] {
  const left = new Set(models(newer));
  const take = (find: (model: EntityModel) => boolean): EntityModel | undefined => {
    const found = [...left].find(find);
    if (found !== undefined) left.delete(found);
    return found;
  };
  const pairs: { table: string; old: EntityModel; new?: EntityModel | undefined }[] = models(older).map(
    (old) => ({ table: old.table, old }),
  );
  const isNamed = (a: EntityModel, b: EntityModel): boolean => isSameTable(a, b) && a.name === b.name;
  for (const match of [both(isSameKind, isNamed), isSameKind, isNamed])
    for (const pair of pairs) pair.new ??= take((each) => match(pair.old, each));
  return [
    ...pairs.map((pair) => ({ ...pair, new: pair.new })),
    ...[...left].map((model) => ({ table: model.table, old: undefined, new: model })),
  ];
}

/** Classes that have rows. A base class leaves them to its kinds. */
const models = (classes: readonly EntityClass[]): EntityModel[] =>
  classes.filter((each) => kindsBelow(each).size === 0).map(modelOf);

type Match = (old: EntityModel, found: EntityModel) => boolean;

const both =
  (a: Match, b: Match): Match =>
  (old, found) =>
    a(old, found) && b(old, found);

const isSameTable = (a: EntityModel, b: EntityModel): boolean =>
  a.table.toLowerCase() === b.table.toLowerCase();

const isSameKind = (old: EntityModel, found: EntityModel): boolean =>
  isSameTable(old, found) &&
  (old.kind === undefined) === (found.kind === undefined) &&
  (old.kind === undefined ? true : found.kind?.names.includes(old.kind.name) === true);
