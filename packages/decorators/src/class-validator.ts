// Validation of entities by the constraints of class-validator's decorators.

import { type ConstraintViolation, type EntityValidator, ModelError } from "@partita/core";
import type { TransformOptions } from "@partita/core/models";
import type { MetadataStorage, ValidationError, ValidatorOptions } from "class-validator";

/**
 * Checks entities by the constraints that class-validator's decorators declare, before a save sends anything:
 * `new TableContext(storage, { validate: classValidator() })`. The library is loaded when the first entity is checked.
 *
 * class-validator's decorators are legacy decorators (`experimentalDecorators`). Under standard decorators use
 * `standardSchema` of `@partita/core`: an entity of a class declared by those, which can have no constraints, is refused
 * with the ModelError `model.class-validator`.
 *
 * @param options - class-validator's own; classes without constraints are accepted by default. `whitelist: true` removes properties
 *   without constraints, which is refused with the StateError `validator.changed-entity` unless `applyTransforms` is true as well
 */
export function classValidator(options: ValidatorOptions & TransformOptions = {}): EntityValidator {
  const { applyTransforms = false, ...validatorOptions } = options;
  const judge: EntityValidator = async (entity) => {
    const { getMetadataStorage, validate } = await import("class-validator");
    checkDialect(entity, getMetadataStorage());
    const errors = await validate(entity, { forbidUnknownValues: false, ...validatorOptions });
    return errors.flatMap((error) => violationsOf(error, ""));
  };
  return Object.assign(judge, { applyTransforms });
}

/** A class without a single constraint would be accepted whatever it holds, and nobody would notice. */
function checkDialect(entity: object, constraints: MetadataStorage): void {
  const { constructor } = entity;
  if (!hasStandardDecorators(constructor)) return;
  if (constraints.getTargetValidationMetadatas(constructor, "", true, false).length > 0) return;
  throw new ModelError(
    "model.class-validator",
    `classValidator() cannot check ${constructor.name}: it is declared by standard decorators, and those of class-validator need "experimentalDecorators": true. Set that, or validate with standardSchema(${constructor.name}, schema) of @partita/core, which takes schemas of zod, valibot and arktype.`,
    { entity: constructor.name },
  );
}

/** Whether a class, or one that it extends, has decorator metadata: only standard decorators make any. */
function hasStandardDecorators(entityClass: object): boolean {
  const { metadata } = Symbol as { readonly metadata?: symbol };
  return metadata !== undefined && metadata in entityClass;
}

/** The violations of a property and of the objects below it. */
function violationsOf(
  { property, constraints = {}, children = [] }: ValidationError,
  prefix: string,
): ConstraintViolation[] {
  const path = prefix + property;
  return [
    ...Object.values(constraints).map((message) => ({ property: path, message })),
    ...children.flatMap((child) => violationsOf(child, `${path}.`)),
  ];
}
