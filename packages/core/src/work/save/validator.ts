import { asError } from "../../values/errors/built-ins.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { ValidationError } from "../../values/errors/validation-error.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { JudgedEntity } from "./judged-entity.ts";

/** One constraint that a value does not meet. */
export interface ConstraintViolation {
  /** The property, or a path into it: `address.city`; empty for the entity as a whole. */
  readonly property: string;
  /** What is wrong, without the value. */
  readonly message: string;
}

/** Options of validators that change values. */
export interface TransformOptions {
  /**
   * Whether changed values (trimmed, converted, filled in, removed) become edits of the entity, which are validated and saved.
   * Default false: a validator that changes what it is given is an error, `validator.changed-entity`.
   */
  readonly applyTransforms?: boolean | undefined;
}

/**
 * Checks an entity before it is written; returns its violations, or nothing when it is valid.
 *
 * It gets a copy that holds the loaded properties: `"title" in note` says whether `title` was loaded, and violations of properties
 * that were not are dropped.
 */
export interface EntityValidator extends TransformOptions {
  (entity: object): readonly ConstraintViolation[] | Promise<readonly ConstraintViolation[]>;
}

/**
 * Asks all validators, each after the edits of those before it. Returns the reason why an entity must not be saved; undefined when
 * it is valid.
 */
export async function problemOf(
  taken: JudgedEntity,
  validators: readonly EntityValidator[],
): Promise<Error | undefined> {
  const { entry } = taken;
  const violations: ConstraintViolation[] = [];
  try {
    let judged = taken;
    for (const validate of validators) {
      const { found, isEdited } = await askOne(judged, validate);
      violations.push(...found);
      if (isEdited) judged = new JudgedEntity(entry);
    }
  } catch (error) {
    return asError(error);
  }
  if (violations.length === 0) return undefined;
  const { model, key } = entry;
  return new ValidationError(subjectOf(model, key), model.name, violations, taken.notLoaded);
}

/** @throws StateError `validator.changed-entity` */
async function askOne(
  judged: JudgedEntity,
  validate: EntityValidator,
): Promise<{ readonly found: readonly ConstraintViolation[]; readonly isEdited: boolean }> {
  const copy = judged.copy();
  // Validators without types may return nothing for a valid entity.
  const all = (await validate(copy.entity)) ?? [];
  const found = all.filter(({ property }) => !isOfAny(judged.notLoaded, property));
  const changed = copy.changed();
  if (changed.length === 0) return { found, isEdited: false };
  if (validate.applyTransforms !== true) throw changedEntity(judged.entry, changed);
  if (found.length === 0) copy.apply(changed);
  return { found, isEdited: found.length === 0 };
}

const isOfAny = (names: readonly string[], path: string): boolean =>
  names.some((name) => path === name || path.startsWith(`${name}.`));

function changedEntity({ model, key }: TrackedEntity, properties: readonly string[]): StateError {
  return new StateError(
    "validator.changed-entity",
    `${subjectOf(model, key)} was changed by a validator: ${properties.join(", ")}. It changed a copy only, and nothing was saved. Turn off the validator's options that change values (such as whitelist), make the change in a "saving" hook, or pass applyTransforms: true to take it as an edit.`,
    { entity: model.name, property: properties[0], properties },
  );
}
