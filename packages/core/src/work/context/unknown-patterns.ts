import { warnOnce } from "../../values/errors/warn-once.ts";
import { PatternError, unknownPattern } from "../../values/errors/pattern-error.ts";

/** The key of a pattern's shapes, shared by all copies of this library in a program. */
export const patternShapes: unique symbol = Symbol.for("partita.patterns");

/** The part of declared access patterns that a context uses; `definePatterns` makes them. */
export interface DeclaredPatterns {
  /** The shapes of all their queries. */
  readonly [patternShapes]: () => ReadonlySet<string>;
}

/** How a query is handled that matches no declared access pattern. */
export type UnknownPatternPolicy = "error" | "warn" | "ignore";

export const unknownPatternPolicies: readonly UnknownPatternPolicy[] = ["error", "warn", "ignore"];

export const isPatterns = (value: unknown): value is DeclaredPatterns =>
  typeof (value as Partial<DeclaredPatterns> | null | undefined)?.[patternShapes] === "function";

/** Returns a function that checks the shape of each query before it reads; undefined if no check is needed. */
export function shapeCheck(
  patterns: DeclaredPatterns | undefined,
  policy: UnknownPatternPolicy,
): ((shape: string) => void) | undefined {
  if (patterns === undefined || policy === "ignore") return undefined;
  return (shape) => {
    if (patterns[patternShapes]().has(shape)) return;
    if (policy === "error") throw PatternError.unknown(shape);
    // Warn once for each shape: together, the warnings list every pattern to declare.
    warnOnce(patterns, "PARTITA_UNKNOWN_PATTERN", () => unknownPattern(shape), shape);
  };
}
