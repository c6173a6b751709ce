import { brand, hasBrand } from "../../values/errors/brand.ts";
import { isPromise } from "../../values/errors/built-ins.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { refuseComparison } from "./condition-operator.ts";
import { maxConditionDepth } from "../../values/filter/filter-limits.ts";
import type { PredicateNode } from "./predicate-node.ts";

/**
 * A condition built from columns: data, not a boolean. Combine with `and`, `or` and `not()`; JavaScript's `&&`, `||`
 * and `!` would drop parts of it.
 */
export interface Predicate {
  /** Lets the compiler distinguish predicates from other objects. */
  readonly isPredicate: true;
  /**
   * This and all of the others.
   *
   * ```ts
   * const good = context.query(Blog).where((b) => b.channel.eq(channel).and(b.rating.ge(2)));
   * ```
   */
  and(...others: readonly Predicate[]): Predicate;
  /**
   * This or any of the others.
   *
   * ```ts
   * const found = context.query(Blog).where((b) => [b.channel.eq(channel), b.rating.ge(3).or(b.author.eq("Bo"))]);
   * ```
   */
  or(...others: readonly Predicate[]): Predicate;
  /**
   * The opposite: true also for entities that lack the property.
   *
   * ```ts
   * const others = context.query(Blog).where((b) => [b.channel.eq(channel), b.author.eq("Ann").not()]);
   * console.log(await others.count()); // → 0
   * ```
   */
  not(): Predicate;
}

/**
 * Never created. The compiler prints its sentence, on the first line, for a `where` callback that returns a boolean, a
 * column or anything else.
 */
export interface NotAPredicate<
  Why extends string = "compare with .eq(), .gt() and the like, join with .and() and .or()",
> {
  readonly "not a predicate": Why;
}

/** The result of a `where` callback: a predicate, or several that must all hold. */
export type PredicateResult = Predicate | readonly Predicate[];

/** Every predicate that a callback makes, to find those that its result leaves out. */
export type PredicateScope = Set<BuiltPredicate>;

/** A predicate and the scope it was made in. */
export class BuiltPredicate implements Predicate {
  static {
    brand(this, "BuiltPredicate");
  }

  /** Whether a value is one, from any copy of this package. */
  static is(value: unknown): value is BuiltPredicate {
    return hasBrand(value, this);
  }

  readonly isPredicate = true as const;
  readonly node: PredicateNode;
  readonly #scope: PredicateScope;
  readonly #depth: number;

  constructor(node: PredicateNode, scope: PredicateScope, depth: number = 0) {
    if (depth > maxConditionDepth)
      throw new QueryError(
        "query.too-deep",
        `where() combines conditions more than ${maxConditionDepth} levels deep. Put alternatives side by side, or use in().`,
      );
    this.node = node;
    this.#scope = scope;
    this.#depth = depth;
    scope.add(this);
  }

  and(...others: readonly Predicate[]): Predicate {
    return this.#join("and", others);
  }

  or(...others: readonly Predicate[]): Predicate {
    return this.#join("or", others);
  }

  not(): Predicate {
    this.#scope.delete(this);
    return new BuiltPredicate({ type: "not", node: this.node }, this.#scope, this.#depth + 1);
  }

  [Symbol.toPrimitive](hint: string): string {
    return refuseComparison(hint, `where() on a condition on ${firstProperty(this.node)}`);
  }

  belongsTo(scope: PredicateScope): boolean {
    return this.#scope === scope;
  }

  #join(type: "and" | "or", others: readonly Predicate[]): Predicate {
    const members = [this, ...others.map((other) => checkPredicate(other, `.${type}()`, this.#scope))];
    for (const member of members) this.#scope.delete(member);
    // Flat lists: a long chain of .or() does not become a deep tree.
    const nodes = members.flatMap(({ node }) => (node.type === type ? node.nodes : [node]));
    // A longer list is not deeper.
    const depth = Math.max(...members.map((member) => member.#depth + (member.node.type === type ? 0 : 1)));
    return new BuiltPredicate({ type, nodes }, this.#scope, depth);
  }
}

/**
 * The tree that a `where` callback returned.
 *
 * @throws QueryError `query.not-a-predicate` for a boolean or any other value; `query.predicate-dropped` if the
 *   callback made a condition that its result leaves out, as `a && b` does
 */
export function predicateOf(result: unknown, scope: PredicateScope): PredicateNode {
  const list: readonly unknown[] = Array.isArray(result) ? result : [result];
  const roots = list.map((root) => checkPredicate(root, "where()", scope));
  for (const root of roots) scope.delete(root);
  const [dropped] = scope;
  if (dropped !== undefined) throw droppedError(dropped.node);
  const nodes = roots.map((root) => root.node);
  return nodes.length === 1 ? (nodes[0] as PredicateNode) : { type: "and", nodes };
}

function checkPredicate(value: unknown, where: string, scope: PredicateScope): BuiltPredicate {
  if (!BuiltPredicate.is(value)) throw notAPredicate(value, where);
  if (value.belongsTo(scope)) return value;
  throw new QueryError(
    "query.foreign-predicate",
    `${where} got a predicate that was made in another where(). Build each predicate from the columns of its own callback.`,
  );
}

/** The error for a value that is passed instead of a predicate. */
export function notAPredicate(value: unknown, where: string): QueryError {
  const found = isColumn(value)
    ? "a column alone"
    : value === undefined
      ? "undefined: a function with braces needs a return"
      : isPromise(value)
        ? "a promise: the function must not be async"
        : describeType(value);
  return new QueryError(
    "query.not-a-predicate",
    `${where} takes a predicate such as b => b.rating.eq(3), or b => b.isOpen.eq(true), but got ${found}. ` +
      `Compare with eq, ne, gt, ge, lt or le instead of ===, > or <, and combine with .and(), .or() and .not().`,
    { found },
  );
}

/** Whether a value is a column of a where() callback: it has `eq`. */
export const isColumn = (value: unknown): boolean =>
  typeof (value as { readonly eq?: unknown } | null | undefined)?.eq === "function";

function droppedError(node: PredicateNode): QueryError {
  const property = firstProperty(node);
  return new QueryError(
    "query.predicate-dropped",
    `where() made a condition on ${property} that its result leaves out, so it would be ignored. ` +
      `Combine conditions with .and() or .or(), or return them in an array; && and || keep only one side.`,
    { property },
  );
}

function firstProperty(node: PredicateNode): string {
  switch (node.type) {
    case "and":
    case "or":
      return node.nodes[0] === undefined ? "nothing" : firstProperty(node.nodes[0]);
    case "not":
      return firstProperty(node.node);
    case "compare":
    case "in":
    case "startsWith":
    case "exists":
      return node.property;
    default:
      return node satisfies never;
  }
}
