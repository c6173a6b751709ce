import { brand, hasBrand } from "./brand.ts";

/** What an error says beyond its message: names, limits and positions; never property values. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * The root of every error this library throws on purpose.
 *
 * `code` is part of the API and stays stable; `message` is for people and may be reworded. Messages may hold
 * table, class and property names and entity keys, never property values or secrets.
 */
export abstract class TableError extends Error {
  static {
    brand(this, "TableError");
  }

  /** Stable identifier, prefixed by the layer it comes from: `key.forbidden-character`. */
  readonly code: string;
  readonly details: ErrorDetails;

  constructor(code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
    // The class, not the minified identifier, is what people search for.
    Object.defineProperty(this, "name", { value: new.target.name, configurable: true });
  }

  /**
   * Whether a value is an error of this class: `StorageError.is(error)`. Like `error instanceof StorageError`, it recognises
   * errors of every copy of the package in a program, such as one of a bundled library.
   */
  static is<Instance extends object>(
    this: { readonly prototype: Instance },
    value: unknown,
  ): value is Instance {
    return hasBrand(value, this);
  }
}
