import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/**
 * An access pattern does not hold, or a query is none of those that were declared. Codes begin with `pattern.`:
 * `pattern.too-wide`, `pattern.not-planned`, `pattern.unknown`, `pattern.value`, `pattern.option` and those of lock files,
 * `pattern.lock-missing` and `pattern.lock-changed`.
 *
 * The message of `pattern.too-wide` prints the value that shows it: it was made for the check, and is not stored data.
 */
export class PatternError extends TableError {
  static {
    brand(this, "PatternError");
  }

  /** A query that is none of the patterns. Its shape has names and operators, and no values. */
  static unknown(shape: string): PatternError {
    return new PatternError("pattern.unknown", unknownPattern(shape), { shape });
  }
}

/** What is wrong with a query that is no declared pattern. */
export const unknownPattern = (shape: string): string =>
  `No access pattern is declared for this query: ${shape}. ` +
  `Declare it in definePatterns(), or ask by patterns["name"].query(context, values).`;
