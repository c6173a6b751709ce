import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/** A value cannot be (part of) a PartitionKey or RowKey, or a stored key cannot be parsed. Codes begin with `key.`. */
export class KeyError extends TableError {
  static {
    brand(this, "KeyError");
  }
}
