import type { ClassSnapshot, IndexSnapshot } from "../snapshot/model-snapshot.ts";
import type { ClassChange } from "./model-change.ts";

/** Compares indexes: a release that does not know an index does not maintain it. */
export function compareIndexes(
  { indexes: before = [] }: ClassSnapshot,
  { indexes: after = [] }: ClassSnapshot,
): readonly ClassChange[] {
  const changes: ClassChange[] = [];
  for (const index of after) {
    const old = before.find(({ name }) => name === index.name);
    const change = old === undefined ? added(index) : changed(old, index);
    if (change !== undefined) changes.push({ ...change, index: index.name });
  }
  for (const index of before)
    if (!after.some(({ name }) => name === index.name))
      changes.push({ ...removed(index), index: index.name });
  return changes;
}

function added({ name, isUnique, isUnread, state }: IndexSnapshot): ClassChange {
  if (isUnread === true || state === "building")
    return {
      severity: "needs order",
      message: `The index ${name} is written, but not read yet${isUnique ? " or enforced" : ""}. Once the old release no longer runs, remove supports() and build the index.`,
    };
  if (isUnique)
    return {
      severity: "breaks new readers",
      message: `The index ${name} is unique, but the old release does not enforce it. Declare it with since and supports(), and build it once the old release no longer runs.`,
    };
  return {
    severity: "breaks new readers",
    message: `The index ${name} is new, so the old release does not maintain it. Declare it with since and supports(), and build it once the old release no longer runs.`,
  };
}

function changed(old: IndexSnapshot, { name, definition, state }: IndexSnapshot): ClassChange | undefined {
  if (old.definition !== definition)
    return {
      severity: "breaks both",
      message: `The index ${name} is defined differently, and each release maintains its own. Declare the new one with another name and prefix, and retire this one later.`,
    };
  if (old.state !== "retired" && state === "retired") return removed(old);
  return undefined;
}

const removed = ({ name, state }: IndexSnapshot): ClassChange =>
  state === "retired"
    ? {
        severity: "harmless",
        message: `The index ${name} no longer exists, and the old release does not use it.`,
      }
    : {
        severity: "breaks old readers",
        message: `The index ${name} is no longer maintained, but the old release reads it. Keep it with supports(…, { indexes: … }), or retire it once the old release no longer runs.`,
      };
