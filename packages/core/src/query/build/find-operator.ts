import { isOfWord, tokensOf } from "./source-tokens.ts";

/**
 * The first of JavaScript's operators that a `where` callback's source uses on a condition or a column: `b.rating.eq(3) || …`,
 * `!b.isOpen`, `b.rating === 3`. Only what is plain to see: a miss is better than a false alarm.
 */
export function findOperator(source: string): string | undefined {
  const tokens = tokensOf(source);
  const header = headerOf(tokens);
  if (header === undefined || isShadowed(tokens, header)) return undefined;
  return tokens.find((_token, at) => isMisused(tokens, at, header));
}

function isMisused(tokens: readonly string[], at: number, header: Header): boolean {
  switch (tokens[at]) {
    case "||":
    case "??":
      return isJoined(tokens, at, header) || isBareColumn(tokens, at, header);
    case "&&":
    case "?":
      return endsAsCondition(tokens, at - 1, header) || isBareColumn(tokens, at, header);
    case "!":
      return beginsAsCondition(tokens, at + 1, header) || isColumnAfter(tokens, at, header);
    case "===":
    case "!==":
    case "==":
    case "!=":
      return (
        endsAsCondition(tokens, at - 1, header) ||
        beginsAsCondition(tokens, at + 1, header) ||
        isColumnBefore(tokens, at, header) ||
        isColumnAfter(tokens, at, header)
      );
    default:
      return false;
  }
}

/** `a || b` of two conditions. Where the left one may be absent, `||` is a choice. */
const isJoined = (tokens: readonly string[], at: number, header: Header): boolean =>
  endsAsCondition(tokens, at - 1, header) && beginsAsCondition(tokens, at + 1, header);

/** A column alone where a condition belongs. `b.note && b.note.eq("x")` only asks whether there is such a column. */
function isBareColumn(tokens: readonly string[], at: number, header: Header): boolean {
  if (!isColumnBefore(tokens, at, header)) return false;
  const length = header.parameter === undefined ? 1 : 3;
  return tokens.slice(at - length, at).join("") !== tokens.slice(at + 1, at + 1 + length).join("");
}

/** Whether a column ends before an operator, and is all that does. */
function isColumnBefore(tokens: readonly string[], at: number, header: Header): boolean {
  const start = startOfColumn(tokens, at - 1, header);
  return start !== undefined && beforeExpression.has(tokens[start - 1] as string);
}

/** Whether a column begins after an operator, of which no method is called. */
function isColumnAfter(tokens: readonly string[], at: number, header: Header): boolean {
  const end = at + (header.parameter === undefined ? 1 : 3);
  return startOfColumn(tokens, end, header) === at + 1 && !isDot(tokens[end + 1]) && tokens[end + 1] !== "(";
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

/** Whether a function inside the callback has a parameter of the same name, or declares it. */
function isShadowed(tokens: readonly string[], { parameter, columns, end }: Header): boolean {
  const isOurs = (token: string | undefined): boolean =>
    token !== undefined && (token === parameter || columns.has(token));
  return tokens.some((token, at) => {
    if (at <= end + 1) return false;
    if (isOurs(token) && declarations.has(tokens[at - 1] as string)) return true;
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
const declarations = new Set(["const", "let", "var"]);
const joins = new Set(["and", "or", "not"]);
/** What may stand before a whole operand of `||`. */
const beforeExpression = new Set(["=>", "(", "[", ",", "return", "||", "??", "?", ":", "=", "{", ";"]);
