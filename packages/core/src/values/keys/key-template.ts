import { isDate } from "../errors/built-ins.ts";
import { KeyError } from "../errors/key-error.ts";
import { nearestName } from "../errors/nearest-name.ts";
import { describeType } from "../errors/serialization-error.ts";
import type { AnyKeyFormat } from "./key-format.ts";
import { checkKey, type KeyName, keyTextProblem } from "./key-rules.ts";

/** One part of a key: a property and its format. */
export interface KeyPart {
  /** The property that the part is made from; undefined for a kind's prefix or suffix. */
  readonly property: string | undefined;
  readonly format: AnyKeyFormat;
  /**
   * Whether the part holds less than its property, which is also declared elsewhere and not read back from the part.
   */
  readonly isDerived?: boolean;
}

/** How properties form a PartitionKey or RowKey: parts joined in order by a separator. */
export interface KeyTemplate {
  readonly key: KeyName;
  readonly separator: string;
  readonly parts: readonly KeyPart[];
  /** Whether keys may have another form: then the parts that are found are read, and the others are left out. */
  readonly isOpen?: boolean;
}

/**
 * Joins property values into key text.
 *
 * @throws KeyError `key.missing-part`, `key.invalid-part`, `key.forbidden-character`, `key.contains-separator`,
 *   `key.malformed` or `key.too-long`, naming `entity` and the property
 */
export function composeKey(
  template: KeyTemplate,
  values: Readonly<Record<string, unknown>>,
  entity: string,
): string {
  const { parts, separator } = template;
  let text = "";
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as KeyPart;
    const encoded = encodePart(template, part, values, entity);
    if (i < parts.length - 1 && !canPrecedeSeparator(part, encoded, separator))
      throw partError(
        "key.contains-separator",
        template,
        part,
        entity,
        `contains the separator ${JSON.stringify(separator)}, so it could not be read back. Use another separator, make it the last part, or declare it as escaped`,
      );
    text += i === 0 ? encoded : separator + encoded;
  }
  checkKey(template.key, text, entity);
  return text;
}

/**
 * Parses key text into one value per part.
 *
 * @throws KeyError `key.unreadable` if the text does not match the template
 */
export function parseKey(template: KeyTemplate, text: string, entity: string): unknown[] {
  if (template.isOpen === true) return parseOpenKey(template, text);
  const [only] = template.parts;
  if (only !== undefined && template.parts.length === 1) return [parsePart(template, only, text, entity)];
  const texts = splitKey(template, text);
  if (texts === undefined) throw unreadable(template, undefined, entity);
  return texts.map((partText, i) => parsePart(template, template.parts[i] as KeyPart, partText, entity));
}

/** The values of the leading parts that the text has. */
function parseOpenKey(template: KeyTemplate, text: string): unknown[] {
  const values: unknown[] = [];
  for (const [i, partText] of splitOpenKey(template, text).entries()) {
    const value: unknown = template.parts[i]?.format.decode(partText);
    if (value === undefined) break;
    values.push(value);
  }
  return values;
}

/** The texts of the parts that the text has; any text after them is ignored. */
function splitOpenKey({ parts, separator }: KeyTemplate, text: string): string[] {
  const texts: string[] = [];
  let from = 0;
  for (const part of parts) {
    const found = endOfPart(part, text, from, separator);
    const end = found < 0 ? text.length : found;
    texts.push(text.slice(from, end));
    from = end + separator.length;
  }
  return texts;
}

function parsePart(template: KeyTemplate, part: KeyPart, text: string, entity: string): unknown {
  const value: unknown = part.format.decode(text);
  if (value === undefined) throw unreadable(template, part, entity);
  return value;
}

/**
 * Splits key text into one text per part; the last part takes the rest. Undefined if a separator is not at its
 * position.
 */
export function splitKey(template: KeyTemplate, text: string): string[] | undefined {
  const { parts, separator, isOpen = false } = template;
  if (isOpen) return splitOpenKey(template, text);
  if (parts.length === 0) return text === "" ? [] : undefined;
  const texts: string[] = [];
  let from = 0;
  for (let i = 0; i < parts.length - 1; i++) {
    const end = endOfPart(parts[i] as KeyPart, text, from, separator);
    if (end < 0) return undefined;
    texts.push(text.slice(from, end));
    from = end + separator.length;
  }
  texts.push(text.slice(from));
  return texts;
}

/** Whether this text, followed by the separator, is split off unchanged. */
export function canPrecedeSeparator(part: KeyPart, text: string, separator: string): boolean {
  if (part.format.width !== undefined) return true;
  // A longer separator may begin in the text and end in the separator after it.
  return separator.length === 1
    ? !text.includes(separator)
    : (text + separator).indexOf(separator) === text.length;
}

function encodePart(
  template: KeyTemplate,
  part: KeyPart,
  values: Readonly<Record<string, unknown>>,
  entity: string,
): string {
  const { property, format } = part;
  const value = property === undefined ? format.literal : values[property];
  if ((value === undefined || value === null) && format.literal === undefined)
    throw partError(
      "key.missing-part",
      template,
      part,
      entity,
      `is missing. ${misspelt(template, part, values)}Give it a value: every key part is needed`,
    );
  const text = format.encode(value);
  if (text === undefined)
    throw partError(
      "key.invalid-part",
      template,
      part,
      entity,
      `holds ${describeType(value)} that does not fit its format ${format.format}, which takes ${format.accepts}${formatFor(value, format)}`,
    );
  const problem = keyTextProblem(text);
  if (problem !== undefined)
    throw partError(
      problem.code,
      template,
      part,
      entity,
      `${problem.problem}, which the service does not allow in keys. Remove or replace it, or declare the part as escaped`,
    );
  return text;
}

/** The name in a program's own object that may stand for a missing part. */
function misspelt({ parts }: KeyTemplate, { property = "" }: KeyPart, values: object): string {
  if (Object.getPrototypeOf(values) !== Object.prototype) return "";
  const others = Object.keys(values).filter((name) => !parts.some((each) => each.property === name));
  const found = nearestName(property, others);
  return found === undefined ? "" : `Is ${found} misspelt? `;
}

/** The format for a value of another type than the part's: the one for a part that was declared without a format. */
function formatFor(value: unknown, { format, accepts }: AnyKeyFormat): string {
  if (typeof value === "string" && accepts.includes("Date")) return ". Assign new Date(text)";
  if (format !== "verbatim" && format !== "escaped") return "";
  if (isDate(value)) return ". Declare the part with newestFirst or oldestFirst";
  if (typeof value === "bigint") return ". Declare the part with padded64(19)";
  return typeof value === "number" ? ". Declare the part with padded(10), or assign text" : "";
}

/** The end of a part: after its fixed width, or before the next separator; -1 if it has no end. */
function endOfPart(part: KeyPart, text: string, from: number, separator: string): number {
  const { width } = part.format;
  if (width === undefined) return text.indexOf(separator, from);
  return text.startsWith(separator, from + width) ? from + width : -1;
}

function partError(
  code: string,
  template: KeyTemplate,
  part: KeyPart,
  entity: string,
  problem: string,
): KeyError {
  const name = part.property === undefined ? entity : `${entity}.${part.property}`;
  return new KeyError(code, `${name}, part of the ${template.key}, ${problem}.`, {
    entity,
    property: part.property,
    key: template.key,
    format: part.format.format,
  });
}

function unreadable(template: KeyTemplate, part: KeyPart | undefined, entity: string): KeyError {
  const form = template.parts.map((p) => p.property ?? p.format.format).join(template.separator);
  const where =
    part === undefined ? "" : `: ${part.property ?? "its kind"} is not ${part.format.format}${hintFor(part)}`;
  return new KeyError(
    "key.unreadable",
    `A stored ${template.key} does not have the form that ${entity} declares (${form || "empty"})${where}.`,
    { entity, property: part?.property, key: template.key, form },
  );
}

const hintFor = ({ format: { format } }: KeyPart): string =>
  format === "newestFirst" || format === "oldestFirst"
    ? ` in whole milliseconds; ${format}({ ticks: true }) reads 100 ns`
    : "";
