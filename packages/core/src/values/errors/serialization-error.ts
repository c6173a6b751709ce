import { brand, otherCopy } from "./brand.ts";
import { isDate, tagOf, timeOf } from "./built-ins.ts";
import { type ErrorDetails, TableError } from "./table-error.ts";

/** The location of a value: class and property as declared, for messages. */
export interface PropertyPath {
  readonly entity: string;
  readonly property: string;
}

/**
 * A value does not match its declared EDM type, or an entity exceeds a limit of the service. Codes begin with `edm.`,
 * `property.` or `entity.`; nothing was sent.
 */
export class SerializationError extends TableError {
  static {
    brand(this, "SerializationError");
  }

  /** The host value has another type than declared. `actual` names a type, never the value. */
  static wrongType(path: PropertyPath, expected: string, actual: unknown): SerializationError {
    const found = describeType(actual);
    const isData = Array.isArray(actual) || tagOf(actual) === "Object";
    const other = isData ? ", or declare it as JSON: json() or @Json()" : "";
    const remedy = otherCopy(actual) ?? `Assign a value of the declared type${other}.`;
    const problem = `must be ${expected}, but it holds ${found}. ${remedy}`;
    return failure("edm.wrong-type", path, problem, { expected, actual: found });
  }

  /** The value has the right type but is outside the range of the EDM type. */
  static outOfRange(path: PropertyPath, range: string): SerializationError {
    return failure("edm.out-of-range", path, `is out of range: it takes ${range}.`, { range });
  }

  /** The value has the right type but not the form that the EDM type requires. */
  static malformed(path: PropertyPath, expected: string): SerializationError {
    return failure("edm.malformed", path, `is malformed: it takes ${expected}.`, { expected });
  }

  /** The bytes of a saved array were changed in place, so the stored value is no longer known. */
  static changedInPlace(path: PropertyPath): SerializationError {
    return new SerializationError(
      "edm.changed-in-place",
      `The bytes of ${path.entity}.${path.property} were changed in place, or their memory was transferred, after they were saved. Assign another array instead, and read the entity again.`,
      { ...path },
    );
  }

  /** The value is longer than the service allows. `limit` is in the unit that `unit` names. */
  static tooLarge(path: PropertyPath, size: number, limit: number, unit: string): SerializationError {
    const problem = `is ${size} ${unit} long; the service stores at most ${limit}. Shorten it or split it over several properties.`;
    return failure("property.too-large", path, problem, { size, limit, unit });
  }

  /** The stored value has another EDM type than the class declares. */
  static mismatch(path: PropertyPath, declared: string, stored: string): SerializationError {
    const problem = `is declared ${declared}, but the stored value is ${stored}. Declare the stored type, or list it under alsoReads.`;
    return failure("edm.mismatch", path, problem, { declared, stored });
  }

  /** A required property has no value at save. */
  static required(path: PropertyPath): SerializationError {
    const problem = "is required but has no value. Assign one, or declare it optional or with a default.";
    return failure("property.required", path, problem);
  }

  /** A row has no value for a required property, and new instances of the class have none either. */
  static absent(path: PropertyPath, storedName: string): SerializationError {
    const stored = storedName === path.property ? "" : `(stored as "${storedName}") `;
    return failure(
      "property.absent",
      path,
      `${stored}is required, but the row has no value for it: the property was renamed, or added without an upgrade, or another program wrote the row. Give the property an initial value, declare it optional, or add an upgrade.`,
    );
  }

  /** A user's converter or JSON value could not be converted. */
  static conversion(
    path: PropertyPath,
    direction: "encode" | "decode",
    cause: unknown,
    problem: string = `could not be ${direction}d by its converter (see cause).`,
  ): SerializationError {
    return failure("edm.conversion-failed", path, problem, { direction }, { cause });
  }

  /** The complete entity exceeds a limit: `entity.too-large`, `entity.too-many-properties`. */
  static entityLimit(code: string, message: string, details: ErrorDetails): SerializationError {
    return new SerializationError(code, message, details);
  }
}

/** The error of a property; `problem` goes on after its name. */
const failure = (
  code: string,
  path: PropertyPath,
  problem: string,
  details: ErrorDetails = {},
  options?: ErrorOptions,
): SerializationError =>
  new SerializationError(
    code,
    `${path.entity}.${path.property} ${problem}`,
    { ...path, ...details },
    options,
  );

/** The type of a value as text, without the value. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
  if (isDate(value) && Number.isNaN(timeOf(value))) return "an invalid Date";
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor
    ?.name;
  return name ? `an object of ${name}` : "an object";
}
