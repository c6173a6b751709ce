import { canonicalDateTime } from "../edm/date-time-text.ts";
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
 * @param start - where the text stands in what its owner wrote, for messages
 * @throws QueryError `query.filter-syntax`, with the position and never the text
 */
export function tokenize(text: string, start: number = 0): FilterToken[] {
  const tokens: FilterToken[] = [];
  pattern ??= tokenPattern();
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const rest = pattern.exec(text);
    if (rest === null)
      throw syntaxError(start + at, "there is something that begins no name, constant or parenthesis");
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

/** Made for the first filter: V8 takes a millisecond for classes of Unicode. */
let pattern: RegExp | undefined;

/** White space; a quoted constant with its type; a number with its suffix; a name; a parenthesis. */
function tokenPattern(): RegExp {
  const choices = [
    String.raw`\s+`,
    String.raw`((?:datetime|guid|binary|X)?'(?:[^']|'')*')(?![\p{L}\p{N}_'])`,
    String.raw`(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[LlDd]?)(?![\p{L}\p{N}_'])`,
    String.raw`([\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*)(?![\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}'])`,
    "[()]",
  ];
  return new RegExp(choices.join("|"), "uy");
}

function quotedLiteral(quoted: string, at: number): Literal {
  const start = quoted.indexOf("'");
  const content = quoted.slice(start + 1, -1);
  switch (quoted.slice(0, start)) {
    case "":
      if (!content.isWellFormed()) throw syntaxError(at, "a text holds a lone surrogate");
      return { edm: "Edm.String", value: content.replaceAll("''", "'") };
    case "datetime":
      if (canonicalDateTime(content) === undefined) throw syntaxError(at, "a datetime'…' holds no date");
      return { edm: "Edm.DateTime", value: content };
    case "guid":
      if (!isGuid(content)) throw syntaxError(at, "a guid'…' holds no GUID");
      return { edm: "Edm.Guid", value: content };
    default:
      if (content.length % 2 > 0 || /[^0-9A-Fa-f]/.test(content))
        throw syntaxError(at, "an X'…' holds something else than pairs of hexadecimal digits");
      return { edm: "Edm.Binary", value: Buffer.from(content, "hex").toString("base64") };
  }
}

const guidPattern: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isGuid = (text: unknown): text is string => typeof text === "string" && guidPattern.test(text);

function numberLiteral(text: string, at: number): Literal {
  const suffix = /[LlDd]$/.test(text) ? text.slice(-1).toLowerCase() : "";
  const digits = suffix === "" ? text : text.slice(0, -1);
  const isWhole = /^-?\d+$/.test(digits);
  if (suffix === "l" || (suffix === "" && isWhole && !isInt32(digits))) {
    if (!isWhole || BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits))
      throw syntaxError(at, "a number is beyond Int64");
    return { edm: "Edm.Int64", value: String(BigInt(digits)) };
  }
  if (suffix === "" && isWhole) return { edm: "Edm.Int32", value: Number(digits) };
  const value = Number(digits);
  if (!Number.isFinite(value)) throw syntaxError(at, "a number is beyond Double");
  return { edm: "Edm.Double", value };
}

const isInt32 = (digits: string): boolean =>
  digits.length <= 11 && Number(digits) >= -2_147_483_648 && Number(digits) <= 2_147_483_647;

function nameToken(name: string, at: number): FilterToken {
  if (name.length <= maxNameLength) return { type: "name", name };
  throw syntaxError(at, `a name is longer than ${maxNameLength} characters`);
}

/** Source: learn.microsoft.com "Understanding the Table service data model". */
const maxNameLength = 255;

/** The error for text that is no filter. */
export function syntaxError(at: number | undefined, problem: string): QueryError {
  const where = at === undefined ? "" : ` at character ${at}`;
  return new QueryError(
    "query.filter-syntax",
    `The filter cannot be read${where}: ${problem}. Filters are comparisons such as Rating ge 3, joined by and, or, not and parentheses.`,
    { at },
  );
}
