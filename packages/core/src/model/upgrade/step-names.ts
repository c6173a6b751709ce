import type { JoinStep, NamedStep, RetypeStep, Shape, SplitStep, StoredType } from "./step.ts";
import type { UpgradeChain, VersionChange } from "./upgrade-chain.ts";

/** A change whose values only a function of its class knows. */
export type Conversion =
  | RetypeStep
  | SplitStep
  | JoinStep
  | (VersionChange & { readonly type: "free" } & {
      readonly op: "free";
      readonly before: Shape;
      readonly after: Shape;
    });

/**
 * The names that the value of each property of the last version may come from, its own included; and those of what the same step
 * gave, since they are read together.
 */
export function originsOf(chain: UpgradeChain): ReadonlyMap<string, readonly string[]> {
  const origins = new Map(Object.keys(chain.shapes[0] as Shape).map((name) => [name, [name]]));
  for (let version = 2; version <= chain.version; version++)
    for (const { reads, gives, taken } of stepsTo(chain, version)) {
      const names = taken.map((at) => (reads[at] as StepProperty).name);
      const read = names.flatMap((name) => origins.get(name) ?? []);
      for (const name of names) origins.delete(name);
      const given = gives.map(({ name }) => name);
      for (const name of given)
        origins.set(name, [...new Set([...(origins.get(name) ?? []), ...read, ...given])]);
    }
  return origins;
}

/** The types of all names right before a step. */
type Types = ReadonlyMap<string, StoredType>;

/** A property that a step reads or gives. */
export interface StepProperty {
  readonly name: string;
  readonly type: StoredType | undefined;
}

/** One step of a change, be it named or a function over all values, with the properties that it reads and gives. */
export interface ChangeStep<Step = NamedStep | Conversion> {
  readonly step: Step;
  readonly reads: readonly StepProperty[];
  readonly gives: readonly StepProperty[];
  /** The places in `reads` of those that it takes away. A function over all values may give some of them again. */
  readonly taken: readonly number[];
}

/** The steps that lead to a version from the one before it. */
export function stepsTo({ changes, shapes }: UpgradeChain, version: number): readonly ChangeStep[] {
  const change = changes[version - 2] as VersionChange;
  const [before, after] = [shapes[version - 2], shapes[version - 1]] as [Shape, Shape];
  return change.type === "free"
    ? [changeStep({ ...change, op: "free", before, after } as const, new Map(Object.entries(before)))]
    : withTypes(change.steps, before);
}

function withTypes(steps: readonly NamedStep[], before: Shape): readonly ChangeStep[] {
  let types = new Map(Object.entries(before));
  return steps.map((step) => {
    const now = types;
    types = new Map(now);
    const former = step.op === "rename" ? now.get(step.from) : undefined;
    for (const [name, type = former] of Object.entries(targetsOf(step))) if (type) types.set(name, type);
    return changeStep(step, now);
  });
}

/** The names whose values a step reads, and which it takes away. A function over all values may give some of them again. */
function sourcesOf(step: NamedStep | Conversion): readonly string[] {
  switch (step.op) {
    case "free":
      return Object.keys(step.before);
    case "join":
      return step.from;
    case "add":
      return [];
    case "remove":
      return [step.name];
    default:
      return [step.from];
  }
}

/** The names that a step gives, with the types that it says of them. */
export function targetsOf(step: NamedStep | Conversion): Readonly<Record<string, StoredType | undefined>> {
  switch (step.op) {
    case "free":
      return step.after;
    case "split":
      return step.into;
    case "add":
      return { [step.name]: step.type };
    case "remove":
      return {};
    case "rename":
      return { [step.to]: undefined };
    default:
      return { [step.to]: step.type };
  }
}

function changeStep(step: NamedStep | Conversion, types: Types): ChangeStep {
  const targets = targetsOf(step);
  const former = step.op === "rename" ? types.get(step.from) : undefined;
  const reads = sourcesOf(step).map((name) => ({ name, type: types.get(name) }));
  const gives = Object.entries(targets).map(([name, type = former]) => ({ name, type }));
  const taken = reads.flatMap(({ name }, at) => (Object.hasOwn(targets, name) ? [] : [at]));
  return { step, reads, gives, taken };
}
