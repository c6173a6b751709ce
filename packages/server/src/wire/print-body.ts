import type { RowBody } from "@partita/core/internal";

const mark = Buffer.from('@odata.type":');
const point = Buffer.from(".0");
const [quote, comma, brace, colon] = [0x22, 0x2c, 0x7d, 0x3a];

/**
 * Prints a row from its stored bytes, with the same result as `jsonRow` for its entity. The bytes are copied, except
 * for Doubles, which show their type by a decimal point instead of an annotation; without metadata, all annotations are
 * left out.
 *
 * @param metadata - a first member with a comma
 * @returns undefined for a row that has to be parsed: if an annotation does not come right before its property, or a
 *   Double is not a JSON number
 */
export function printBody(
  body: RowBody,
  level: "minimal" | "none",
  metadata: string = "",
): Buffer | undefined {
  const { bytes: stored } = body;
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const etag = level === "none" ? "" : `"odata.etag":${JSON.stringify(body.etag)},`;
  const head = `{${metadata}${etag}"PartitionKey":${JSON.stringify(body.partitionKey)},"RowKey":${JSON.stringify(body.rowKey)},"Timestamp":"${body.timestamp}"${bytes.length > 2 ? "," : ""}`;
  // The replacement of an annotation is shorter.
  const printed = Buffer.allocUnsafe(3 * head.length + bytes.length);
  let length = printed.write(head);
  let from = 1;
  for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, from)) {
    const found = annotationAt(bytes, at);
    if (found === undefined) return undefined;
    const { start, property, value, isDouble } = found;
    if (isDouble || level === "none") {
      length += bytes.copy(printed, length, from, start);
      from = property;
    }
    if (isDouble && bytes[value] === quote) return undefined;
    const end = isDouble ? endOfWhole(bytes, value) : undefined;
    // After the annotation, to avoid finding it again.
    const next = end ?? value;
    length += bytes.copy(printed, length, from, next);
    if (end !== undefined) length += point.copy(printed, length);
    from = next;
  }
  length += bytes.copy(printed, length, from);
  return printed.subarray(0, length);
}

/** An annotation, and the property after it. */
interface FoundAnnotation {
  /** The start of its name, at the quotation mark. */
  readonly start: number;
  /** The start of the property's name, at the quotation mark. */
  readonly property: number;
  /** The start of the property's value. */
  readonly value: number;
  readonly isDouble: boolean;
}

/** @param at - the position of `@odata.type":`. A quotation mark within a value is escaped, so this one ends a name */
function annotationAt(bytes: Buffer, at: number): FoundAnnotation | undefined {
  let start = at - 1;
  while (start > 0 && bytes[start] !== quote) start--;
  const type = at + mark.length;
  const end = bytes.indexOf(quote, type + 1);
  const property = end + 2;
  const value = property + (at - start) + 2;
  const isNext =
    bytes[type] === quote &&
    bytes[end + 1] === comma &&
    bytes[value - 2] === quote &&
    bytes[value - 1] === colon &&
    hasName(bytes, start, property, at - start);
  // Only Edm.Double starts with these letters.
  const isDouble = bytes[type + 5] === 0x44 && bytes[type + 6] === 0x6f;
  return isNext ? { start, property, value, isDouble } : undefined;
}

/** Whether the same name starts at both positions. */
function hasName(bytes: Buffer, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** The end of a number without a point or an exponent; undefined for others. */
function endOfWhole(bytes: Buffer, start: number): number | undefined {
  let end = bytes[start] === 0x2d ? start + 1 : start;
  while (isDigit(bytes[end])) end++;
  return bytes[end] === comma || bytes[end] === brace ? end : undefined;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
