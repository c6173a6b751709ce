import type { NamedStep } from "./step.ts";
import type { UpgradeChain } from "./upgrades.ts";

/** What rows of older versions have in place of a property. */
export interface PropertyTrace {
  /** Names it had, with the same values. */
  readonly formerNames: readonly string[];
  /** The value it has for rows older than it. */
  readonly added: { readonly value: unknown } | undefined;
  /** Rows below this version have it in values that only their upgrade computes; undefined when there are none. */
  readonly unknownBelow: number | undefined;
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
  let settledFrom = version;
  let name = storedName;
  for (let v = version; v > oldest; v--) {
    const change = changes[v - 2];
    const origin: Origin =
      change?.type === "free" ? { type: "unknown" } : originOf(name, change?.steps ?? []);
    if (origin.type === "unknown") unknownBelow = v;
    if (origin.type === "added") added = { value: origin.value };
    if (origin.type !== "name") break;
    if (origin.name !== name) formerNames.push((name = origin.name));
    if (formerNames.length === 0) settledFrom = v - 1;
  }
  const isOlder = (i: number): boolean => i + 1 < settledFrom && i + 1 >= oldest;
  const isNameReused = shapes.some((shape, i) => isOlder(i) && Object.hasOwn(shape, storedName));
  if (settledFrom === oldest && formerNames.length === 0) return undefined;
  return { formerNames, added, unknownBelow, settledFrom, isNameReused };
}

type Origin =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "added"; readonly value: unknown }
  | { readonly type: "unknown" };

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
        if (step.to === current) return { type: "unknown" };
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
