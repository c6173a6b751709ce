// Scanners call this file for rows in an older form. It decides whether an older release has changed what the values of
// later versions were made from; if so, the row is upgraded step by step.

import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { PropertyModel } from "../declaration/entity-model.ts";
import { isMissing, revertValues } from "../upgrade/convert-values.ts";
import { isAsInSnapshot } from "./comparison.ts";
import type { RetypeStep } from "../upgrade/step.ts";
import type { LaidProperty, LaidStep, OlderLayout } from "./older-layout.ts";
import { hostValueOf, isStored } from "./snapshot.ts";

/**
 * Whether the values of later versions stand in a row: the ways back of their steps give the older values that the row
 * has. It returns false for rows that it cannot decide.
 */
export const isRemembered =
  ({ steps, added, rows: { properties } }: OlderLayout) =>
  (
    own: readonly SnapshotValue[],
    older: readonly SnapshotValue[],
    partitionKey: string,
    rowKey: string,
  ): boolean => {
    const values = [...own, ...older];
    for (const at of added) if (!isStored(values[at])) return false;
    try {
      for (const step of steps) if (!isStanding(step, properties, values, partitionKey, rowKey)) return false;
      return true;
    } catch {
      // The upgrade of the row reports it.
      return false;
    }
  };

function isStanding(
  laid: LaidStep,
  properties: readonly PropertyModel[],
  values: readonly SnapshotValue[],
  PartitionKey: string,
  RowKey: string,
): boolean {
  const { step, reads, gives, taken } = laid;
  if (step.op === "retype") return isRetyped(laid, properties, values);
  // A name that a function both reads and gives has nothing remembered.
  if (!gives.some(({ at }) => isStored(values[at]) && !reads.some((read) => read.at === at)))
    return step.op !== "free" && !reads.some(({ at }) => isStored(values[at]));
  const given = gives.map((property) => hostValueIn(property, properties, values));
  const older = revertValues(laid, given, { PartitionKey, RowKey });
  return taken.every((i) => isSame(reads[i] as LaidProperty, properties, values, older[i]));
}

/** The same for the most frequent step, without lists: it runs for each row that is read. */
function isRetyped(
  { step, reads, gives }: LaidStep,
  properties: readonly PropertyModel[],
  values: readonly SnapshotValue[],
): boolean {
  const read = reads[0] as LaidProperty;
  const given = gives[0] as LaidProperty;
  if (!isStored(values[given.at])) return !isStored(values[read.at]);
  const value = hostValueIn(given, properties, values);
  return isSame(read, properties, values, (step as RetypeStep).back?.(value as never));
}

/** Whether a row has the older value that a way back gives. */
function isSame(
  { at, type }: LaidProperty,
  properties: readonly PropertyModel[],
  values: readonly SnapshotValue[],
  older: unknown,
): boolean {
  const value = values[at];
  return isStored(value)
    ? isAsInSnapshot(properties[at] as PropertyModel, value, older)
    : isMissing(older) && type?.presence !== "default";
}

/** The value of a property in a row, decoded; the default of its type if the row has none. */
export function hostValueIn(
  { at, type }: LaidProperty,
  properties: readonly PropertyModel[],
  values: readonly SnapshotValue[],
): unknown {
  const value = values[at];
  if (!isStored(value)) return type?.presence === "default" ? type.defaultValue : undefined;
  // Objects may be changed in place by a way back, so it gets its own.
  const property = properties[at] as PropertyModel;
  return typeof value === "object" || property.serializer.keeping === "stored"
    ? hostValueOf(property, value)
    : value;
}
