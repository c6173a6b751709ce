import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { SaveError } from "./save-error.ts";
import { StateError } from "../errors/state-error.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import type { UndeclaredPolicy } from "../model/undeclared-policy.ts";
import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import { checkChildren, checkUndeclared } from "../unit-of-work/check-undeclared.ts";
import { changeSetOf, type ChangeOptions } from "../unit-of-work/change-set.ts";
import { checkAssignable, systemNames } from "../unit-of-work/state-errors.ts";
import {
  type ChangeSet,
  type Intent,
  noteFailure,
  type TrackedEntity,
} from "../unit-of-work/tracked-entity.ts";
import { invalidSave } from "./describe-save.ts";
import { type EntityValidator, validationErrorOf } from "./validate-entities.ts";

/** How a save collects its changes. */
export interface CollectOptions extends ChangeOptions {
  /** All that is tracked: children that were put into a parent's list must be among them. */
  readonly entities: IdentityMap;
  readonly undeclared: UndeclaredPolicy | undefined;
}

/** @throws SaveError `save.invalid` listing every entity that cannot be stored; nothing is sent then */
export function collectChanges(entries: readonly TrackedEntity[], options: CollectOptions): ChangeSet[] {
  const changes: ChangeSet[] = [];
  const problems: SaveResult[] = parentsWithLostChildren(options);
  for (const entry of entries) {
    try {
      const change = changeSetOf(entry, options);
      if (change === undefined) continue;
      if (change.after !== undefined) checkWritten(entry, options);
      changes.push(change);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      noteFailure(entry, error);
      problems.push(refused(entry, error));
    }
  }
  if (problems.length > 0)
    throw invalidSave(
      problems,
      changes.map(({ entry }) => abortedEntry(entry)),
    );
  return changes;
}

/** Parents whose lists have children that nobody added, whether the parent itself is saved or not. */
function parentsWithLostChildren({ entities, undeclared }: CollectOptions): SaveResult[] {
  const isTracked = (child: object): boolean => entities.ofEntity(child) !== undefined;
  return entities.parents().flatMap((entry) => {
    if (entry.intent.type === "remove") return [];
    try {
      checkChildren(entry, undeclared, isTracked);
      return [];
    } catch (error) {
      return [refused(entry, error as Error)];
    }
  });
}

/** @throws StateError `entity.undeclared-property`, `entity.frozen` */
function checkWritten(entry: TrackedEntity, { undeclared }: CollectOptions): void {
  const { entity, model, key } = entry;
  checkUndeclared(entry, undeclared);
  checkAssignable(entity, model, key, "The save", systemNames);
}

/** @throws SaveError `save.invalid` listing every violation of every entity; nothing is sent then */
async function checkConstraints(
  fresh: readonly ChangeSet[],
  changes: readonly ChangeSet[],
  validate: EntityValidator,
): Promise<void> {
  const problems: SaveResult[] = [];
  for (const change of fresh) {
    const error = change.after === undefined ? undefined : await problemOf(change.entry, validate);
    if (error === undefined) continue;
    noteFailure(change.entry, error);
    problems.push(refused(change.entry, error));
  }
  const isValid = ({ entry }: ChangeSet): boolean => !problems.some(({ entity }) => entity === entry.entity);
  if (problems.length > 0)
    throw invalidSave(
      problems,
      changes.filter(isValid).map(({ entry }) => abortedEntry(entry)),
    );
}

/** Validates until nothing has changed while validators ran. @throws SaveError `save.invalid` */
export async function validated(collect: () => ChangeSet[], validate: EntityValidator): Promise<ChangeSet[]> {
  const seen = new Map<TrackedEntity, string>();
  for (let round = 1; ; round++) {
    const changes = collect();
    const fresh = changes.filter(({ entry, operation }) => seen.get(entry) !== JSON.stringify(operation));
    if (fresh.length === 0) return changes;
    if (round > maxRounds) throw restless(fresh, changes);
    await checkConstraints(fresh, changes, validate);
    for (const { entry, operation } of fresh) seen.set(entry, JSON.stringify(operation));
  }
}

/** Entities that change while they are validated are validated again, so often. */
const maxRounds = 10;

function restless(fresh: readonly ChangeSet[], changes: readonly ChangeSet[]): SaveError {
  const [first] = fresh;
  const entry = first?.entry as TrackedEntity;
  const error = new StateError(
    "entity.changed-by-validator",
    `${subjectOf(entry.model, entry.key)} is changed again each time it is validated. Let a validator look only, and make such changes in a "saving" hook.`,
    { entity: entry.model.name },
  );
  const others = changes.filter((change) => change.entry !== entry);
  return invalidSave(
    [refused(entry, error)],
    others.map((change) => abortedEntry(change.entry)),
  );
}

/** What is wrong with an entity; a validator that throws finds it wrong too. */
async function problemOf(entry: TrackedEntity, validate: EntityValidator): Promise<Error | undefined> {
  try {
    return await validationErrorOf(entry, validate);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The result of an entity that is not sent because others cannot be. */
export const abortedEntry = ({ entity, model, key, intent }: TrackedEntity): SaveResult => ({
  entity,
  subject: subjectOf(model, key),
  operation: operationOf(intent),
  outcome: "rejected",
  aborted: true,
  attempts: 0,
});

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
