import type { DeclaredPatterns } from "@partita/core/models";
import { patternShapes } from "@partita/core/internal";
import { notAPattern } from "./pattern-errors.ts";
import { cornerCases, momentsOf } from "./corner-cases.ts";
import { NamedPattern, type Pattern, type PatternDeclaration } from "./pattern.ts";

/** Declared access patterns, by name. */
export type Patterns<Declarations> = DeclaredPatterns & {
  readonly [Name in keyof Declarations]: Declarations[Name] extends PatternDeclaration<
    infer Values,
    infer Asked
  >
    ? Pattern<Values, Asked>
    : never;
};

/** Any patterns. */
export type AnyPatterns = DeclaredPatterns & Readonly<Record<string, Pattern>>;

/** Maximum number of combinations to plan for the shapes of one pattern. */
const maxCases = 2_000;

/**
 * Declares the queries of a program, by name. Tests check all of them with `assertPatterns` of
 * `@partita/testing`. The program runs them with `patterns["name"].query(context, values)`. A context with
 * the option `patterns` reports queries that none of them declares.
 *
 * @throws PatternError `pattern.option` for values not made by `pattern()`
 */
export function definePatterns<
  const Declarations extends Readonly<Record<string, PatternDeclaration<never>>>,
>(declarations: Declarations): Patterns<Declarations> {
  const patterns = Object.entries(declarations).map(([name, declaration]) => {
    if (typeof declaration?.build !== "function" || declaration.parameters === undefined)
      throw notAPattern(
        `definePatterns({ ${JSON.stringify(name)} }) takes pattern(Class, parameters, build, bounds).`,
        { pattern: name },
      );
    return [name, new NamedPattern(name, declaration as unknown as PatternDeclaration)] as const;
  });
  let shapes: ReadonlySet<string> | undefined;
  const all = {
    ...Object.fromEntries(patterns),
    [patternShapes]: () => (shapes ??= new Set(patterns.flatMap(([, pattern]) => shapesOf(pattern)))),
  };
  return Object.freeze(all) as unknown as Patterns<Declarations>;
}

/** The shapes of a pattern with the values at its corners. */
function shapesOf(pattern: NamedPattern): string[] {
  const [now = 0] = momentsOf(pattern.parameters);
  const setting = { now, separators: pattern.separators };
  return cornerCases(pattern.parameters, setting, maxCases).flatMap((values) => {
    try {
      return [pattern.explain(values).shape];
    } catch {
      // Values that cannot be planned have no shape. assertPatterns reports them.
      return [];
    }
  });
}
