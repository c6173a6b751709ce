import type { ClassSnapshot, KindSnapshot } from "../snapshot/model-snapshot.ts";
import type { ClassChange } from "./model-change.ts";

/** Compares how rows of a class are distinguished from others in their table. */
export function compareKinds(
  { kind: old, settings }: ClassSnapshot,
  newer: ClassSnapshot,
): readonly ClassChange[] {
  const { kind } = newer;
  if (old === undefined && kind === undefined) return [];
  if (old === undefined || kind === undefined)
    return [
      {
        severity: "breaks both",
        message: `${newer.name} ${old === undefined ? "has become" : "is no longer"} a kind, so each release ignores the other's rows.`,
      },
    ];
  const changes: ClassChange[] = [];
  if (old.key !== kind.key || (old.storedAs === null) !== (kind.storedAs === null))
    changes.push({
      severity: "breaks both",
      message: `The kind ${kind.name} is stored in another position: in the key or in a property. Keep its position, or move the rows to the new key.`,
    });
  if (
    old.storedAs !== null &&
    kind.storedAs !== null &&
    settings.kindProperty !== newer.settings.kindProperty
  )
    changes.push({
      severity: "breaks both",
      message: `The kind is stored as ${newer.settings.kindProperty}, but was stored as ${settings.kindProperty}. Keep kindProperty.`,
    });
  return [...changes, ...namesOf(old, kind)];
}

function namesOf(old: KindSnapshot, newer: KindSnapshot): readonly ClassChange[] {
  if (old.name === newer.name) return [];
  const knowsOld = newer.formerly.includes(old.name);
  const isKnown = old.formerly.includes(newer.name);
  const text = `The kind ${old.name} is now called ${newer.name}`;
  if (knowsOld && isKnown)
    return [{ severity: "harmless", message: `${text}, and both releases know both names.` }];
  if (knowsOld)
    return [
      {
        severity: "breaks old readers",
        message: `${text}, which the old release does not know. First release formerly: ["${newer.name}"] with the old name, then rename.`,
      },
    ];
  return [
    {
      severity: isKnown ? "breaks new readers" : "breaks both",
      message: `${text}, and rows with the old name are not read. Add formerly: ["${old.name}"].`,
    },
  ];
}
