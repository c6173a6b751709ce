import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/**
 * An access pattern does not hold, or a query matches none of the declared patterns. Codes begin with `pattern.`:
 * `pattern.too-wide`, `pattern.not-planned`, `pattern.unknown`, `pattern.value`, `pattern.option`, and for lock files
 * `pattern.lock-missing` and `pattern.lock-changed`.
 *
 * The message of `pattern.too-wide` prints the value that proves it: the value was generated for the check and is not
 * stored data.
 */
export class PatternError extends TableError {
  static {
    brand(this, "PatternError");
  }

  /** The query matches none of the patterns. Its shape has names and operators, but no values. */
  static unknown(shape: string): PatternError {
    return new PatternError("pattern.unknown", unknownPattern(shape), { shape });
  }
}

/** The problem of a query that matches no declared pattern, as a text. */
export const unknownPattern = (shape: string): string =>
  `No access pattern is declared for this query: ${shape}. ` +
  `Declare it in definePatterns(), or query with patterns["name"].query(context, values).`;
