import type { Literal } from "@partita/core/storage";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import type { QueryToken } from "./query-tokens.ts";

/** Maximum values of one `in (…)`. */
const maxListed = 100;

/** Replaces `in (…)` and `startswith(…)` by comparisons that the filter syntax of the service has. */
export function expandLists(core: StudioCore, tokens: readonly QueryToken[]): QueryToken[] {
  const expanded: QueryToken[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [token, next, third] = tokens.slice(at, at + 3);
    const isFunction = isName(token, "startswith") && next?.type === "(";
    const isList = token?.type === "name" && isName(next, "in") && third?.type === "(";
    if (isFunction) {
      expanded.push(...prefixRange(core, argumentsFrom(tokens, at + 2)));
      at = closingFrom(tokens, at + 2);
    } else if (isList) {
      expanded.push(...anyOf(token.name, argumentsFrom(tokens, at + 3)));
      at = closingFrom(tokens, at + 3);
    } else if (token !== undefined) expanded.push(token);
  }
  return expanded;
}

/** `startswith(name, 'a')` as a range: from `a` to below `b`. */
function prefixRange(core: StudioCore, given: readonly QueryToken[]): QueryToken[] {
  const [name, prefix] = given;
  const value = prefix?.type === "literal" ? prefix.literal.value : undefined;
  if (given.length !== 2 || name?.type !== "name" || typeof value !== "string" || value === "")
    throw RequestError.wrongInput(
      "Write startswith(name, 'text') with a property and a text that is not empty.",
    );
  const end = core.successor(value);
  const below = end === undefined ? [] : [word("and"), name, word("lt"), literal(core.textLiteral(end))];
  return [open, name, word("ge"), prefix as QueryToken, ...below, close];
}

/** `name in ('a', 'b')` as `(name eq 'a' or name eq 'b')`. */
function anyOf(name: string, values: readonly QueryToken[]): QueryToken[] {
  if (values.length === 0 || values.length > maxListed || values.some((value) => !isConstant(value)))
    throw RequestError.wrongInput(`Write ${name} in ('a', 'b') with 1 to ${maxListed} constants.`);
  const comparisons = values.flatMap((value, i) => [
    ...(i === 0 ? [] : [word("or")]),
    word(name),
    word("eq"),
    value,
  ]);
  return [open, ...comparisons, close];
}

/** The tokens between commas. Two without a comma are an error. */
function argumentsFrom(tokens: readonly QueryToken[], start: number): QueryToken[] {
  const inside = tokens.slice(start, closingFrom(tokens, start));
  const isRegular =
    inside.every(({ type }, i) => (type === ",") === (i % 2 === 1)) && inside.at(-1)?.type !== ",";
  if (!isRegular)
    throw RequestError.wrongInput("Write a comma between the values of in (…) and startswith(…).");
  return inside.filter(({ type }) => type !== ",");
}

function closingFrom(tokens: readonly QueryToken[], start: number): number {
  const closing = tokens.findIndex(({ type }, at) => at >= start && type === ")");
  if (closing < 0) throw RequestError.wrongInput("A parenthesis of in (…) or startswith(…) is not closed.");
  return closing;
}

const isName = (token: QueryToken | undefined, name: string): boolean =>
  token?.type === "name" && token.name.toLowerCase() === name;

const isConstant = (token: QueryToken): boolean =>
  token.type === "literal" || isName(token, "true") || isName(token, "false");

const word = (name: string): QueryToken => ({ type: "name", name });
const literal = (value: Literal): QueryToken => ({ type: "literal", literal: value });
const open: QueryToken = { type: "(" };
const close: QueryToken = { type: ")" };
