import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/** An entity does not meet its own constraints. Code `entity.invalid`; nothing was sent. */
export class ValidationError extends TableError {
  static {
    brand(this, "ValidationError");
  }

  /** Every violation: property, empty for the entity as a whole, and message. */
  readonly violations: readonly { readonly property: string; readonly message: string }[];

  constructor(subject: string, entity: string, violations: ValidationError["violations"]) {
    const list = violations.map(({ property, message }) =>
      property === "" ? message : `${property}: ${message}`,
    );
    super("entity.invalid", `${subject} is not valid: ${list.join("; ")}.`, {
      entity,
      properties: violations.map((v) => v.property),
    });
    this.violations = violations;
  }
}
