import { warnOnce } from "../../values/errors/warn-once.ts";
import { PatternError, unknownPattern } from "../../values/errors/pattern-error.ts";

/** Where patterns have their shapes. Shared by all copies of this library in a program. */
export const patternShapes: unique symbol = Symbol.for("partita.patterns");

/** What a context needs of declared access patterns: `definePatterns` makes them. */
export interface DeclaredPatterns {
  /** The shapes of all queries that they make. */
  readonly [patternShapes]: () => ReadonlySet<string>;
}

/** What happens to a query that no access pattern declares. */
export type UnknownPatternPolicy = "error" | "warn" | "ignore";

export const unknownPatternPolicies: readonly UnknownPatternPolicy[] = ["error", "warn", "ignore"];

export const isPatterns = (value: unknown): value is DeclaredPatterns =>
  typeof (value as Partial<DeclaredPatterns> | null | undefined)?.[patternShapes] === "function";

/**
 * Looks at the shape of each query that is about to read.
 *
 * @returns undefined where no query needs to be looked at
 */
export function shapeCheck(
  patterns: DeclaredPatterns | undefined,
  policy: UnknownPatternPolicy,
): ((shape: string) => void) | undefined {
  if (patterns === undefined || policy === "ignore") return undefined;
  return (shape) => {
    if (patterns[patternShapes]().has(shape)) return;
    if (policy === "error") throw PatternError.unknown(shape);
    // Once for each shape: a list of all of them is what is to be declared.
    warnOnce(patterns, "PARTITA_UNKNOWN_PATTERN", () => unknownPattern(shape), shape);
  };
}
