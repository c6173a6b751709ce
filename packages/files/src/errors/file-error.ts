import { brand } from "@partita/core/internal";
import { TableError } from "@partita/core";

/**
 * A file cannot be read or written as it was asked. The code says why, and begins with `file.`; no message holds what is in
 * a file or in its metadata.
 */
export class FileError extends TableError {
  static {
    brand(this, "FileError");
  }
}
