import { originsOf } from "../sides/stored-origins.ts";
import type { ClassSnapshot, PropertySnapshot, VersionSnapshot } from "../snapshot/model-snapshot.ts";
import { compareTypes } from "./compare-types.ts";
import { isSupported, stepsBetween } from "./compare-versions.ts";
import type { ClassChange } from "./model-change.ts";

/** Compares stored properties, by their stored names and the upgrade steps. */
export function compareProperties(old: ClassSnapshot, newer: ClassSnapshot): readonly ClassChange[] {
  const before = new Map(old.properties.map((property) => [property.storedAs, property]));
  const after = new Map(newer.properties.map((property) => [property.storedAs, property]));
  const made = originsIn(old, newer);
  const renamed = new Set<string>();
  const changes: ClassChange[] = [];
  for (const property of newer.properties) {
    const same = before.get(property.storedAs);
    if (same !== undefined) {
      changes.push(...compareTypes(same, property));
      continue;
    }
    const origins = [...(made.get(property.storedAs) ?? [])];
    const byName = old.properties.find(
      ({ name, storedAs }) => name === property.name && !after.has(storedAs),
    );
    const from = origins.length > 0 ? origins : byName === undefined ? [] : [byName.storedAs];
    for (const name of from) renamed.add(name);
    // Rows of older versions get a value from the step that adds the property.
    const isStep = made.has(property.storedAs);
    changes.push(from.length > 0 ? storedAnew(old, newer, from, property) : added(property, isStep));
  }
  for (const property of old.properties)
    if (!after.has(property.storedAs) && !renamed.has(property.storedAs))
      changes.push(removed(property, isSupported(old, newer)));
  return changes;
}

function originsIn(old: ClassSnapshot, newer: ClassSnapshot): ReturnType<typeof originsOf> {
  const between = stepsBetween(old, newer);
  if (between === undefined) return new Map();
  return originsOf(newer.version as VersionSnapshot, between.from, between.to);
}

/** A property that replaces others. */
function storedAnew(
  old: ClassSnapshot,
  newer: ClassSnapshot,
  from: readonly string[],
  { storedAs: property }: PropertySnapshot,
): ClassChange {
  const text = `${property} replaces ${from.join(" and ")}`;
  if (isSupported(old, newer))
    return {
      severity: "harmless",
      property,
      message: `${text}, and rows keep the properties that the old release reads.`,
    };
  const hasStep = stepsBetween(old, newer) !== undefined;
  return {
    severity: hasStep ? "breaks old readers" : "breaks both",
    property,
    message: hasStep
      ? `${text}: the old release sees no value, and its own values are not seen. Keep its version with supports().`
      : `${text} without an upgrade step, so neither release sees the other's values. Declare the step, with supports().`,
  };
}

/** Whether a row without the property cannot be read. */
const isNeededIn = ({ presence, hasInitial, within }: PropertySnapshot): boolean =>
  presence === "required" && hasInitial !== true && within === undefined;

function added(added: PropertySnapshot, isStep: boolean): ClassChange {
  const { storedAs: property } = added;
  const isNeeded = isNeededIn(added) && !isStep;
  return isNeeded
    ? {
        severity: "breaks new readers",
        property,
        message: `${property} is required, but rows of the old release lack it. Make it optional, or give it a default.`,
      }
    : {
        severity: "harmless",
        property,
        message: `${property} is new. The old release preserves it in rows that it changes.`,
      };
}

function removed(removed: PropertySnapshot, isKept: boolean): ClassChange {
  const { storedAs: property } = removed;
  const isNeeded = isNeededIn(removed) && !isKept;
  return isNeeded
    ? {
        severity: "breaks old readers",
        property,
        message: `${property} no longer exists, but the old release requires it. First release it as optional, or remove it by a step with a way back and supports().`,
      }
    : {
        severity: "harmless",
        property,
        message: `${property} no longer exists. Rows that contain it keep it.`,
      };
}
