import type { ConstraintViolation, EntityValidator } from "@partita/core";
import type { ValidationError, ValidatorOptions } from "class-validator";

/**
 * Checks entities by the constraints that class-validator's decorators declare, before a save sends anything:
 * `new TableContext(storage, { validate: classValidator() })`. The library is loaded when the first entity is checked.
 *
 * @param options - class-validator's own; classes without constraints are accepted by default
 */
export function classValidator(options: ValidatorOptions = {}): EntityValidator {
  return async (entity) => {
    const { validate } = await import("class-validator");
    const errors = await validate(entity, { forbidUnknownValues: false, ...options });
    return errors.flatMap((error) => violationsOf(error, ""));
  };
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
