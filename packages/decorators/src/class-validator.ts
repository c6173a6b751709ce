// Validation of entities by the constraints of class-validator's decorators.

import { type ConstraintViolation, type EntityValidator, ModelError } from "@partita/core";
import type { TransformOptions } from "@partita/core/models";
import type { MetadataStorage, ValidationError, ValidatorOptions } from "class-validator";

/**
 * Validates entities against class-validator's decorators before a save sends anything:
 * `new TableContext(storage, { validate: classValidator() })`. The library is loaded when the first entity is
 * checked.
 *
 * class-validator's decorators are legacy decorators (`experimentalDecorators`). With standard decorators,
 * use `standardSchema` of `@partita/core` instead. An entity of a class with standard decorators cannot have
 * constraints and is refused with the ModelError `model.class-validator`.
 *
 * @param options - class-validator's own options. Classes without constraints are accepted by default.
 * `whitelist: true` deletes properties without constraints; that is refused with the StateError
 * `validator.changed-entity` unless `applyTransforms` is `true` too
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

/** Without this check, a class without constraints would be accepted with any values, unnoticed. */
function checkDialect(entity: object, constraints: MetadataStorage): void {
  const { constructor } = entity;
  if (!hasStandardDecorators(constructor)) return;
  if (constraints.getTargetValidationMetadatas(constructor, "", true, false).length > 0) return;
  throw new ModelError(
    "model.class-validator",
    `classValidator() cannot check ${constructor.name}: it has standard decorators, but class-validator's decorators need "experimentalDecorators": true. Set that option, or validate with standardSchema(${constructor.name}, schema) of @partita/core, which accepts schemas of zod, valibot and arktype.`,
    { entity: constructor.name },
  );
}

/**
 * Whether a class, or a class that it extends, has decorator metadata. Only standard decorators create it.
 */
function hasStandardDecorators(entityClass: object): boolean {
  const { metadata } = Symbol as { readonly metadata?: symbol };
  return metadata !== undefined && metadata in entityClass;
}

/** The violations of a property and of the objects inside it. */
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
