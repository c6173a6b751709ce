import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/** A value cannot be (part of) a PartitionKey or RowKey, or stored key text cannot be read back. Codes begin with `key.`. */
export class KeyError extends TableError {
  static {
    brand(this, "KeyError");
  }
}
