import { ModelError } from "../../values/errors/model-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { AfterSteps, CheckedSteps, Succ } from "./apply-types.ts";
import type { NamedStep, Shape, ShapeValues } from "./step.ts";

/** How rows of one version become rows of the next. */
export type VersionChange =
  | { readonly type: "steps"; readonly steps: readonly NamedStep[] }
  /** A function over the values of the row; what it says of names is not known. */
  | { readonly type: "free"; readonly convert: (values: object, key: EntityKey) => object };

/** The versions of a class, as data: what each held, and the way from each to the next. */
export interface UpgradeChain {
  /** The version of the last shape; the first is 1. */
  readonly version: number;
  /** One for each version. */
  readonly shapes: readonly Shape[];
  /** One for each version but the first. */
  readonly changes: readonly VersionChange[];
  /** Rows are of this version or a later one: older ones are still upgraded, but no query looks for them. */
  readonly oldest: number;
}

/** A chain under construction, typed from version to version. */
export interface Upgrades<S, Version extends number> extends UpgradeChain {
  readonly shape: S;
  readonly version: Version;

  /**
   * The next version by named steps, in order. Filters follow what they do to each property.
   *
   * @throws ModelError `model.upgrade-step` for a step that does not fit the version before
   */
  to<const Steps extends readonly NamedStep[]>(
    version: Succ<Version>,
    ...steps: CheckedSteps<S, Steps> & Steps
  ): Upgrades<AfterSteps<S, Steps>, Succ<Version>>;

  /**
   * The next version by its shape and a function over the values of the one before. Properties that neither version
   * declares stay.
   */
  to<Next extends Shape>(
    version: Succ<Version>,
    shape: Next,
    convert: (values: ShapeValues<S>, key: EntityKey) => ShapeValues<Next>,
  ): Upgrades<Next, Succ<Version>>;

  /**
   * Says that no rows older than `oldest` (default: the last version) are left, as `upgradeTable` reports it: queries
   * then ask for present names only.
   */
  clean(oldest?: number): Upgrades<S, Version>;
}

/**
 * Begins the versions of a class with what the first one stored, by stored names:
 * `upgrades({ Qty: int32() }).to(2, rename("Qty", "Quantity"))`. Keys are no part of it: they never change.
 */
export function upgrades<const First extends Shape>(first: First): Upgrades<First, 1> {
  if (typeof first !== "object" || first === null)
    throw new ModelError(
      "model.upgrade-step",
      "upgrades(first) takes what version 1 stored, by stored names: upgrades({ Qty: int32() }).",
    );
  return chain({ version: 1, shapes: [first], changes: [], oldest: 1 }) as unknown as Upgrades<First, 1>;
}

function chain(state: UpgradeChain): UpgradeChain {
  const { version, shapes, changes } = state;
  const shape = shapes.at(-1) as Shape;
  return {
    ...state,
    shape,
    to(next: number, ...args: readonly unknown[]): UpgradeChain {
      if (next !== version + 1)
        throw new ModelError(
          "model.upgrade-step",
          `.to(${shown(next)}, …) follows version ${version}, so it must be .to(${version + 1}, …). Write one .to() for each version, in rising order: .to(2, …).to(3, …).`,
          { version, next: shown(next) },
        );
      const [first, convert] = args;
      const isFree = typeof convert === "function";
      const change: VersionChange = isFree
        ? { type: "free", convert: convert as (values: object) => object }
        : { type: "steps", steps: args as readonly NamedStep[] };
      const after = change.type === "free" ? (first as Shape) : shapeAfter(shape, change.steps, next);
      return chain({ ...state, version: next, shapes: [...shapes, after], changes: [...changes, change] });
    },
    clean(oldest: number = version): UpgradeChain {
      if (!Number.isInteger(oldest) || oldest < 1 || oldest > version)
        throw new ModelError("model.upgrade-step", `clean(oldest) takes a version from 1 to ${version}.`);
      return chain({ ...state, oldest });
    },
  } as UpgradeChain;
}

function shapeAfter(shape: Shape, steps: readonly NamedStep[], version: number): Shape {
  const after = new Map(Object.entries(shape));
  const take = (step: NamedStep, name: string): void => {
    if (!after.delete(name))
      throw badStep(version, step, `there is no property "${name}" in the version before`);
  };
  const give = (step: NamedStep, name: string, type: Shape[string]): void => {
    if (after.has(name)) throw badStep(version, step, `"${name}" exists already in the version before`);
    after.set(name, type);
  };
  for (const step of steps)
    switch (step.op) {
      case "rename": {
        const type = after.get(step.from);
        take(step, step.from);
        give(step, step.to, type as Shape[string]);
        break;
      }
      case "add":
        give(step, step.name, step.type);
        break;
      case "remove":
        take(step, step.name);
        break;
      case "retype":
        take(step, step.from);
        give(step, step.to, step.type);
        break;
      case "split":
        take(step, step.from);
        for (const [name, type] of Object.entries(step.into)) give(step, name, type);
        break;
      case "join":
        for (const name of step.from) take(step, name);
        give(step, step.to, step.type);
        break;
      default:
        throw badStep(
          version,
          step,
          "it is no step. Use rename, add, remove, retype, split or join, each as an argument of its own, not in a list",
        );
    }
  return Object.fromEntries(after);
}

/** A step in words, without values: `rename("Qty", "Quantity")`. */
export function describeStep(step: NamedStep): string {
  switch (step.op) {
    case "rename":
    case "retype":
      return `${step.op}("${step.from}", "${step.to}")`;
    case "add":
    case "remove":
      return `${step.op}("${step.name}")`;
    case "split":
      return `split("${step.from}")`;
    case "join":
      return `join(${step.from.map((name) => `"${name}"`).join(", ")})`;
    default:
      return describeType(step);
  }
}

/** A version as it was written; what is none is named by its type. */
const shown = (next: unknown): string => (typeof next === "number" ? String(next) : describeType(next));

function badStep(version: number, step: NamedStep, problem: string): ModelError {
  return new ModelError("model.upgrade-step", `${describeStep(step)} to version ${version}: ${problem}.`, {
    version,
    step: describeStep(step),
  });
}
