import type { NamedStep, Shape, UpgradeChain, VersionChange } from "@partita/core/upgrades";

/** Stored names of an older version that each stored name of a newer one is made of. */
export type Origins = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Follows stored names from one version of a chain to a later one: a rename has one origin, a join has several, and what a
 * version adds has none.
 */
export function originsOf({ shapes, changes }: UpgradeChain, from: number, to: number): Origins {
  const first = shapes[from - 1] ?? {};
  let origins: Map<string, ReadonlySet<string>> = new Map(
    Object.keys(first).map((name) => [name, new Set([name])]),
  );
  for (let version = from; version < to; version++) {
    const change = changes[version - 1] as VersionChange;
    origins =
      change.type === "steps"
        ? afterSteps(origins, change.steps)
        : afterFunction(origins, shapes[version - 1] as Shape, shapes[version] as Shape);
  }
  return origins;
}

type OpenOrigins = Map<string, ReadonlySet<string>>;

function afterSteps(before: Origins, steps: readonly NamedStep[]): OpenOrigins {
  const after: OpenOrigins = new Map(before);
  const take = (names: readonly string[]): ReadonlySet<string> => {
    const all = names.flatMap((name) => [...(after.get(name) ?? [])]);
    for (const name of names) after.delete(name);
    return new Set(all);
  };
  for (const step of steps)
    switch (step.op) {
      case "rename":
      case "retype":
        after.set(step.to, take([step.from]));
        break;
      case "add":
        after.set(step.name, new Set());
        break;
      case "remove":
        take([step.name]);
        break;
      case "split": {
        const of = take([step.from]);
        for (const name of Object.keys(step.into)) after.set(name, of);
        break;
      }
      case "join":
        after.set(step.to, take(step.from));
        break;
      default:
        step satisfies never;
    }
  return after;
}

/** A function may make each property of all that it changes. Properties that stay as they are have themselves alone. */
function afterFunction(before: Origins, shape: Shape, next: Shape): OpenOrigins {
  const stays = (name: string): boolean => next[name]?.serializer.name === shape[name]?.serializer.name;
  const changed = Object.keys(shape).filter((name) => !stays(name));
  const all = new Set(changed.flatMap((name) => [...(before.get(name) ?? [])]));
  return new Map(
    Object.keys(next).map((name) => [
      name,
      shape[name] !== undefined && stays(name) ? (before.get(name) ?? new Set()) : all,
    ]),
  );
}
