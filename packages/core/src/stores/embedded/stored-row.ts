// The form of a row in SQLite. Readers and writers of the embedded storage use this file to convert rows to entities,
// keys to columns that sort as the service does, and versions to ETags and Timestamps.

import { isOfBuiltIn } from "../../values/errors/built-ins.ts";
import {
  annotationOf,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import type { PackedBytes } from "../../values/edm/packed-bytes.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import type { RowBody } from "../../storage/row-reader.ts";
import { type Body, bytesOf, isBody, packedOf, propertiesOf, selectedBody, textIn } from "./row-body.ts";
import { checksumOf } from "./row-checksum.ts";

/**
 * The columns of a row, in the order statements select them. `ts` is its version, which is a time; `ahead` is how far
 * it is ahead of the time when the row was written. Both in microseconds.
 */
export type Row = readonly [pk: string, rk: string, ts: number, body: Body, crc: number, ahead: number];

/** The columns that statements select for a stored {@link Row}. */
export const storedColumns = "pk, rk, ts, body, crc, ahead";

/** Those after the keys, with a body that may come as text: for a few rows. */
export const contentColumns: string = `ts, ${selectedBody}, crc, ahead`;
/** Those of a row whose body is not requested, and not compared with its checksum. */
export const bareColumns: string = "pk, rk, ts, '{}', 0, ahead";
export const rowColumns: string = `pk, rk, ${contentColumns}`;

/** The columns that statements select for a row with known keys. */
export type RowContent = readonly [ts: number, body: Body, crc: number, ahead: number];

/**
 * A row as the entity the service would return. @throws DamagedRow or SyntaxError when it was damaged after it was
 * written
 */
export function toEntity(row: Row, table: number): StoredEntity {
  checkRow(row, table);
  return parseRow(row);
}

/** The same for a row that was compared with its checksum before. */
export function parseRow([pk, rk, ts, body, , ahead]: readonly [...Row, ...rest: unknown[]]): StoredEntity {
  const entity = propertiesOf(body);
  entity.PartitionKey = fromOrderedText(pk);
  entity.RowKey = fromOrderedText(rk);
  entity.Timestamp = timestampOf(ts - ahead);
  entity["odata.etag"] = etagOf(ts);
  return entity;
}

/** Units of UTF-16 that UTF-8 sorts elsewhere. */
const affected = /[\ud800-\uffff]/;

/** A row in the form that a reader takes. Its bytes, its ETag and its Timestamp are made on request. */
export class StoredBody implements RowBody {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly #body: Body;
  readonly #version: number;
  readonly #time: number;

  constructor([pk, rk, ts, body, , ahead]: readonly [...Row, ...rest: unknown[]]) {
    this.partitionKey = fromOrderedText(pk);
    this.rowKey = fromOrderedText(rk);
    this.#body = body;
    this.#version = ts;
    this.#time = ts - ahead;
  }

  get bytes(): Uint8Array {
    return bytesOf(this.#body);
  }

  get packed(): PackedBytes | undefined {
    return packedOf(this.#body);
  }

  get text(): string | undefined {
    return textIn(this.#body);
  }

  get etag(): string {
    return etagOf(this.#version);
  }

  get timestamp(): string {
    return timestampOf(this.#time);
  }
}

/** The keys, system values and selected properties of an entity. */
export function project(entity: StoredEntity, select: readonly string[]): StoredEntity {
  const { PartitionKey, RowKey, Timestamp, "odata.etag": etag } = entity;
  const projected: StoredEntityDraft = {
    PartitionKey,
    RowKey,
    ...(Timestamp && { Timestamp }),
    ...(etag && { "odata.etag": etag }),
  };
  for (const name of select) {
    if (!Object.hasOwn(entity, name)) continue;
    setMember(projected, name, entity[name]);
    const annotation = annotationOf(name);
    if (entity[annotation] !== undefined) projected[annotation] = entity[annotation];
  }
  return projected;
}

/**
 * SQLite compares text by UTF-8 bytes, the service by UTF-16 code units; they differ only where surrogates meet
 * U+E000 to U+FFFF. Key columns therefore hold a bijection of the key, so its code points sort as the key's code
 * units do: astral code points move down to the position of the surrogates, U+E000 to U+FFFF move up after them.
 */
export function toOrderedText(key: string): string {
  return affected.test(key)
    ? mapPoints(key, (p) => (p >= 0x10000 ? p - 0x2000 : p >= 0xe000 ? p + 0x100000 : p))
    : key;
}

/** The key that `toOrderedText` made this text from. */
export function fromOrderedText(text: string): string {
  return affected.test(text)
    ? mapPoints(text, (p) => (p >= 0x10e000 ? p - 0x100000 : p >= 0xe000 ? p + 0x2000 : p))
    : text;
}

const mapPoints = (text: string, map: (point: number) => number): string =>
  Array.from(text, (character) => String.fromCodePoint(map(character.codePointAt(0) as number))).join("");

/** A row differs from the one that was written. */
export class DamagedRow extends Error {
  get isDamagedRow(): true {
    return true;
  }

  static is(value: unknown): value is DamagedRow {
    return (value as Partial<DamagedRow> | null | undefined)?.isDamagedRow === true;
  }
}

/**
 * Whether an error comes from a damaged row: its content differs from its checksum, is no JSON, or has an impossible
 * number.
 */
export const isDamage = (error: unknown): boolean =>
  DamagedRow.is(error) || isOfBuiltIn(error, "SyntaxError") || isNumberOutOfRange(error);

/**
 * SQLite has numbers that JavaScript lacks. A stack overflow is a RangeError too, and indicates nothing about a row.
 */
const isNumberOutOfRange = (error: unknown): boolean =>
  isOfBuiltIn(error, "RangeError") && (error as NodeJS.ErrnoException).code === "ERR_OUT_OF_RANGE";

/**
 * Compares a row with its checksum.
 *
 * @param table - the checksum of its table
 * @throws DamagedRow or SyntaxError
 */
export function checkRow(row: readonly [...Row, ...rest: unknown[]], table: number): void {
  checkColumns(row);
  const [pk, rk, ts, body, checksum, ahead] = row;
  if (checksumOf(table, pk, rk, ts, body, ahead) !== checksum) throw new DamagedRow();
}

/** A damaged column may be of another type. @throws DamagedRow */
export function checkColumns([pk, rk, ts, body, , ahead]: readonly [...Row, ...rest: unknown[]]): void {
  if (typeof pk !== "string" || typeof rk !== "string" || !isBody(body)) throw new DamagedRow();
  if (typeof ts !== "number" || typeof ahead !== "number") throw new DamagedRow();
}

/** The beginnings of both texts for the last second: rows that are written together share it. */
let last = { second: Number.NaN, timestamp: "", etag: "none" };

/** Microseconds since 1970 as an ISO 8601 text of 7 fractional digits: the Timestamp of an entity. */
function timestampOf(micros: number): string {
  const { timestamp, second } = beginningsOf(micros);
  return `${timestamp}${fractionOf(micros, second)}0Z`;
}

/**
 * The ETag in the service's form: weak, the Timestamp with its colons percent-encoded. Joined into one flat string: a
 * concatenated text would stay in pieces in every entity that holds it.
 */
export function etagOf(micros: number): string {
  const { etag, second } = beginningsOf(micros);
  return [etag, fractionOf(micros, second), `0Z'"`].join("");
}

const fractionOf = (micros: number, second: number): string =>
  String(micros - second * 1_000_000).padStart(6, "0");

function beginningsOf(micros: number): typeof last {
  const second = Math.floor(micros / 1_000_000);
  if (second !== last.second) {
    const timestamp = new Date(second * 1000).toISOString().slice(0, 20);
    last = { second, timestamp, etag: `W/"datetime'${timestamp.replaceAll(":", "%3A")}` };
  }
  return last;
}

const form = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d)\.(\d{6})0Z'"$/;

/** The version, if the ETag is of the same second as the one before; NaN for any other. */
function versionNear(etag: string): number {
  const { second, etag: beginning } = last;
  const from = beginning.length;
  if (etag.length !== from + 10 || !etag.startsWith(beginning) || !etag.endsWith(`0Z'"`)) return Number.NaN;
  let micros = 0;
  for (let at = from; at < from + 6; at++) {
    const digit = etag.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    micros = micros * 10 + digit;
  }
  return second * 1_000_000 + micros;
}

/**
 * The version that an ETag names, in microseconds since 1970; undefined for any, -1 for one that no row of this store
 * has.
 *
 * @throws StorageError `storage.invalid-input` for text that is no ETag at all
 */
export function versionOfEtag(etag: string): number | undefined {
  if (etag === "*") return undefined;
  if (typeof etag === "string") {
    const near = versionNear(etag);
    if (!Number.isNaN(near)) return near;
  }
  const [, time, digits] = form.exec(etag) ?? [];
  if (time !== undefined) {
    const micros = Date.parse(`${time.replaceAll("%3A", ":")}Z`) * 1000 + Number(digits);
    // An impossible day, such as February 30, is read as one of the next month.
    return Number.isSafeInteger(micros) && etagOf(micros) === etag ? micros : -1;
  }
  if (typeof etag !== "string" || !/^(W\/)?".*"$/.test(etag))
    throw StorageError.ofService("InvalidInput", "If-Match is not an ETag");
  // Another store's ETag is opaque, and certainly not the current one.
  return -1;
}
