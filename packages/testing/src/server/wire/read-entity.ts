import { setTyped, type TypedValue, typedValue } from "@partita/core/protocol";
import type { StoredValue } from "@partita/core";
import { ServiceFault } from "./service-fault.ts";

/** Properties of a body in stored form: what the service stores, without nulls. */
export type BodyProperties = Readonly<Record<string, StoredValue>>;

/** A member of a flat JSON object: its name and its value, with the text of a number. */
type Member = readonly [name: string, value: unknown, text: string];

const token = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\]:,])/y;

/**
 * Reads the JSON of an entity or a table, in any order and spacing. A number with a point or an exponent is a Double.
 *
 * @throws ServiceFault `InvalidInput`, `DuplicatePropertiesSpecified`
 */
export function readJsonBody(text: string): BodyProperties {
  const values = new Map<string, Member>();
  for (const member of membersOf(text)) {
    if (values.has(member[0])) throw new ServiceFault("DuplicatePropertiesSpecified");
    values.set(member[0], member);
  }
  const properties: Record<string, StoredValue> = {};
  for (const [name, value, source] of values.values()) {
    if (name.endsWith("@odata.type") || name.startsWith("odata.")) continue;
    if (name.includes("@")) throw new ServiceFault("PropertyNameInvalid");
    if (value === null || name === "Timestamp") continue;
    const edm = values.get(`${name}@odata.type`)?.[1];
    if (edm !== undefined && typeof edm !== "string") throw new ServiceFault("InvalidInput");
    const found = edm === undefined ? untyped(value, source) : typedValue(value, edm);
    if (found === undefined) throw new ServiceFault("InvalidInput");
    setTyped(properties as Parameters<typeof setTyped>[0], name, found);
  }
  return properties;
}

function untyped(value: unknown, source: string): TypedValue | undefined {
  if (typeof value === "string" || typeof value === "boolean") return { value };
  // More than any Double.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return undefined;
  return typedValue(value, /[.eE]/.test(source) ? "Edm.Double" : "Edm.Int32");
}

/** The members of a JSON object whose values are plain, in their order. */
function membersOf(text: string): Member[] {
  try {
    JSON.parse(text);
  } catch {
    throw new ServiceFault("InvalidInput");
  }
  const tokens = tokensOf(text);
  if (tokens[0] !== "{") throw new ServiceFault("InvalidInput");
  const members: Member[] = [];
  // The text is JSON: a name, a colon, a value and a comma follow each other, unless a value is not plain.
  for (let at = 1; at < tokens.length - 1; at += 4) {
    const [name, value] = [tokens[at] as string, tokens[at + 2] as string];
    if (value === "{" || value === "[") throw new ServiceFault("InvalidInput");
    members.push([JSON.parse(name) as string, JSON.parse(value), value]);
  }
  return members;
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
