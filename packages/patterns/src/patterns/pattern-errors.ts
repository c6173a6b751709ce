import type { ErrorDetails } from "@partita/core";
import { PatternError } from "@partita/core/internal";

/** A value that the pattern was not checked for. Neither message nor details contain the value. */
export function wrongValue(pattern: string, parameter: string, takes: string): PatternError {
  const message =
    `The access pattern "${pattern}" is checked for a parameter ${parameter} that is ${takes}, but got another value. ` +
    `Pass such a value, or widen the parameter in pattern() to check wider values too.`;
  return new PatternError("pattern.value", message, { pattern, parameter, takes });
}

/** A parameter that the pattern does not have. */
export function unknownParameter(pattern: string, parameter: string, known: readonly string[]): PatternError {
  const message = `The access pattern "${pattern}" has no parameter ${parameter.slice(0, 40)}. It has: ${known.join(", ") || "none"}.`;
  return new PatternError("pattern.value", message, { pattern, parameter, known });
}

/** A value that is not a declaration. */
export const notAPattern = (message: string, details?: ErrorDetails): PatternError =>
  new PatternError("pattern.option", message, details);
