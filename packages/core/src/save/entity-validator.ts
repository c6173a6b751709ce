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
