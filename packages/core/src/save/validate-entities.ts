import { asError } from "../errors/built-ins.ts";
import { ValidationError } from "../errors/validation-error.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { type ChangeSet, noteFailure, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { StateError } from "../errors/state-error.ts";
import { invalidSave } from "./describe-save.ts";
import type { SaveError } from "./save-error.ts";
import { abortedEntry, refused } from "./unsent-results.ts";

/** One constraint that a value does not meet. */
export interface ConstraintViolation {
  /** The property, or a path into it: `address.city`; empty for the entity as a whole. */
  readonly property: string;
  /** What is wrong, without the value. */
  readonly message: string;
}

/** Checks an entity before it is written; returns what is wrong with it, nothing when it is fine. */
export type EntityValidator = (
  entity: object,
) => readonly ConstraintViolation[] | Promise<readonly ConstraintViolation[]>;

/** One validator that asks all of these. */
export function allValidators(validate: EntityValidator | readonly EntityValidator[]): EntityValidator {
  if (typeof validate === "function") return validate;
  return async (entity) => {
    const violations: ConstraintViolation[] = [];
    for (const one of validate) violations.push(...((await one(entity)) ?? []));
    return violations;
  };
}

/** What a validator says of an entity, as one error; undefined when it is fine. */
async function validationErrorOf(
  { entity, model, key }: TrackedEntity,
  validate: EntityValidator,
): Promise<ValidationError | undefined> {
  // Validators without types may return nothing for an entity that is fine.
  const violations = (await validate(entity)) ?? [];
  return violations.length === 0
    ? undefined
    : new ValidationError(subjectOf(model, key), model.name, violations);
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
    return asError(error);
  }
}
