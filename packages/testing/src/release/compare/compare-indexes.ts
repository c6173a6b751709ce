import type { ClassSnapshot, IndexSnapshot } from "../snapshot/model-snapshot.ts";
import type { ClassChange } from "./model-change.ts";

/** Rows of indexes: a release that does not know an index does not maintain it. */
export function compareIndexes(
  { indexes: before = [], version }: ClassSnapshot,
  { indexes: after = [] }: ClassSnapshot,
): readonly ClassChange[] {
  const changes: ClassChange[] = [];
  for (const index of after) {
    const old = before.find(({ name }) => name === index.name);
    const change = old === undefined ? added(index, version?.number ?? 1) : changed(old, index);
    if (change !== undefined) changes.push({ ...change, index: index.name });
  }
  for (const index of before)
    if (!after.some(({ name }) => name === index.name))
      changes.push({ ...removed(index), index: index.name });
  return changes;
}

function added({ name, isUnique, since, state }: IndexSnapshot, oldVersion: number): ClassChange {
  if (isUnique)
    return {
      severity: "breaks new readers",
      message: `The index ${name} holds values unique, and the old release does not. Rely on it once that no longer runs and the index is built.`,
    };
  if (state === "building" || (since ?? 0) > oldVersion)
    return {
      severity: "needs order",
      message: `The index ${name} is written, and read once the old release no longer runs and the index is built.`,
    };
  return {
    severity: "breaks new readers",
    message: `The index ${name} is new, and the old release does not maintain it. Mark it with the version since which it is written; build it and read it once the old release no longer runs.`,
  };
}

function changed(
  old: IndexSnapshot,
  { name, definition, state, since }: IndexSnapshot,
): ClassChange | undefined {
  if (old.definition !== definition)
    return {
      severity: "breaks both",
      message: `The index ${name} is defined otherwise, and each release maintains its own. Declare the new one under another name and prefix, and retire this one later.`,
    };
  if (old.state !== "retired" && state === "retired") return removed(old);
  return old.since === since
    ? undefined
    : { severity: "harmless", message: `The index ${name} says another version since which it is written.` };
}

const removed = ({ name, state }: IndexSnapshot): ClassChange =>
  state === "retired"
    ? { severity: "harmless", message: `The index ${name} is gone, and the old release does not use it.` }
    : {
        severity: "breaks old readers",
        message: `The index ${name} is no longer maintained, and the old release reads it. Retire it once that no longer runs.`,
      };
