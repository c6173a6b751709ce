/** Stands for every string, template and regular expression: what is in them is no code of the callback. */
const text = '"';

/**
 * The words and signs of a function's source, without comments and without what is inside strings, templates and regular
 * expressions. Enough to recognize a few forms; not a parser.
 */
export function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < source.length;) {
    const end = endOfToken(source, at, tokens.at(-1));
    const token = source.slice(at, end.at);
    if (end.kind === "token") tokens.push(token);
    else if (end.kind === "text") tokens.push(text);
    at = end.at;
  }
  return tokens;
}

interface TokenEnd {
  readonly at: number;
  readonly kind: "token" | "text" | "gap";
}

function endOfToken(source: string, at: number, previous: string | undefined): TokenEnd {
  const char = source.charAt(at);
  const next = source.charAt(at + 1);
  if (char === "/" && next === "/") return { at: indexOrEnd(source, "\n", at), kind: "gap" };
  if (char === "/" && next === "*") return { at: indexOrEnd(source, "*/", at + 2) + 2, kind: "gap" };
  if (char === "/" && mayBeginExpression(previous))
    return { at: endOfRegularExpression(source, at), kind: "text" };
  if (char === '"' || char === "'") return { at: endOfQuoted(source, at), kind: "text" };
  if (char === "`") return { at: endOfTemplate(source, at), kind: "text" };
  if (isSpace(char)) return { at: at + 1, kind: "gap" };
  if (isOfWord(char)) return { at: endOfWord(source, at), kind: "token" };
  const three = char + next + source.charAt(at + 2);
  if (three === "===" || three === "!==") return { at: at + 3, kind: "token" };
  return { at: at + (longSigns.has(char + next) ? 2 : 1), kind: "token" };
}

/** Whether an expression may follow, so that a slash is the beginning of a regular expression and no division. */
const mayBeginExpression = (previous: string | undefined): boolean =>
  previous === undefined || wordsBefore.has(previous) || signsBefore.has(previous.charAt(0));

const wordsBefore = new Set(["return", "typeof", "case", "in", "of", "void", "await", "yield"]);
const signsBefore = new Set("(,=:[!&|?{};+-*%~^<>");
const longSigns = new Set(["||", "&&", "??", "?.", "=>", "==", "!="]);

function endOfQuoted(source: string, start: number): number {
  const quote = source.charAt(start);
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== quote) at += source.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

function endOfTemplate(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== "`") {
    if (source.charAt(at) === "\\") at += 2;
    else if (source.startsWith("${", at)) at = endOfSubstitution(source, at + 2);
    else at++;
  }
  return at + 1;
}

function endOfSubstitution(source: string, start: number): number {
  let depth = 1;
  let at = start;
  let previous: string | undefined;
  while (at < source.length && depth > 0) {
    const end = endOfToken(source, at, previous);
    if (end.kind !== "gap") previous = end.kind === "text" ? text : source.slice(at, end.at);
    if (end.kind === "token" && previous === "{") depth++;
    if (end.kind === "token" && previous === "}") depth--;
    at = end.at;
  }
  return at;
}

function endOfRegularExpression(source: string, start: number): number {
  let isInClass = false;
  let at = start + 1;
  for (; at < source.length; at++) {
    const char = source.charAt(at);
    if (char === "\\") at++;
    else if (char === "[") isInClass = true;
    else if (char === "]") isInClass = false;
    else if (char === "/" && !isInClass) break;
  }
  return endOfWord(source, at + 1);
}

function endOfWord(source: string, start: number): number {
  let at = start;
  while (at < source.length && isOfWord(source.charAt(at))) at++;
  return at;
}

function indexOrEnd(source: string, searched: string, from: number): number {
  const index = source.indexOf(searched, from);
  return index < 0 ? source.length : index;
}

const isSpace = (char: string): boolean => /\s/.test(char);

/** Of a name or a number; every letter outside ASCII counts. */
export const isOfWord = (char: string): boolean => /[\w$\u0080-\uffff]/.test(char) && !isSpace(char);
