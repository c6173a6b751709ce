import type { ClassSnapshot, ModelSnapshot } from "../snapshot/model-snapshot.ts";
import { match, type Match } from "../sides/match.ts";
import { compareIndexes } from "./compare-indexes.ts";
import { compareKeys } from "./compare-keys.ts";
import { compareKinds } from "./compare-kinds.ts";
import { compareProperties } from "./compare-properties.ts";
import { compareVersions } from "./compare-versions.ts";
import { type ClassChange, type ModelChange, severities } from "./model-change.ts";

/**
 * Compares the models of two releases; returns the differences in order of severity. It needs no code of either
 * release, so it cannot try functions such as upgrade steps and converters; `checkRelease` does.
 *
 * ```ts
 * const changes = compareModels(snapshotModel([OldNote]), snapshotModel([Note]));
 * ```
 *
 * @param older - the model of the running release, made by `snapshotModel`
 * @param newer - the model of the release that will run next to it
 * @throws TypeError for a snapshot of another format
 */
export function compareModels(older: ModelSnapshot, newer: ModelSnapshot): readonly ModelChange[] {
  for (const snapshot of [older, newer]) checkFormat(snapshot);
  const pairs = match(older.classes, newer.classes);
  const changes = pairs.flatMap((pair) => changesOf(pair, older.classes));
  return changes.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

function checkFormat(snapshot: Partial<ModelSnapshot> | undefined): void {
  if (snapshot?.format === 1 && Array.isArray(snapshot.classes)) return;
  throw new TypeError(
    "compareModels(old, new) takes results of snapshotModel() in format 1. Write the snapshot again with this version of @partita/testing.",
  );
}

function changesOf(
  { old, new: newer }: Match<ClassSnapshot>,
  before: readonly ClassSnapshot[],
): readonly ModelChange[] {
  const { table, name: entity } = (newer ?? old) as ClassSnapshot;
  const changes =
    old === undefined
      ? [added(newer as ClassSnapshot, before)]
      : newer === undefined
        ? [removed(old)]
        : compareClasses(old, newer);
  return changes.map((change) => ({ ...change, table, entity }));
}

function compareClasses(old: ClassSnapshot, newer: ClassSnapshot): readonly ClassChange[] {
  return [
    ...(old.name === newer.name
      ? []
      : [
          {
            severity: "harmless" as const,
            message: `The class ${old.name} is now ${newer.name}. Rows do not contain its name.`,
          },
        ]),
    ...compareKinds(old, newer),
    ...compareVersions(old, newer),
    ...compareKeys(old, newer),
    ...compareProperties(old, newer),
    ...compareIndexes(old, newer),
    ...compareSettings(old, newer),
  ];
}

function added({ table, name, kind }: ClassSnapshot, before: readonly ClassSnapshot[]): ClassChange {
  const others = before.filter((each) => each.table.toLowerCase() === table.toLowerCase());
  const isSkipped = others.every(({ isBase, settings }) => !isBase || settings.unknownKind !== "error");
  if (others.length === 0 || (kind !== undefined && isSkipped))
    return { severity: "harmless", message: `${name} is new, and the old release does not read its rows.` };
  return {
    severity: "breaks old readers",
    message:
      kind === undefined
        ? `${name} is new in a table that the old release reads, and its rows cannot be distinguished. Give each class a kind.`
        : `The kind ${kind.name} is new, and the old release does not know it when it reads the base class. Release the class first, or unknownKind: "skip", and write its rows later.`,
  };
}

const removed = ({ name }: ClassSnapshot): ClassChange => ({
  severity: "breaks new readers",
  message: `${name} no longer exists, but the old release still writes its rows. Remove the class once no release writes them.`,
});

function compareSettings(
  { settings: old }: ClassSnapshot,
  { settings: newer }: ClassSnapshot,
): readonly ClassChange[] {
  const changes: ClassChange[] = [];
  if (old.proof !== newer.proof || old.outbox !== newer.outbox)
    changes.push({
      severity: "harmless",
      message: "Markers or outbox messages are stored differently: other releases skip such rows.",
    });
  if (old.scopedBy !== newer.scopedBy)
    changes.push({
      severity: "needs order",
      message:
        "The scope of the table has changed. The old release reads and writes without it until it no longer runs.",
    });
  return changes;
}
