import { ModelError } from "../../values/errors/model-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { isKeyFormat } from "../../values/keys/check-format.ts";
import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import type { KeyPartType } from "./entity-shape.ts";
import type { AnyPropertyType } from "./property-type.ts";

const examples = {
  partitionKey: "partitionKey: { channel: text() }",
  rowKey: "rowKey: { id: text() }",
  properties: "properties: { title: text() }, or properties: {} if there are none",
} as const;

/** Refuses a declaration that lacks one of these members, or that has a value other than named parts there. */
export function checkMembers(
  name: string,
  declaration: Readonly<Record<string, unknown>>,
  members: readonly (keyof typeof examples)[],
): void {
  for (const member of members) {
    const given = declaration[member];
    if (given === undefined || given === null)
      throw new ModelError(
        "model.declaration",
        `${name} is declared without ${member}. Write ${examples[member]}.`,
        { entity: name, setting: member },
      );
    const isNamed =
      typeof given === "object" && !Array.isArray(given) && !isKeyFormat(given) && !isType(given);
    if (!isNamed)
      throw new ModelError(
        "model.declaration",
        `${name} is declared with a ${member} that does not name its properties. Write ${examples[member]}.`,
        { entity: name, setting: member },
      );
  }
  for (const [property, type] of Object.entries(declaration["properties"] ?? {}))
    if (!isType(type)) throw noType(name, property, type);
}

function noType(entity: string, property: string, given: unknown): ModelError {
  const problem = isKeyFormat(given)
    ? "is declared as the key format " + given.format
    : typeof given === "function"
      ? `is declared as the function ${given.name || "itself"}`
      : `is declared as ${describeType(given)}`;
  return new ModelError(
    "model.property-type",
    `${entity}.${property} ${problem}, which is not a property type. Call one, with parentheses: text(), int32(), int64(), double(), bool(), dateTime(), guid(), binary(), json(), enumOf([…]), convert({ … }) or embedded(Class, { … }).`,
    { entity, property },
  );
}

const isType = (value: unknown): value is AnyPropertyType =>
  typeof value === "object" && value !== null && "serializer" in value && "presence" in value;

/**
 * The format of a key part: `text()` in a key means the text itself, `guid()` a GUID.
 *
 * @throws ModelError `model.key-format`, with the formats that exist for the type
 */
export function formatOfPart(entity: string, property: string, part: KeyPartType): AnyKeyFormat {
  if (isKeyFormat(part)) return part;
  if (!isType(part))
    throw noFormat(entity, property, `${shownPart(part)}, which is not a key format`, anyFormat);
  const { serializer, storedName, keyFormat: format, embedded } = part as AnyPropertyType;
  if (embedded !== undefined)
    throw new ModelError(
      "model.property-type",
      `${entity}.${property} is an embedded object, which cannot be part of a key. Declare it in properties, and make its leaves parts of an index: { "${property}.city": constant("CITY:", verbatim) }.`,
      { entity, property },
    );
  if (format === undefined)
    throw noFormat(
      entity,
      property,
      `the property type ${serializer.name}, but a key needs a format that preserves its order`,
      serializer.keyAdvice ?? noOrder,
    );
  if (storedName !== undefined)
    throw noFormat(
      entity,
      property,
      "a type with a stored name, but key parts have none",
      "Leave .named(…) out.",
    );
  if ((part as AnyPropertyType).presence === "optional")
    throw noFormat(entity, property, "optional, but every key part needs a value", "Leave .optional() out.");
  return format;
}

const shownPart = (part: unknown): string =>
  typeof part === "function" ? `the function ${(part as { name: string }).name}` : describeType(part);

const anyFormat =
  "Write text() or guid() for unconverted text, newestFirst or oldestFirst for dates, padded(10) for numbers, padded64(19) for bigints.";
const noOrder =
  "Keys hold text, integers, dates and GUIDs: declare it as a stored property, or convert it to text and write text().";
const noFormat = (entity: string, property: string, problem: string, remedy: string): ModelError =>
  new ModelError(
    "model.key-format",
    `${entity}.${property}, part of a key, is declared as ${problem}. ${remedy}`,
    {
      entity,
      property,
    },
  );
