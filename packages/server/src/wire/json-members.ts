import { ServiceFault } from "./service-fault.ts";

/** The members of a flat JSON object in order. */
export interface JsonMembers {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  /** The source text of numbers; for other values, any text. */
  readonly sources: readonly string[];
}

/** Parses a JSON object with plain values. @throws ServiceFault `InvalidInput`, `TooManyProperties` */
export const membersOf = (text: string): JsonMembers => plainMembers(text) ?? anyMembers(text);

/** Characters that must be escaped, and similar ones. */
// oxlint-disable-next-line no-control-regex -- A class of all control characters takes twice as long.
const control = /[\x00-\x1f\x7f-\x9f]/;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const quote = 0x22;

/** Parses a text without escapes and without white space between tokens, as clients write it; undefined for others. */
function plainMembers(text: string): JsonMembers | undefined {
  if (!text.startsWith('{"') || text.includes("\\") || control.test(text)) return undefined;
  const [names, values, sources]: [string[], unknown[], string[]] = [[], [], []];
  let at = 0;
  do {
    // The other parser refuses this many.
    if (names.length > maxPlain) return undefined;
    const nameEnd = text.charCodeAt(at + 1) === quote ? text.indexOf('"', at + 2) : -1;
    if (nameEnd < 0 || text[nameEnd + 1] !== ":") return undefined;
    names.push(text.slice(at + 2, nameEnd));
    const start = nameEnd + 2;
    if (text.charCodeAt(start) === quote) {
      at = text.indexOf('"', start + 1) + 1;
      if (at === 0) return undefined;
      values.push(text.slice(start + 1, at - 1));
      sources.push("");
    } else {
      scalar.lastIndex = start;
      const source = scalar.exec(text)?.[0];
      if (source === undefined) return undefined;
      at = start + source.length;
      values.push(JSON.parse(source));
      sources.push(source);
    }
  } while (text[at] === ",");
  return text[at] === "}" && at === text.length - 1 ? { names, values, sources } : undefined;
}

const token = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\]:,])/y;

/** Parses any JSON text. */
function anyMembers(text: string): JsonMembers {
  try {
    JSON.parse(text);
  } catch {
    throw new ServiceFault("InvalidInput");
  }
  const tokens = tokensOf(text);
  if (tokens[0] !== "{") throw new ServiceFault("InvalidInput");
  const [names, values, sources]: [string[], unknown[], string[]] = [[], [], []];
  // The text is valid JSON: a name, a colon, a value and a comma follow each other, unless a value is not plain.
  for (let at = 1; at < tokens.length - 1; at += 4) {
    const [name, value] = [tokens[at] as string, tokens[at + 2] as string];
    if (value === "{" || value === "[") throw new ServiceFault("InvalidInput");
    names.push(JSON.parse(name) as string);
    values.push(JSON.parse(value));
    sources.push(value);
  }
  return { names, values, sources };
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    tokens.push(found[1] as string);
    // The protocol has no objects inside objects.
    if (tokens.length > maxTokens) throw new ServiceFault("TooManyProperties");
  }
  return tokens;
}

/** Four tokens for each of 255 properties and their annotations, with ample reserve. */
const maxTokens = 10_000;
/** The number of members that makes this number of tokens. */
const maxPlain = maxTokens / 4 - 1;
