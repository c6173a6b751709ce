import type { ShapeSnapshot, StepSnapshot, VersionSnapshot } from "../snapshot/model-snapshot.ts";

/** For each stored name of a newer version, the stored names of an older one that it is derived from. */
export type Origins = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Follows stored names from one version to a later one: a renamed property has one origin, a joined one several, and an
 * added one none.
 */
export function originsOf(
  { shapes = [], changes = [] }: Pick<VersionSnapshot, "shapes" | "changes">,
  from: number,
  to: number,
): Origins {
  let origins: Origins = new Map(Object.keys(shapes[from - 1] ?? {}).map((name) => [name, new Set([name])]));
  for (let version = from; version < to; version++) {
    const change = changes[version - 1];
    origins =
      change?.type === "steps"
        ? afterSteps(origins, change.steps)
        : afterFunction(origins, shapes[version - 1] ?? {}, shapes[version] ?? {});
  }
  return origins;
}

function afterSteps(before: Origins, steps: readonly StepSnapshot[]): Origins {
  const after = new Map(before);
  for (const { from, to } of steps) {
    const all = new Set(from.flatMap((name) => [...(after.get(name) ?? [])]));
    for (const name of from) after.delete(name);
    for (const name of to) after.set(name, all);
  }
  return after;
}

/**
 * A function may derive each changed property from all changed ones. Unchanged properties have themselves as the only
 * origin.
 */
function afterFunction(before: Origins, shape: ShapeSnapshot, next: ShapeSnapshot): Origins {
  const stays = (name: string): boolean => shape[name] !== undefined && next[name]?.type === shape[name].type;
  const changed = Object.keys(shape).filter((name) => !stays(name));
  const all = new Set(changed.flatMap((name) => [...(before.get(name) ?? [])]));
  return new Map(
    Object.keys(next).map((name) => [name, stays(name) ? (before.get(name) ?? new Set()) : all]),
  );
}
