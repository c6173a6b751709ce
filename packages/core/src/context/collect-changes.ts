import type { SaveResult } from "../errors/save-error.ts";
import { subjectOf } from "../materialize/encode-entity.ts";
import { changeSetOf, type ChangeOptions } from "../unit-of-work/change-set.ts";
import type { ChangeSet, Intent, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { invalidSave } from "./describe-save.ts";
import { type EntityValidator, validationErrorOf } from "./validate-entities.ts";

/** @throws SaveError `save.invalid` listing every entity that cannot be stored; nothing is sent then */
export function collectChanges(entries: readonly TrackedEntity[], options: ChangeOptions): ChangeSet[] {
  const changes: ChangeSet[] = [];
  const problems: SaveResult[] = [];
  for (const entry of entries) {
    try {
      const change = changeSetOf(entry, options);
      if (change !== undefined) changes.push(change);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      entry.lastError = error;
      problems.push(refused(entry, error));
    }
  }
  if (problems.length > 0) throw invalidSave(problems, changes);
  return changes;
}

/** @throws SaveError `save.invalid` listing every violation of every entity; nothing is sent then */
async function checkConstraints(
  fresh: readonly ChangeSet[],
  changes: readonly ChangeSet[],
  validate: EntityValidator,
): Promise<void> {
  const problems: SaveResult[] = [];
  for (const change of fresh) {
    const error = change.after === undefined ? undefined : await validationErrorOf(change.entry, validate);
    if (error === undefined) continue;
    change.entry.lastError = error;
    problems.push(refused(change.entry, error));
  }
  const isValid = ({ entry }: ChangeSet): boolean => !problems.some(({ entity }) => entity === entry.entity);
  if (problems.length > 0) throw invalidSave(problems, changes.filter(isValid));
}

/** Validates until nothing has changed while validators ran. @throws SaveError `save.invalid` */
export async function validated(collect: () => ChangeSet[], validate: EntityValidator): Promise<ChangeSet[]> {
  const seen = new Map<TrackedEntity, string>();
  for (;;) {
    const changes = collect();
    const fresh = changes.filter(({ entry, operation }) => seen.get(entry) !== JSON.stringify(operation));
    if (fresh.length === 0) return changes;
    await checkConstraints(fresh, changes, validate);
    for (const { entry, operation } of fresh) seen.set(entry, JSON.stringify(operation));
  }
}

/** The result of an entity that is not sent at all. */
export function refused({ entity, model, key, intent }: TrackedEntity, error: Error): SaveResult {
  return {
    entity,
    subject: subjectOf(model, key),
    operation: operationOf(intent),
    outcome: "rejected",
    attempts: 0,
    error,
  };
}

function operationOf(intent: Intent): SaveResult["operation"] {
  switch (intent.type) {
    case "add":
      return "insert";
    case "upsert":
      return `upsert-${intent.mode}`;
    case "remove":
      return "delete";
    case "none":
      return "merge";
    default:
      return intent satisfies never;
  }
}
