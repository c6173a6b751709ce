import type { VersionModel } from "@partita/core/models";
import type { NamedStep, Shape, VersionChange } from "@partita/core/upgrades";
import type { ChangeSnapshot, ShapeSnapshot, StepSnapshot, VersionSnapshot } from "./model-snapshot.ts";
import { typeSnapshot } from "./type-snapshot.ts";

export function versionSnapshot({
  number,
  storedName: storedAs,
  lowest,
  chain,
}: VersionModel): VersionSnapshot {
  return {
    number,
    storedAs,
    supports: lowest,
    oldest: chain?.oldest ?? 1,
    ...(chain !== undefined && {
      shapes: chain.shapes.map(shapeSnapshot),
      changes: chain.changes.map(changeSnapshot),
    }),
  };
}

const shapeSnapshot = (shape: Shape): ShapeSnapshot =>
  Object.fromEntries(
    Object.entries(shape)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { serializer, presence }]) => [name, typeSnapshot(serializer, presence)]),
  );

function changeSnapshot(change: VersionChange): ChangeSnapshot {
  return change.type === "free"
    ? { type: "free", hasBack: hasBack(change) }
    : { type: "steps", steps: change.steps.map(stepSnapshot) };
}

const hasBack = (step: object): boolean => typeof (step as { readonly back?: unknown }).back === "function";

function stepSnapshot(step: NamedStep): StepSnapshot {
  const { op } = step;
  switch (step.op) {
    case "rename":
      return { op, from: [step.from], to: [step.to] };
    case "add":
      return { op, from: [], to: [step.name] };
    case "remove":
      return { op, from: [step.name], to: [], hasBack: hasBack(step) };
    case "retype":
      return { op, from: [step.from], to: [step.to], hasBack: hasBack(step) };
    case "split":
      return { op, from: [step.from], to: Object.keys(step.into), hasBack: hasBack(step) };
    case "join":
      return { op, from: step.from, to: [step.to], hasBack: hasBack(step) };
    default:
      return step satisfies never;
  }
}
