import type { JoinStep, NamedStep, RetypeStep } from "./step.ts";
import { targetsOf } from "./step-names.ts";
import type { UpgradeChain } from "./upgrade-chain.ts";

/** What rows of older versions have in place of a property. */
export interface PropertyTrace {
  /** Names it had, with the same values. */
  readonly formerNames: readonly string[];
  /** The value it has for rows older than it. */
  readonly added: { readonly value: unknown } | undefined;
  /** Rows below this version have it in values that only their upgrade computes; undefined when there are none. */
  readonly unknownBelow: number | undefined;
  /** The conversion that computes them, if its way back gives the values that such rows have. */
  readonly exact: ExactOrigin | undefined;
  /** From this version on, its name is its own; below, rows may use the name for something else, or not at all. */
  readonly settledFrom: number;
  /** Whether older rows have another property of its name. */
  readonly isNameReused: boolean;
}

/**
 * Follows a property of the last version back to the oldest that rows may have.
 *
 * @returns undefined when it has always been what it is
 */
export function traceProperty(
  { version, shapes, changes, oldest }: UpgradeChain,
  storedName: string,
): PropertyTrace | undefined {
  const formerNames: string[] = [];
  let added: { readonly value: unknown } | undefined;
  let unknownBelow: number | undefined;
  let exact: ExactOrigin | undefined;
  let settledFrom = version;
  let name = storedName;
  for (let v = version; v > oldest; v--) {
    const change = changes[v - 2];
    const origin: Origin =
      change?.type === "free" ? { type: "unknown" } : originOf(name, change?.steps ?? []);
    if (origin.type === "unknown") {
      unknownBelow = v;
      if (origin.exact !== undefined) exact = { step: origin.exact, version: v };
    }
    if (origin.type === "added") added = { value: origin.value };
    if (origin.type !== "name") break;
    if (origin.name !== name) formerNames.push((name = origin.name));
    if (formerNames.length === 0) settledFrom = v - 1;
  }
  const isOlder = (i: number): boolean => i + 1 < settledFrom && i + 1 >= oldest;
  const isNameReused = shapes.some((shape, i) => isOlder(i) && Object.hasOwn(shape, storedName));
  if (settledFrom === oldest && formerNames.length === 0) return undefined;
  return { formerNames, added, unknownBelow, exact, settledFrom, isNameReused };
}

type Origin =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "added"; readonly value: unknown }
  | { readonly type: "unknown"; readonly exact?: ExactStep | undefined };

/** A conversion with a way back that gives every older value again. */
type ExactStep = RetypeStep | JoinStep;

/** The conversion that gives a property its values, and the version that it leads to. */
export interface ExactOrigin {
  readonly step: ExactStep;
  readonly version: number;
}

/** Where a property comes from, in the version before these steps. */
function originOf(name: string, steps: readonly NamedStep[]): Origin {
  let current = name;
  for (const step of steps.toReversed())
    switch (step.op) {
      case "rename":
        if (step.to === current) current = step.from;
        break;
      case "add":
        if (step.name === current) return { type: "added", value: step.value };
        break;
      case "retype":
      case "join":
        if (step.to === current) return { type: "unknown", exact: exactStep(step, steps) };
        break;
      case "split":
        if (Object.hasOwn(step.into, current)) return { type: "unknown" };
        break;
      case "remove":
        break;
      default:
        return step satisfies never;
    }
  return { type: "name", name: current };
}

/** The step, if its way back leads to values that rows of the version before it have under the names that it takes. */
function exactStep(step: ExactStep, steps: readonly NamedStep[]): ExactStep | undefined {
  const from = typeof step.from === "string" ? [step.from] : step.from;
  const isFirst = steps
    .slice(0, steps.indexOf(step))
    .every((each) => !Object.keys(targetsOf(each)).some((name) => from.includes(name)));
  return step.exact === true && step.back !== undefined && isFirst ? step : undefined;
}
