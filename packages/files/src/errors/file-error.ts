import { brand } from "@partita/core/internal";
import { TableError } from "@partita/core";

/**
 * A file operation failed or was refused. The code starts with `file.`. Messages never contain the content of
 * a file or its metadata.
 */
export class FileError extends TableError {
  static {
    brand(this, "FileError");
  }
}
