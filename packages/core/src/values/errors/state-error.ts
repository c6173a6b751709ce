import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/**
 * An operation does not fit the entity's state, or the context's. Codes begin with `entity.` or `context.`; one is
 * `package.second-copy`, for an object of another copy of this package, of a version that does not fit.
 */
export class StateError extends TableError {
  static {
    brand(this, "StateError");
  }
}
