import { isOfWord, tokensOf } from "./source-tokens.ts";

/**
 * Whether a `where` callback's source joins two of its conditions by `||` or `??`, which keep the first and drop the
 * second. True only for what is plain to see, `b.rating.eq(3) || b.rating.eq(4)`: a miss is better than a false alarm.
 */
export function dropsConditions(source: string): boolean {
  const tokens = tokensOf(source);
  const header = headerOf(tokens);
  if (header === undefined || isShadowed(tokens, header)) return false;
  return tokens.some(
    (token, at) =>
      (token === "||" || token === "??") &&
      endsAsCondition(tokens, at - 1, header) &&
      beginsAsCondition(tokens, at + 1, header),
  );
}

/** What a callback calls its columns. */
interface Header {
  /** The parameter, whose members are columns. */
  readonly parameter: string | undefined;
  /** Columns taken apart in the parameter. */
  readonly columns: ReadonlySet<string>;
  /** Where the parameters end. */
  readonly end: number;
}

/** The parameter of `b => …`, `(b) => …`, `({ rating }) => …`, `function (b) {…}` or `method(b) {…}`. */
function headerOf(tokens: readonly string[]): Header | undefined {
  if (tokens[1] === "=>") return { parameter: tokens[0], columns: new Set(), end: 1 };
  const open = tokens.indexOf("(");
  const close = closing(tokens, open);
  const first = tokens[open + 1];
  if (open < 0 || close === undefined || first === undefined) return undefined;
  if (first === "{") {
    const bound = tokens
      .slice(open, close)
      .filter((token, i, all) => isWord(token) && isEndOfEntry(all[i + 1]));
    return { parameter: undefined, columns: new Set(bound), end: close };
  }
  return isWord(first) ? { parameter: first, columns: new Set(), end: close } : undefined;
}

const isEndOfEntry = (token: string | undefined): boolean => token === "," || token === "}";

/** Whether a function inside the callback has a parameter of the same name. */
function isShadowed(tokens: readonly string[], { parameter, columns, end }: Header): boolean {
  const isOurs = (token: string | undefined): boolean =>
    token !== undefined && (token === parameter || columns.has(token));
  return tokens.some((token, at) => {
    if (at <= end + 1) return false;
    if (token === "function") {
      const open = tokens.indexOf("(", at);
      return tokens.slice(open, closing(tokens, open)).some(isOurs);
    }
    if (token !== "=>") return false;
    const before = at - 1;
    return tokens[before] === ")"
      ? tokens.slice(opening(tokens, before), before).some(isOurs)
      : isOurs(tokens[before]);
  });
}

/** Whether a condition ends here: `b.rating.eq(…)`, with `.and(…)`, `.or(…)` and `.not()` behind it. */
function endsAsCondition(tokens: readonly string[], end: number, header: Header): boolean {
  const open = tokens[end] === ")" ? opening(tokens, end) : undefined;
  if (open === undefined || !isDot(tokens[open - 2])) return false;
  const method = tokens[open - 1] as string;
  if (joins.has(method)) return endsAsCondition(tokens, open - 3, header);
  if (!comparisons.has(method)) return false;
  const start = startOfColumn(tokens, open - 3, header);
  // After && it may be what is chosen: `isAdmin && a || b`.
  return start !== undefined && beforeExpression.has(tokens[start - 1] as string);
}

/** Where a column that ends here begins. */
function startOfColumn(tokens: readonly string[], end: number, header: Header): number | undefined {
  const column = tokens[end];
  if (!isWord(column)) return undefined;
  if (header.parameter === undefined)
    return header.columns.has(column) && !isDot(tokens[end - 1]) ? end : undefined;
  return isDot(tokens[end - 1]) && tokens[end - 2] === header.parameter ? end - 2 : undefined;
}

/** Whether a condition begins here, behind parentheses and `!`. */
function beginsAsCondition(tokens: readonly string[], begin: number, header: Header): boolean {
  let at = begin;
  while (tokens[at] === "(" || tokens[at] === "!") at++;
  const dot = header.parameter === undefined ? at + 1 : at + 3;
  return (
    startOfColumn(tokens, dot - 1, header) === at &&
    isDot(tokens[dot]) &&
    comparisons.has(tokens[dot + 1] as string) &&
    tokens[dot + 2] === "("
  );
}

/** Where the parenthesis that ends here was opened. */
function opening(tokens: readonly string[], close: number): number | undefined {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    if (tokens[at] === ")") depth++;
    else if (tokens[at] === "(" && --depth === 0) return at;
  }
  return undefined;
}

/** Where the parenthesis that begins here is closed. */
function closing(tokens: readonly string[], open: number): number | undefined {
  let depth = 0;
  for (let at = open; at >= 0 && at < tokens.length; at++) {
    if (tokens[at] === "(") depth++;
    else if (tokens[at] === ")" && --depth === 0) return at;
  }
  return undefined;
}

const isWord = (token: string | undefined): token is string =>
  token !== undefined && isOfWord(token.charAt(0));
const isDot = (token: string | undefined): boolean => token === "." || token === "?.";

const comparisons = new Set(["eq", "ne", "gt", "ge", "lt", "le", "between", "in", "startsWith", "exists"]);
const joins = new Set(["and", "or", "not"]);
/** What may stand before a whole operand of `||`. */
const beforeExpression = new Set(["=>", "(", "[", ",", "return", "||", "??", "?", ":", "=", "{", ";"]);
