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

/** Patterns whatever they are. */
export type AnyPatterns = DeclaredPatterns & Readonly<Record<string, Pattern>>;

/** Combinations of one pattern that are planned at most to learn what shapes it has. */
const maxCases = 2_000;

/**
 * Declares the questions that a program asks its tables, by name. Tests check all of them by `assertPatterns` of
 * `@partita/testing`; the program asks by `patterns["name"].query(context, values)`; and a context that is given them as
 * `patterns` reports queries that none of them declares.
 *
 * @throws PatternError `pattern.option` for anything that `pattern()` did not make
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

/** The shapes that a pattern has with the values at its corners. */
function shapesOf(pattern: NamedPattern): string[] {
  const [now = 0] = momentsOf(pattern.parameters);
  const setting = { now, separators: pattern.separators };
  return cornerCases(pattern.parameters, setting, maxCases).flatMap((values) => {
    try {
      return [pattern.explain(values).shape];
    } catch {
      // Values that cannot be planned have no shape; assertPatterns names them.
      return [];
    }
  });
}
