import { asError } from "../../values/errors/built-ins.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { ValidationError } from "../../values/errors/validation-error.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { JudgedCopy } from "./judged-entity.ts";

/** A constraint that a value violates. */
export interface ConstraintViolation {
  /** The property, or a path into it: `address.city`; empty for the complete entity. */
  readonly property: string;
  /** The problem, without the value. */
  readonly message: string;
}

/** Options of validators that change values. */
export interface TransformOptions {
  /**
   * Whether changed values (trimmed, converted, filled in, removed) become edits of the entity, which are validated and
   * saved. By default (false), a validator that changes the entity it gets causes the error `validator.changed-entity`.
   *
   * ```ts
   * import { z } from "zod";
   *
   * const schema = z.object({ text: z.string().trim() });
   * const validate = standardSchema(Blog, schema, { applyTransforms: true });
   * const context = new TableContext(storage, { validate });
   * ```
   */
  readonly applyTransforms?: boolean | undefined;
}

/**
 * Checks an entity before it is written; returns its violations, or nothing if it is valid.
 *
 * A validator gets a copy that holds the loaded properties: `"title" in note` is true if `title` was loaded. Violations
 * of properties that were not loaded are dropped.
 */
export interface EntityValidator extends TransformOptions {
  (entity: object): readonly ConstraintViolation[] | Promise<readonly ConstraintViolation[]>;
}

/**
 * Runs all validators in turn; each sees the edits of those before it. Returns the reason why the entity must not be
 * saved; undefined if it is valid.
 *
 * @param copies - one for each validator
 */
export async function problemOf(
  copies: readonly JudgedCopy[],
  validators: readonly EntityValidator[],
): Promise<Error | undefined> {
  const violations: ConstraintViolation[] = [];
  const { entry, notLoaded } = copies[0] as JudgedCopy;
  const { model, key } = entry;
  let isEdited = false;
  try {
    for (const [i, validate] of validators.entries()) {
      const copy = isEdited ? new JudgedCopy(entry) : (copies[i] as JudgedCopy);
      // Untyped validators may return nothing for a valid entity.
      const all = (await validate(copy.entity)) ?? [];
      const found = all.filter(({ property }) => !isOfAny(copy.notLoaded, property));
      violations.push(...found);
      const changed = copy.changed();
      if (changed.length === 0) continue;
      if (validate.applyTransforms !== true) throw changedEntity(entry, changed);
      if (found.length > 0) continue;
      copy.apply(changed);
      isEdited = true;
    }
  } catch (error) {
    return asError(error);
  }
  if (violations.length === 0) return undefined;
  return new ValidationError(subjectOf(model, key), model.name, violations, notLoaded);
}

const isOfAny = (names: readonly string[], path: string): boolean =>
  names.some((name) => path === name || path.startsWith(`${name}.`));

function changedEntity({ model, key }: TrackedEntity, properties: readonly string[]): StateError {
  return new StateError(
    "validator.changed-entity",
    `${subjectOf(model, key)} was changed by a validator: ${properties.join(", ")}. It changed only a copy, and nothing was saved. Turn off the validator's options that change values (such as whitelist), make the change in a "saving" hook, or pass applyTransforms: true to apply it as an edit.`,
    { entity: model.name, property: properties[0], properties },
  );
}
