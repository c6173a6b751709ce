import { ModelError } from "../../values/errors/model-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { checkSupports } from "./check-supports.ts";
import type { AfterSteps, CheckedSteps, Succ } from "./apply-types.ts";
import { describeStep } from "./describe-step.ts";
import type { NamedStep, Shape, ShapeValues, WayBack } from "./step.ts";
import type { UpgradeChain, VersionChange } from "./upgrade-chain.ts";

/** A chain under construction, typed from version to version. */
export interface Upgrades<S, Version extends number> extends UpgradeChain {
  readonly shape: S;
  readonly version: Version;

  /**
   * Adds the next version by named steps, in order. Filters follow the effect of the steps on each property.
   *
   * ```ts
   * const chain = upgrades({ Qty: int32() })
   *   .to(2, rename("Qty", "Quantity"))
   *   .to(3, add("Unit", text(), "piece"));
   * console.log(chain.version); // → 3
   * ```
   *
   * @throws ModelError `model.upgrade-step` for a step that does not fit the version before
   */
  to<const Steps extends readonly NamedStep[]>(
    version: Succ<Version>,
    ...steps: CheckedSteps<S, Steps> & Steps
  ): Upgrades<AfterSteps<S, Steps>, Succ<Version>>;

  /**
   * Adds the next version by its shape and a function that converts the values of the previous one. Properties that neither
   * version declares stay.
   *
   * ```ts
   * const second = { Total: int32() };
   * const chain = upgrades({ Net: int32(), Tax: int32() }).to(2, second, ({ Net, Tax }) => ({ Total: Net + Tax }));
   * ```
   */
  to<Next extends Shape>(
    version: Succ<Version>,
    shape: Next,
    convert: (values: ShapeValues<S>, key: EntityKey) => ShapeValues<Next>,
    options?: Pick<WayBack<(values: ShapeValues<NoInfer<Next>>, key: EntityKey) => ShapeValues<S>>, "back">,
  ): Upgrades<Next, Succ<Version>>;

  /**
   * Declares that releases of version `lowest` and later may still run. Rows keep the form of that version, which all releases
   * read and write, so each release sees the changes of the others. Steps with functions need a way back:
   * `retype("Price", "Cents", int32(), toCents, { back: toPrice })`.
   *
   * ```ts
   * const chain = upgrades({ Qty: int32() }).to(2, rename("Qty", "Quantity")).supports(1);
   * ```
   *
   * @param options - `indexes`: a class of such a release. The rows of its indexes are still written, although this class
   *   no longer declares them
   * @throws ModelError `model.supports` for steps that would lose a write of one of the releases
   */
  supports(
    lowest: number,
    options?: { readonly indexes?: (abstract new (...args: never) => object) | undefined },
  ): Upgrades<S, Version>;

  /**
   * Declares that no rows older than `oldest` (default: the last version) are left, as `upgradeTable` reports it. Queries
   * then only use the current names.
   *
   * ```ts
   * const chain = upgrades({ Qty: int32() }).to(2, rename("Qty", "Quantity")).clean();
   * ```
   */
  clean(oldest?: number): Upgrades<S, Version>;
}

/**
 * Starts the versions of a class with the properties of the first version, by stored names. Keys are not part of it: they
 * never change.
 *
 * ```ts
 * class Item extends defineEntity({
 *   table: "Items",
 *   version: upgrades({ Qty: int32() }).to(2, rename("Qty", "quantity")),
 *   partitionKey: { shop: text() },
 *   rowKey: { id: text() },
 *   properties: { quantity: int32() },
 * }) {}
 * ```
 */
export function upgrades<const First extends Shape>(first: First): Upgrades<First, 1> {
  if (typeof first !== "object" || first === null)
    throw new ModelError(
      "model.upgrade-step",
      "upgrades(first) takes the properties of version 1, by stored names: upgrades({ Qty: int32() }).",
    );
  return chain({ version: 1, shapes: [first], changes: [], oldest: 1, lowest: 1 }) as unknown as Upgrades<
    First,
    1
  >;
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
      const [first, convert, options] = args;
      const isFree = typeof convert === "function";
      const change: VersionChange = isFree
        ? { type: "free", convert: convert as (values: object) => object, ...(options as WayBack<never>) }
        : { type: "steps", steps: args as readonly NamedStep[] };
      const after = change.type === "free" ? (first as Shape) : shapeAfter(shape, change.steps, next);
      const lowest = state.lowest < version ? state.lowest : next;
      const [newShapes, newChanges] = [
        [...shapes, after],
        [...changes, change],
      ];
      const longer = { ...state, version: next, lowest, shapes: newShapes, changes: newChanges };
      if (lowest < next) checkSupports(longer, lowest);
      return chain(longer);
    },
    clean(oldest: number = version): UpgradeChain {
      if (!Number.isInteger(oldest) || oldest < 1 || oldest > version)
        throw new ModelError("model.upgrade-step", `clean(oldest) takes a version from 1 to ${version}.`);
      if (state.lowest < version) checkSupports({ ...state, oldest }, state.lowest);
      return chain({ ...state, oldest });
    },
    supports(lowest: number, { indexes }: { readonly indexes?: object } = {}): UpgradeChain {
      if (!Number.isInteger(lowest) || lowest < 1 || lowest > version)
        throw new ModelError("model.upgrade-step", `supports(lowest) takes a version from 1 to ${version}.`);
      checkSupports(state, lowest);
      return chain({ ...state, lowest, formerIndexes: indexes });
    },
  } as UpgradeChain;
}

function shapeAfter(shape: Shape, steps: readonly NamedStep[], version: number): Shape {
  const after = new Map(Object.entries(shape));
  const take = (step: NamedStep, name: string): void => {
    if (!after.delete(name))
      throw badStep(version, step, `there is no property "${name}" in the previous version`);
  };
  const give = (step: NamedStep, name: string, type: Shape[string]): void => {
    if (after.has(name)) throw badStep(version, step, `"${name}" exists already in the previous version`);
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
          "it is not a step. Use rename, add, remove, retype, split or join, each as an argument of its own, not in a list",
        );
    }
  return Object.fromEntries(after);
}

/** The text of a version, or its type if it isn't a number. */
const shown = (next: unknown): string => (typeof next === "number" ? String(next) : describeType(next));

function badStep(version: number, step: NamedStep, problem: string): ModelError {
  return new ModelError("model.upgrade-step", `${describeStep(step)} to version ${version}: ${problem}.`, {
    version,
    step: describeStep(step),
  });
}
