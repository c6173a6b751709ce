import { brand, hasBrand } from "./brand.ts";
import { withLink } from "./error-page.ts";
import { framesOf, startAtProgram } from "./program-frames.ts";

/** The details of an error in addition to its message: names, limits and positions; never property values. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * The base class of every error that this library throws on purpose.
 *
 * `code` is part of the API and stays stable; `message` is for people and may change. Messages may contain table, class
 * and property names and entity keys, never property values or secrets. Each ends with a link to the page of its code.
 */
export abstract class TableError extends Error {
  static {
    brand(this, "TableError");
  }

  /** Stable identifier, prefixed by the layer that throws it: `key.forbidden-character`. */
  readonly code: string;
  readonly details: ErrorDetails;

  constructor(code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(withLink(message, code), options);
    this.code = code;
    this.details = details;
    // People search for the class name, not for the minified identifier.
    Object.defineProperty(this, "name", { value: new.target.name, configurable: true });
    // Some browsers don't have it.
    if (Error.stackTraceLimit) startAtProgram(this, framesOf(new.target));
  }

  /**
   * Whether a value is an error of this class: `StorageError.is(error)`. Like `error instanceof StorageError`, it
   * recognises errors of every copy of the package in a program, such as one in a bundled library.
   */
  static is<Instance extends object>(
    this: { readonly prototype: Instance },
    value: unknown,
  ): value is Instance {
    return hasBrand(value, this);
  }
}
