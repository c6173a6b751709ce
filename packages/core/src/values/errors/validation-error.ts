import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/** An entity violates its own constraints. Code `entity.invalid`; nothing was sent. */
export class ValidationError extends TableError {
  static {
    brand(this, "ValidationError");
  }

  /** Every violation: the property (empty for the complete entity) and the message. */
  readonly violations: readonly { readonly property: string; readonly message: string }[];

  /**
   * @param notLoaded - properties that were not validated, which may be the cause if a rule about several properties is
   *   violated
   */
  constructor(
    subject: string,
    entity: string,
    violations: ValidationError["violations"],
    notLoaded: readonly string[] = [],
  ) {
    const list = violations.map(({ property, message }) =>
      property === "" ? message : `${property}: ${message}`,
    );
    const partly =
      notLoaded.length === 0
        ? ""
        : ` Validated without ${notLoaded.join(", ")}, which ${notLoaded.length === 1 ? "was" : "were"} not loaded.`;
    super("entity.invalid", `${subject} is not valid: ${list.join("; ")}.${partly}`, {
      entity,
      properties: violations.map((v) => v.property),
      ...(notLoaded.length > 0 && { notLoaded }),
    });
    this.violations = violations;
  }
}
