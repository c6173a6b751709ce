import { ServiceFault } from "./service-fault.ts";

/** The members of a flat JSON object in their order. */
export interface JsonMembers {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  /** The text of numbers; of other values, whatever it is. */
  readonly sources: readonly string[];
}

/** The members of a JSON object whose values are plain. @throws ServiceFault `InvalidInput`, `TooManyProperties` */
export const membersOf = (text: string): JsonMembers => plainMembers(text) ?? anyMembers(text);

/** Characters that have to be escaped, and others like them. */
// oxlint-disable-next-line no-control-regex -- A class of all control characters takes twice as long.
const control = /[\x00-\x1f\x7f-\x9f]/;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const quote = 0x22;

/** The members of a text without escapes and without blanks around its tokens, as clients write it; undefined for another. */
function plainMembers(text: string): JsonMembers | undefined {
  if (!text.startsWith('{"') || text.includes("\\") || control.test(text)) return undefined;
  const [names, values, sources]: [string[], unknown[], string[]] = [[], [], []];
  let at = 0;
  do {
    // So many are refused the other way.
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

/** Any text of JSON. */
function anyMembers(text: string): JsonMembers {
  try {
    JSON.parse(text);
  } catch {
    throw new ServiceFault("InvalidInput");
  }
  const tokens = tokensOf(text);
  if (tokens[0] !== "{") throw new ServiceFault("InvalidInput");
  const [names, values, sources]: [string[], unknown[], string[]] = [[], [], []];
  // The text is JSON: a name, a colon, a value and a comma follow each other, unless a value is not plain.
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
    // Nothing of the protocol has an object inside an object.
    if (tokens.length > maxTokens) throw new ServiceFault("TooManyProperties");
  }
  return tokens;
}

/** Four for each of 255 properties and their annotations, with room to spare. */
const maxTokens = 10_000;
/** With as many members, there are as many tokens. */
const maxPlain = maxTokens / 4 - 1;
