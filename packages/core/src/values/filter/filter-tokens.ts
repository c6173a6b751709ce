import { maxNameLength, nameCharacter, namePattern } from "../edm/property-name.ts";
import { parseDouble } from "../edm/double.ts";
import type { EdmForms } from "../edm/edm-forms.ts";
import { edmTypes } from "../edm/edm-types.ts";
import type { EdmType } from "../edm/stored-entity.ts";
import { typedValue } from "../edm/typed-value.ts";
import { maxFilterLength } from "./filter-limits.ts";
import { QueryError } from "../errors/query-error.ts";
import type { Literal } from "./filter-node.ts";

/** A piece of filter text: a constant, a name (operators are names too) or a parenthesis. */
export type FilterToken =
  | { readonly type: "literal"; readonly literal: Literal }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "(" | ")" };

/**
 * Splits filter text into tokens, by the protocol's literal syntax. Source: learn.microsoft.com "Querying tables and
 * entities".
 *
 * @param start - the position of the text in the complete filter, for messages
 * @throws QueryError `query.filter-syntax`, with the position and never the text
 */
export function tokenize(text: string, start: number = 0): FilterToken[] {
  if (text.length > maxFilterLength)
    throw syntaxError(start, `it is longer than ${maxFilterLength} characters`);
  const tokens: FilterToken[] = [];
  pattern ??= tokenPattern();
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const rest = pattern.exec(text);
    if (rest === null) throw syntaxError(start + at, problemAt(text, at));
    const [found, quoted, number, name] = rest;
    if (quoted !== undefined) tokens.push({ type: "literal", literal: quotedLiteral(quoted, start + at) });
    else if (number !== undefined)
      tokens.push({ type: "literal", literal: numberLiteral(number, start + at) });
    else if (name !== undefined) tokens.push(nameToken(name, start + at));
    else if (found === "(" || found === ")") tokens.push({ type: found });
    at += found.length;
  }
  return tokens;
}

/** Created for the first filter: V8 takes a millisecond for Unicode classes. */
let pattern: RegExp | undefined;

/**
 * White space; a quoted constant with its type; a number with its suffix; a name; a parenthesis. A constant in quotes may follow
 * an operator without a blank, as in `PartitionKey eq'1'` (seen on the service).
 */
function tokenPattern(): RegExp {
  const choices = [
    String.raw`\s+`,
    String.raw`((?:${[...quotedTypes.keys()].join("|")})'(?:[^']|'')*')(?![\p{L}\p{N}_'])`,
    String.raw`(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[LlDd]?)(?![\p{L}\p{N}_'])`,
    `(${namePattern})(?!${nameCharacter})`,
    "[()]",
  ];
  return new RegExp(choices.join("|"), "uy");
}

function problemAt(text: string, at: number): string {
  if (/["']/.test(text.charAt(at)))
    return "text needs single quotation marks around it, and '' for each inside";
  if (/[=<>!&|]/.test(text.charAt(at))) return "operators are words: eq, ne, gt, ge, lt, le, and, or, not";
  return "it has a character that starts no name, constant or parenthesis";
}

function quotedLiteral(text: string, at: number): Literal {
  const start = text.indexOf("'");
  const { edm, quoted } = quotedTypes.get(text.slice(0, start)) as QuotedType;
  const value = quoted.parse(text.slice(start + 1, -1));
  if (value === undefined) throw syntaxError(at, quoted.problem);
  return { edm, value };
}

type QuotedType = EdmForms & Required<Pick<EdmForms, "quoted">>;

/** The types with constants in quotation marks, by their prefix. */
const quotedTypes: ReadonlyMap<string, QuotedType> = new Map(
  edmTypes.flatMap((type) => (type.quoted?.prefixes ?? []).map((prefix) => [prefix, type as QuotedType])),
);

function numberLiteral(text: string, at: number): Literal {
  const suffix = /[LlDd]$/.test(text) ? text.slice(-1).toLowerCase() : "";
  const digits = suffix === "" ? text : text.slice(0, -1);
  if (suffix === "l") return literalOf("Edm.Int64", digits, at, "a number is beyond Int64");
  if (suffix === "d" || /[.eE]/.test(digits)) return doubleLiteral(digits, at);
  // Seen on the service: "Unrecognized 'Edm.Int32' literal". Source: github.com/microsoft/AzureStorageExplorer #1382.
  return literalOf("Edm.Int32", digits, at, "a whole number beyond Int32 needs an L: 5454161346626L");
}

function doubleLiteral(digits: string, at: number): Literal {
  const value = parseDouble(digits);
  if (value === undefined) throw syntaxError(at, "a number is beyond Double");
  return { edm: "Edm.Double", value };
}

function literalOf(edm: EdmType, text: string, at: number, problem: string): Literal {
  const typed = typedValue(text, edm);
  if (typed === undefined) throw syntaxError(at, problem);
  return { edm, value: typed.value };
}

function nameToken(name: string, at: number): FilterToken {
  if (name.length <= maxNameLength) return { type: "name", name };
  throw syntaxError(at, `a name is longer than ${maxNameLength} characters`);
}

/** The error for text that is not a filter. */
export function syntaxError(at: number | undefined, problem: string): QueryError {
  const where = at === undefined ? "" : ` at character ${at}`;
  return new QueryError(
    "query.filter-syntax",
    `The filter cannot be read${where}: ${problem}. Filters are comparisons such as Rating ge 3, joined by and, or, not and parentheses.`,
    { at },
  );
}
