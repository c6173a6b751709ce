import { aFunction, isQuery, kindChooser, unreadQuery } from "@partita/core/internal";
import type { EntityClass, Explanation, Query, TableContext } from "@partita/core";
import type { IndexNamesOf } from "@partita/core/models";
import { notAPattern, unknownParameter, wrongValue } from "./pattern-errors.ts";
import { checkBounds, type PatternBounds } from "./bounds.ts";
import { latest } from "./combined-domains.ts";
import type { CaseValues } from "./corner-cases.ts";
import type { Domains, ValuesOf } from "./domain.ts";
import { aDomain, checkPatternArgument } from "./domain-options.ts";

/** One class, or several that share a table. */
export type AskedClasses = EntityClass | readonly EntityClass[];

/** The entities that a query over these classes returns. */
export type EntityOf<Classes extends AskedClasses> = Classes extends readonly EntityClass[]
  ? InstanceType<Classes[number]>
  : Classes extends EntityClass
    ? InstanceType<Classes>
    : never;

/** An access pattern without a name. `definePatterns` names it. */
export interface PatternDeclaration<Values extends object = object, Asked = unknown> {
  readonly classes: AskedClasses;
  readonly parameters: Domains;
  readonly bounds: PatternBounds;
  build(query: Query<object>, values: Values): Asked;
}

/** A query of a program with parameters, and the bounds of its plans. */
export interface Pattern<Values extends object = object, Asked = unknown> {
  readonly name: string;
  readonly parameters: Domains;
  readonly bounds: PatternBounds;
  /** The separators of the keys that it reads. */
  readonly separators: readonly string[];
  /**
   * The pattern's query with these values. Nothing is sent until it is read.
   *
   * @throws PatternError `pattern.value` for a value that the pattern is not checked for; QueryError like
   * `where`
   */
  query(context: TableContext, values: Values): Asked;
  /**
   * The plan of the pattern with these values. It needs no context and no storage.
   *
   * @throws the errors of `query`
   */
  explain(values: Values): Explanation;
}

/**
 * Declares an access pattern: a query over one class, or over several that share a table, with parameters and
 * bounds:
 * `pattern(Blog, { channel: anyText() }, (query, { channel }) => query.where({ channel }), { atMost: "partition scan" })`.
 *
 * @param build - builds the query from a context's query and values; it is called for every check, so it must
 * have no other effect
 * @throws OptionError `pattern.option`
 */
export function pattern<
  const Classes extends AskedClasses,
  const Parameters extends Domains,
  Asked extends { explain(): Explanation },
>(
  classes: Classes,
  parameters: Parameters,
  build: (query: Query<EntityOf<Classes>>, values: ValuesOf<Parameters>) => Asked,
  bounds: PatternBounds<IndexNamesOf<EntityOf<Classes>> & string>,
): PatternDeclaration<ValuesOf<Parameters>, Asked> {
  for (const [name, domain] of Object.entries(parameters))
    checkPatternArgument(`pattern(Class, { ${name} }, build, bounds)`, domain, aDomain);
  checkPatternArgument("pattern(Class, parameters, build)", build, aFunction);
  checkBounds(bounds);
  return {
    classes,
    parameters: { ...parameters },
    bounds: { ...bounds },
    build: build as unknown as PatternDeclaration<ValuesOf<Parameters>, Asked>["build"],
  };
}

/** A pattern with its name. */
export class NamedPattern implements Pattern {
  readonly name: string;
  readonly parameters: Domains;
  readonly bounds: PatternBounds;
  readonly #declaration: PatternDeclaration;

  constructor(name: string, declaration: PatternDeclaration) {
    this.name = name;
    this.parameters = declaration.parameters;
    this.bounds = declaration.bounds;
    this.#declaration = declaration;
  }

  get separators(): readonly string[] {
    const { models } = kindChooser(listOfClasses(this.#declaration.classes));
    const templates = models.flatMap(({ partitionKey, rowKey, indexes }) => [
      partitionKey,
      rowKey,
      ...indexes.map((index) => index.rowKey),
    ]);
    return [...new Set(templates.map(({ separator }) => separator))];
  }

  query(context: TableContext, values: object): unknown {
    const { classes } = this.#declaration;
    // The two forms of query() are the same at run time.
    return this.#built(context.query(classes as EntityClass), values);
  }

  explain(values: object): Explanation {
    return this.#built(unreadQuery(listOfClasses(this.#declaration.classes), notRead), values).explain();
  }

  #built(query: Query<object>, values: object): { explain(): Explanation } {
    const built = this.#declaration.build(query, this.#checked(values));
    if (isQuery(built)) return built;
    throw notAPattern(
      `The function of the access pattern "${this.name}" returns no query. Return query.where(…), and don't read the query there.`,
      { pattern: this.name },
    );
  }

  /** The values of the parameters, without those that are left out. */
  #checked(values: object): CaseValues {
    const names = Object.keys(this.parameters);
    const other = Object.keys(values).find((name) => !names.includes(name));
    if (other !== undefined) throw unknownParameter(this.name, other, names);
    const given = Object.entries(this.parameters).map(
      ([name, domain]) => [name, domain, (values as CaseValues)[name]] as const,
    );
    const now = latest(given.map(([, domain, value]) => domain.nowFor?.(value))) ?? 0;
    const wrong = given.find(([, domain, value]) => !domain.accepts(value, { now }));
    if (wrong !== undefined) throw wrongValue(this.name, wrong[0], wrong[1].takes);
    const present = given.filter(([, , value]) => value !== undefined);
    return Object.fromEntries(present.map(([name, , value]) => [name, value]));
  }
}

const listOfClasses = (classes: AskedClasses): readonly EntityClass[] =>
  Array.isArray(classes) ? classes : [classes as EntityClass];

function notRead(): never {
  throw notAPattern(
    "The function of pattern() must only build a query. Return the query, and don't read it there.",
  );
}
