import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { type ChangeSet, noteFailure, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { invalidSave } from "./describe-save.ts";
import type { SaveError } from "./save-error.ts";
import { JudgedCopy } from "./judged-entity.ts";
import { refused } from "../recovery/unsent-results.ts";
import { type EntityValidator, problemOf } from "./validator.ts";

/** @throws SaveError `save.invalid` listing every violation of every entity; nothing is sent then */
async function checkConstraints(
  fresh: readonly ChangeSet[],
  changes: readonly ChangeSet[],
  validators: readonly EntityValidator[],
): Promise<void> {
  const problems: SaveResult[] = [];
  // All copies are made before the first validator runs, from the changes found a moment ago.
  const stored = fresh.flatMap(({ entry, after }) => (after === undefined ? [] : [entry]));
  const copies = stored.map((entry) => validators.map(() => new JudgedCopy(entry)));
  for (const [i, entry] of stored.entries()) {
    const error = await problemOf(copies[i] as JudgedCopy[], validators);
    if (error === undefined) continue;
    noteFailure(entry, error);
    problems.push(refused(entry, error));
  }
  const isValid = ({ entry }: ChangeSet): boolean => !problems.some(({ entity }) => entity === entry.entity);
  if (problems.length > 0)
    throw invalidSave(
      problems,
      changes.filter(isValid).map(({ entry }) => entry),
    );
}

/** Validates until nothing changes while validators run. @throws SaveError `save.invalid` */
export async function validated(
  collect: (isFirst: boolean) => ChangeSet[],
  validators: readonly EntityValidator[],
): Promise<ChangeSet[]> {
  const seen = new Map<TrackedEntity, string>();
  for (let round = 1; ; round++) {
    const changes = collect(round === 1);
    const fresh = changes.filter(({ entry, operation }) => seen.get(entry) !== JSON.stringify(operation));
    if (fresh.length === 0) return changes;
    if (round > maxRounds) throw restless(fresh, changes);
    await checkConstraints(fresh, changes, validators);
    for (const { entry, operation } of fresh) seen.set(entry, JSON.stringify(operation));
  }
}

/** Maximum rounds for entities that change while they are validated. */
const maxRounds = 10;

function restless(fresh: readonly ChangeSet[], changes: readonly ChangeSet[]): SaveError {
  const [first] = fresh;
  const entry = first?.entry as TrackedEntity;
  const error = new StateError(
    "validator.endless",
    `${subjectOf(entry.model, entry.key)} changes again each time it is validated. Transforms of validators must not change their own results again; other code must not change entities during a save.`,
    { entity: entry.model.name },
  );
  const others = changes.filter((change) => change.entry !== entry);
  return invalidSave(
    [refused(entry, error)],
    others.map((change) => change.entry),
  );
}
