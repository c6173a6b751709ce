import {
  compare,
  type Comparison,
  type ComparisonOperator,
  type FilterConstant,
  type FilterNode,
  type Literal,
} from "./filter-node.ts";
import { maxTextDepth } from "./filter-limits.ts";
import { type FilterToken, syntaxError, tokenize } from "./filter-tokens.ts";

/**
 * Reads a filter in the protocol's OData syntax. `parseFilter(printFilter(node))` equals `node` for every filter that
 * can be printed.
 *
 * @throws QueryError `query.filter-syntax`
 */
export const parseFilter = (text: string): FilterNode => parseTokens(tokenize(text));

/** The same for tokens; some of them may be constants that were never text. */
export function parseTokens(tokens: readonly FilterToken[]): FilterNode {
  const reader = new TokenReader(tokens);
  const node = reader.readList("or", 0);
  reader.expectEnd();
  return node;
}

/** Recursive descent: `or` of `and` of negations, comparisons and parentheses. */
class TokenReader {
  readonly #tokens: readonly FilterToken[];
  #at = 0;

  constructor(tokens: readonly FilterToken[]) {
    this.#tokens = tokens;
  }

  readList(op: "and" | "or", depth: number): FilterNode {
    const nodes: FilterNode[] = [];
    do {
      nodes.push(op === "or" ? this.readList("and", depth) : this.#readOne(depth));
    } while (this.#takeName(op));
    return nodes.length === 1 ? (nodes[0] as FilterNode) : { op, nodes };
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length)
      throw syntaxError(undefined, "something follows its end, or an operator is missing");
  }

  #readOne(depth: number): FilterNode {
    if (depth > maxTextDepth) throw syntaxError(undefined, `it is nested deeper than ${maxTextDepth} levels`);
    // A property may be called `not`: then a comparison follows.
    if (this.#isName("not") && this.#operatorAt(this.#at + 1) === undefined) {
      this.#at++;
      return { op: "not", node: this.#readOne(depth + 1) };
    }
    if (this.#tokens[this.#at]?.type !== "(") return this.#readComparison();
    this.#at++;
    const node = this.readList("or", depth + 1);
    if (this.#tokens[this.#at++]?.type !== ")") throw syntaxError(undefined, "a parenthesis is not closed");
    return node;
  }

  #readComparison(): Comparison | FilterConstant {
    const [left, right] = [this.#tokens[this.#at], this.#tokens[this.#at + 2]];
    const op = this.#operatorAt(this.#at + 1);
    if (op === undefined && left !== undefined && this.#isEndOfTerm(this.#at + 1)) {
      const term = termOf(left);
      if (term !== undefined) {
        this.#at++;
        return term;
      }
    }
    if (left === undefined || right === undefined || op === undefined)
      throw syntaxError(undefined, "a comparison is missing or incomplete");
    this.#at += 3;
    const literal = literalOf(right);
    if (left.type === "name" && literal !== undefined) return compare(op, left.name, literal);
    const constant = literalOf(left);
    if (right.type === "name" && constant !== undefined) return compare(turned[op], right.name, constant);
    throw syntaxError(undefined, "a comparison is not of a property and a constant");
  }

  #isEndOfTerm(index: number): boolean {
    const token = this.#tokens[index];
    return (
      token === undefined ||
      token.type === ")" ||
      (token.type === "name" && (token.name === "and" || token.name === "or"))
    );
  }

  #operatorAt(index: number): ComparisonOperator | undefined {
    const token = this.#tokens[index];
    return token?.type === "name" && Object.hasOwn(turned, token.name)
      ? (token.name as ComparisonOperator)
      : undefined;
  }

  #isName(name: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.type === "name" && token.name === name;
  }

  #takeName(name: string): boolean {
    const isNext = this.#isName(name);
    if (isNext) this.#at++;
    return isNext;
  }
}

/** For each operator, the operator with its sides exchanged. */
const turned: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "eq",
  ne: "ne",
  gt: "lt",
  ge: "le",
  lt: "gt",
  le: "ge",
};

/** The meaning of a single token: a constant, or a property that is the Boolean true. */
function termOf(token: FilterToken): Comparison | FilterConstant | undefined {
  const value = literalOf(token)?.value;
  if (typeof value === "boolean") return { op: "constant", value };
  return token.type === "name" ? compare("eq", token.name, { edm: "Edm.Boolean", value: true }) : undefined;
}

function literalOf(token: FilterToken): Literal | undefined {
  if (token.type === "literal") return token.literal;
  // The service reads these two in any case; .NET prints them as True and False.
  const word = token.type === "name" ? token.name.toLowerCase() : "";
  return word === "true" || word === "false" ? { edm: "Edm.Boolean", value: word === "true" } : undefined;
}
