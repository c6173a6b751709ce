import { crc32 } from "node:zlib";
import { textOf } from "../../values/edm/json-bytes.ts";
import { type PackedBytes, rememberSum, unpackProperties } from "../../values/edm/packed-bytes.ts";
import type { StoredEntityDraft } from "../../values/edm/stored-entity.ts";
import { isUint8Array } from "../../values/errors/built-ins.ts";
import type { UserProperties } from "../../storage/check-write.ts";
import { freeMemory } from "../../storage/free-memory.ts";
import { joinedCrc32 } from "./joined-crc32.ts";
import { packedBytesOf } from "./packed-body.ts";
import { setMembers } from "./set-members.ts";

/*
 * The stored properties of a row: JSON in UTF-8, followed by packed long bytes (`packed-body.ts`). In memory it is a
 * byte array or, if nothing is packed, a string. Only this file distinguishes the two.
 */

declare const form: unique symbol;

/** The body of a row. */
export interface Body {
  readonly [form]: never;
}

/** The forms of a body, which SQLite takes and returns for its column. */
type Form = Uint8Array | string;

const formOf = (body: Body): Form => body as unknown as Form;

/** Makes a body from its text or bytes. */
export const bodyOf = (content: Form): Body => content as unknown as Body;

/** The value for the column: `CAST(? AS BLOB)` converts both forms to bytes. */
export const columnOf: (body: Body) => Uint8Array | string = formOf;

/**
 * Selects the body for reading a few rows. A short body is read as text, which takes two thirds of the time of creating
 * an array for each. Packed bytes stay bytes, and so does a damaged body without a final brace. For many rows, select
 * the column itself: bytes are checked and scanned without a conversion to text and back.
 */
export const selectedBody =
  "CASE WHEN length(body) < 4096 AND substr(body, -1) = x'7d' THEN CAST(body AS TEXT) ELSE body END";

/** Whether a column contains a body; a damaged one may contain anything. */
export const isBody = (column: unknown): boolean => typeof column === "string" || isUint8Array(column);

/** Whether a column that was selected without conversion has the type that this library writes. */
export const isStoredBody = (column: unknown): boolean => isUint8Array(column);

/** The length in UTF-16 units of text, or in bytes: precise enough to estimate sizes. */
export const lengthOf = (body: Body): number => formOf(body).length;

export const byteLengthOf = (body: Body): number => Buffer.byteLength(formOf(body));

/** Parses the properties. @throws SyntaxError if the body is not a JSON object */
export function propertiesOf(body: Body): StoredEntityDraft {
  const packed = packedOf(body);
  if (packed === undefined) return parsed(formOf(body));
  const properties = parsed(packed.json);
  unpackProperties(properties, packed.data);
  return properties;
}

/** Parses the properties, with placeholders for packed bytes. @throws SyntaxError */
export const shapeOf = (body: Body): UserProperties => parsed(packedOf(body)?.json ?? formOf(body));

function parsed(json: Form): StoredEntityDraft {
  const properties = JSON.parse(typeof json === "string" ? json : textOf(json)) as StoredEntityDraft;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties))
    throw new SyntaxError("A stored row is not a JSON object.");
  return properties;
}

/** Splits the JSON and the packed bytes; undefined if nothing is packed. @throws SyntaxError */
export function packedOf(body: Body): PackedBytes | undefined {
  const content = formOf(body);
  return typeof content === "string" ? undefined : packedBytesOf(content);
}

/** The JSON of all properties as UTF-8. */
export function bytesOf(body: Body): Uint8Array {
  const content = formOf(body);
  if (typeof content === "string") return Buffer.from(content);
  return packedBytesOf(content) === undefined ? content : Buffer.from(JSON.stringify(propertiesOf(body)));
}

/** Sets members of a body. The result is bytes; packed bytes become text. @throws SyntaxError */
export const withMembers = (body: Body, members: UserProperties): Body =>
  bodyOf(setMembers(bytesOf(body), members));

/** The JSON of all properties, if it is in memory as text. */
export function textIn(body: Body): string | undefined {
  const content = formOf(body);
  return typeof content === "string" ? content : undefined;
}

/**
 * The CRC-32 of a body, continued from another one. Packed bytes are long, so their own sum is computed at the same
 * time and remembered for readers that also have a checksum of them.
 *
 * @throws SyntaxError if packed bytes have no JSON
 */
export function crcOf(body: Body, before: number): number {
  const content = formOf(body);
  if (typeof content === "string") return crc32(content, before);
  const packed = packedBytesOf(content);
  if (packed === undefined) return crc32(content, before);
  const { json, data } = packed;
  const crcOfData = crc32(data);
  rememberSum(data, crcOfData);
  const trailer = content.subarray(json.length + data.length);
  return crc32(trailer, joinedCrc32(crc32(json, before), crcOfData, data.length));
}

/** From this length on, freeing a body explicitly is worth the call. */
const longBody = 64 * 1024;

/** Frees the memory of a long body that was stored; the garbage collector would free it late. */
export function releaseBody(body: Body): void {
  const content = formOf(body);
  if (typeof content !== "string" && content.length >= longBody) freeMemory(content);
}
