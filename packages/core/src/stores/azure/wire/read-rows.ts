import type { StoredEntity } from "../../../values/edm/stored-entity.ts";
import type { ReadRow, RowReader } from "../../../storage/row-reader.ts";
import { endOfText } from "../../../values/edm/json-bytes.ts";
import { checkNumbers, hasKeys, parseResponse, toStoredEntity } from "./entity-json.ts";
import { malformed } from "./read-response.ts";

const listStart = Buffer.from('"value":[');
const metadataStart = Buffer.from('{"odata.metadata":"');
const [openingBrace, closingBrace, comma] = [0x7b, 0x7d, 0x2c];

/**
 * Reads the rows of a page from its bytes. Undefined if the service would not write the bytes like this: then the
 * response has to be parsed as a whole.
 *
 * @throws SyntaxError, StorageError `storage.malformed-response`
 */
export function readRows(bytes: Buffer, reader: RowReader): readonly (ReadRow | StoredEntity)[] | undefined {
  const start = startOfList(bytes);
  if (start === undefined) return undefined;
  const list = reader.readList(bytes, start, parseRow);
  const isComplete = list?.end === bytes.length - 1 && bytes[list.end] === closingBrace;
  return isComplete ? list.rows : undefined;
}

/** The first byte after the opening bracket of a response's list. */
function startOfList(bytes: Buffer): number | undefined {
  if (bytes[0] !== openingBrace) return undefined;
  let at = 1;
  if (stands(metadataStart, bytes, 0)) {
    const end = endOfText(bytes, metadataStart.length);
    if (end === undefined || bytes[end + 1] !== comma) return undefined;
    at = end + 2;
  }
  return stands(listStart, bytes, at) ? at + listStart.length : undefined;
}

const stands = (expected: Buffer, bytes: Buffer, at: number): boolean =>
  bytes.length >= at + expected.length &&
  bytes.compare(expected, 0, expected.length, at, at + expected.length) === 0;

/** @throws SyntaxError, StorageError `storage.malformed-response` */
function parseRow(text: string): StoredEntity {
  const row = parseResponse(text);
  if (!hasKeys(row)) throw malformed("it contains no list of entities");
  checkNumbers(row as object);
  return toStoredEntity(row as object);
}
