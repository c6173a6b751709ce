import { type ErrorDetails, TableError } from "./table-error.ts";

/**
 * An access pattern does not hold, or a query is none of those that were declared. Codes begin with `pattern.`:
 * `pattern.too-wide`, `pattern.not-planned`, `pattern.unknown`, `pattern.value`, `pattern.option` and those of lock files,
 * `pattern.lock-missing` and `pattern.lock-changed`.
 *
 * The message of `pattern.too-wide` prints the value that shows it: it was made for the check, and is not stored data.
 */
export class PatternError extends TableError {
  /** A query that is none of the patterns. Its shape has names and operators, and no values. */
  static unknown(shape: string): PatternError {
    return new PatternError("pattern.unknown", unknownPattern(shape), { shape });
  }

  /** A value that the pattern was not checked for; `details` never has the value. */
  static value(pattern: string, parameter: string, takes: string): PatternError {
    const message =
      `The access pattern "${pattern}" is checked for a parameter ${parameter} that is ${takes}, and got another value. ` +
      `Pass such a value, or widen the parameter in pattern(), so that wider values are checked, too.`;
    return new PatternError("pattern.value", message, { pattern, parameter, takes });
  }

  /** A parameter that the pattern does not have. */
  static parameter(pattern: string, parameter: string, known: readonly string[]): PatternError {
    const message = `The access pattern "${pattern}" has no parameter ${parameter.slice(0, 40)}. It has: ${known.join(", ") || "none"}.`;
    return new PatternError("pattern.value", message, { pattern, parameter, known });
  }

  /** A declaration that is none. */
  static declaration(message: string, details?: ErrorDetails): PatternError {
    return new PatternError("pattern.option", message, details);
  }
}

/** What is wrong with a query that is no declared pattern. */
export const unknownPattern = (shape: string): string =>
  `No access pattern is declared for this query: ${shape}. ` +
  `Declare it in definePatterns(), or ask by patterns["name"].query(context, values).`;
