import type { ClassSnapshot } from "../snapshot/model-snapshot.ts";
import type { ClassChange } from "./model-change.ts";

/** Compares the versions of rows that each release reads and writes. */
export function compareVersions(old: ClassSnapshot, newer: ClassSnapshot): readonly ClassChange[] {
  const [from, to] = [numberOf(old), numberOf(newer)];
  const changes: ClassChange[] = [];
  if (
    old.version !== undefined &&
    newer.version !== undefined &&
    old.version.storedAs !== newer.version.storedAs
  )
    changes.push({
      severity: "breaks both",
      message: `The version is stored as ${newer.version.storedAs}, but was stored as ${old.version.storedAs}. Keep versionProperty.`,
    });
  if (to < from)
    changes.push({
      severity: "breaks new readers",
      message: `The new release writes version ${to}, but does not know the old one's version ${from}. Keep the steps.`,
    });
  const { supports = to, oldest = 1 } = newer.version ?? {};
  if (to > from && supports > from)
    changes.push({
      severity: "breaks old readers",
      message: `The old release may not write rows of version ${to}. Keep its version with supports(${from}) until it no longer runs.`,
    });
  if (to > from && supports <= from)
    changes.push({
      severity: "needs order",
      message: `Version ${to} keeps the form of version ${supports}. Once no release of version ${from} runs, remove supports(${supports}); then upgrade the table and declare it clean().`,
    });
  if (oldest > from)
    changes.push({
      severity: "breaks new readers",
      message: `The new release declares clean(${oldest}), but the old one writes version ${from}. Remove clean() while it runs.`,
    });
  return changes;
}

const numberOf = ({ version }: ClassSnapshot): number => version?.number ?? 1;

/** Whether the new release keeps rows in a form that the old one reads. */
export const isSupported = (old: ClassSnapshot, newer: ClassSnapshot): boolean =>
  numberOf(newer) > numberOf(old) && (newer.version?.supports ?? Infinity) <= numberOf(old);

/** The upgrades that the new release declares between the two versions; undefined if there are none. */
export function stepsBetween(
  old: ClassSnapshot,
  newer: ClassSnapshot,
): { readonly from: number; readonly to: number } | undefined {
  const [from, to] = [numberOf(old), numberOf(newer)];
  return to > from && newer.version?.shapes !== undefined ? { from, to } : undefined;
}
