/** The data for matching classes. */
export interface Matched {
  readonly name: string;
  readonly table: string;
  readonly kind?: { readonly name: string } | undefined;
}

/** A class of both releases, or of one. */
export interface Match<Class> {
  readonly old: Class | undefined;
  readonly new: Class | undefined;
}

/** Matches the classes of two releases: by table and kind, former names included, then by table and name. */
export function match<Class extends Matched>(
  older: readonly Class[],
  newer: readonly Class[],
): readonly Match<Class>[] {
  const left = new Set(newer);
  const take = (isMatch: (found: Class) => boolean): Class | undefined => {
    const found = [...left].find(isMatch);
    if (found !== undefined) left.delete(found);
    return found;
  };
  const pairs: { old: Class; new: Class | undefined }[] = older.map((old) => ({ old, new: undefined }));
  const isBoth = (a: Class, b: Class): boolean => isSameKind(a, b) && isNamed(a, b);
  for (const isMatch of [isBoth, isSameKind, isNamed])
    for (const pair of pairs)
      pair.new ??= take((each) => isSameTable(pair.old, each) && isMatch(pair.old, each));
  return [...pairs, ...[...left].map((added) => ({ old: undefined, new: added }))];
}

const isSameTable = (a: Matched, b: Matched): boolean => a.table.toLowerCase() === b.table.toLowerCase();

const isNamed = (a: Matched, b: Matched): boolean => a.name === b.name;

const isSameKind = ({ kind: old }: Matched, { kind: found }: Matched): boolean =>
  old === undefined || found === undefined ? old === found : namesOf(found).includes(old.name);

/** Its present name and its former ones, from a model or its snapshot. */
function namesOf(kind: NonNullable<Matched["kind"]>): readonly string[] {
  const { names = [], formerly = [] } = kind as { names?: readonly string[]; formerly?: readonly string[] };
  return [kind.name, ...names, ...formerly];
}
