import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/**
 * An operation does not fit the state of the entity or the context. Codes begin with `entity.` or `context.`. The code
 * `package.second-copy` is for an object from another copy of this package with an incompatible version.
 */
export class StateError extends TableError {
  static {
    brand(this, "StateError");
  }
}
