import { ModelError } from "../../values/errors/model-error.ts";
import { kindPart } from "../../values/keys/constant.ts";
import { isDerived } from "../../values/keys/derived-format.ts";
import { type KeyName, keyTextProblem } from "../../values/keys/key-rules.ts";
import type { KeyPart, KeyTemplate } from "../../values/keys/key-template.ts";
import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import { verbatim } from "../../values/keys/verbatim.ts";
import { successor } from "../../values/keys/text-range.ts";
import { formatOfPart } from "./check-declaration.ts";
import type { EntityDefinition, KeyPartDefinition, TableOptions } from "./entity-definition.ts";
import type { DerivedPart, GeneratedPart, KeyProperty } from "./entity-model.ts";

/** The keys of a model: their formats, and the properties that their values come from. */
export interface ModelKeys {
  readonly partitionKey: KeyTemplate;
  readonly rowKey: KeyTemplate;
  readonly keyProperties: readonly KeyProperty[];
  readonly derivedParts: readonly DerivedPart[];
  readonly generated: readonly GeneratedPart[];
  readonly hasVerbatimKeys: boolean;
}

/** @throws ModelError for formats, literals and separators that cannot be combined */
export function buildKeys(entity: string, definition: EntityDefinition): ModelKeys {
  const { options, properties, kind } = definition;
  const partitionKey = keyTemplate("PartitionKey", entity, definition.partitionKey, options.separator);
  const rowKey = keyTemplate("RowKey", entity, definition.rowKey, options.separator, kind);
  const keyProperties = [partitionKey, rowKey].flatMap(propertiesOf);
  const derivedParts = [partitionKey, rowKey].flatMap(derivedPartsOf);
  const samples = new Map([
    ...properties.map(
      ({ name, type }) => [name, type.presence === "optional" ? undefined : type.serializer.sample] as const,
    ),
    ...[partitionKey, rowKey].flatMap(({ parts }) =>
      parts.flatMap(({ property, format, isDerived: tellsLess }) =>
        property === undefined || tellsLess === true
          ? []
          : [[property, keySamples.find((each) => format.accepting(each))] as const],
      ),
    ),
  ]);
  for (const { part } of derivedParts) checkSource(entity, part, samples);
  const hasVerbatimKeys = keyProperties.every(({ key }) =>
    isVerbatim(key === "PartitionKey" ? partitionKey : rowKey),
  );
  const generated = [partitionKey, rowKey].flatMap(generatedPartsOf);
  return { partitionKey, rowKey, keyProperties, derivedParts, generated, hasVerbatimKeys };
}

const generatedPartsOf = ({ parts }: KeyTemplate): GeneratedPart[] =>
  parts.flatMap(({ property: name, format }) => {
    const generate = (format as AnyKeyFormat).generate?.bind(format);
    return name === undefined || generate === undefined ? [] : [{ name, generate }];
  });

const isVerbatim = ({ parts, isOpen }: KeyTemplate): boolean =>
  parts.length === 1 && parts[0]?.format === verbatim && isOpen !== true;

function keyTemplate(
  key: KeyName,
  entity: string,
  definitions: readonly KeyPartDefinition[],
  option: TableOptions["separator"],
  kind?: EntityDefinition["kind"],
): KeyTemplate {
  const parts = definitions.map((definition) => keyPart(entity, definition));
  if (kind?.key !== undefined) {
    const part = { property: undefined, format: kindPart(kind.name, kind.formerly) };
    if (kind.key === "prefix") parts.unshift(part);
    else parts.push(part);
  }
  const separator = separatorOf(entity, key, parts, option);
  for (const [index, part] of parts.entries()) checkPart(entity, part, index === parts.length - 1, separator);
  return { key, separator, parts };
}

function keyPart(entity: string, { property, format: declared }: KeyPartDefinition): KeyPart {
  const format = formatOfPart(entity, property, declared);
  return isDerived(format) ? { property, format, isDerived: true } : { property, format };
}

/** The table's setting; without it, the separator that an escaped part needs; otherwise `_`. */
function separatorOf(
  entity: string,
  key: KeyName,
  parts: readonly KeyPart[],
  option: TableOptions["separator"],
): string {
  const given =
    typeof option === "object" ? option[key === "PartitionKey" ? "partitionKey" : "rowKey"] : option;
  const needed = parts.find(({ format }) => format.separator !== undefined);
  const separator = given ?? needed?.format.separator ?? "_";
  if (separator === "" || keyTextProblem(separator) !== undefined || successor(separator) === undefined)
    throw new ModelError(
      "model.separator",
      `${entity} has a separator that keys cannot hold. Use one such as "_" or "!".`,
      { entity },
    );
  if (needed !== undefined && parts.length > 1 && separator !== needed.format.separator)
    throw new ModelError(
      "model.separator",
      `${entity}.${needed.property} is ${needed.format.format} and part of a ${key} of several parts, which keeps its order only with the separator ${JSON.stringify(needed.format.separator)}. Set that separator, or leave it out.`,
      { entity, property: needed.property },
    );
  return separator;
}

function checkPart(entity: string, part: KeyPart, isLast: boolean, separator: string): void {
  checkLiteral(entity, part, isLast, separator);
  const isAmbiguous = part.isDerived === true && part.format.width === undefined && /^[\d_]$/.test(separator);
  if (!isLast && isAmbiguous)
    throw new ModelError(
      "model.key-order",
      `${entity}.${part.property} is ${part.format.format}. Its texts differ in length and contain "_", so make it the last part of its key, or choose another separator.`,
      { entity, property: part.property },
    );
}

/** Literal text in a key belongs to the model, so it is checked when the model is built. */
function checkLiteral(entity: string, part: KeyPart, isLast: boolean, separator: string): void {
  const literal = part.format.literal ?? part.format.prefix;
  if (literal === undefined) return;
  const holdsSeparator = !isLast && `${literal}${separator}`.indexOf(separator) !== literal.length;
  const problem =
    keyTextProblem(literal)?.problem ??
    (holdsSeparator ? `contains the separator ${JSON.stringify(separator)}` : undefined);
  if (problem !== undefined)
    throw new ModelError(
      "model.key-literal",
      `${entity} has the literal key part ${JSON.stringify(literal)}, which ${problem}. Choose another text or separator.`,
      { entity, literal },
    );
}

const propertiesOf = ({ key, parts }: KeyTemplate): KeyProperty[] =>
  parts.flatMap(({ property: name, isDerived: tellsLess }, index) =>
    name === undefined || tellsLess === true ? [] : [{ name, key, index }],
  );

const derivedPartsOf = ({ key, parts }: KeyTemplate): DerivedPart[] =>
  parts.flatMap((part, index) => (part.isDerived === true ? [{ key, index, part }] : []));

const keySamples: readonly unknown[] = [new Date(0), 0, 0n, "a"];

/** The source of a derived part must also be stored elsewhere, or it would be lost, and must have a type that fits. */
function checkSource(
  entity: string,
  { property, format }: KeyPart,
  samples: ReadonlyMap<string, unknown>,
): void {
  if (property === undefined || !samples.has(property))
    throw new ModelError(
      "model.derived-alone",
      `${entity}.${property} is only declared as ${format.format}, which does not hold its complete value. Declare it once more: as a part of the RowKey, such as newestFirst, or as a stored property.`,
      { entity, property },
    );
  if (format.accepting(samples.get(property))) return;
  throw new ModelError(
    "model.derived-source",
    `${entity}.${property} cannot be the source of ${format.format}, which takes ${format.accepts} that every entity has. Use a property of such a type that is not optional.`,
    { entity, property },
  );
}
