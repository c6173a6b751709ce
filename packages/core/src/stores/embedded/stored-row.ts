// Converts stored rows to entities, keys to columns that sort as the service does, and versions to ETags and
// Timestamps. Readers and writers of the embedded storage use this file.

import { fromOrderedText } from "../../values/keys/key-rules.ts";
import { isOfBuiltIn } from "../../values/errors/built-ins.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { PackedBytes } from "../../values/edm/packed-bytes.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import type { RowBody } from "../../storage/row-reader.ts";
import { type Body, bytesOf, isBody, packedOf, propertiesOf, selectedBody, textIn } from "./row-body.ts";
import { checksumOf } from "./row-checksum.ts";

/**
 * The columns of a row, in the order of selection. `ts` is the version, which is a time; `ahead` is its offset from the
 * time of the write. Both are in microseconds.
 */
export type Row = readonly [pk: string, rk: string, ts: number, body: Body, crc: number, ahead: number];

/** The columns that statements select for a stored {@link Row}. */
export const storedColumns = "pk, rk, ts, body, crc, ahead";

/** The columns after the keys, for reading a few rows: the body may be text. */
export const contentColumns: string = `ts, ${selectedBody}, crc, ahead`;
/** The columns of a row without its body, and without its checksum. */
export const bareColumns: string = "pk, rk, ts, '{}', 0, ahead";
export const rowColumns: string = `pk, rk, ${contentColumns}`;

/** The columns that statements select for a row with known keys. */
export type RowContent = readonly [ts: number, body: Body, crc: number, ahead: number];

/** Converts a row to the entity that the service would return. @throws DamagedRow or SyntaxError if it is damaged */
export function toEntity(row: Row, table: number): StoredEntity {
  checkRow(row, table);
  return parseRow(row);
}

/** Converts a row whose checksum was already compared. */
export function parseRow([pk, rk, ts, body, , ahead]: readonly [...Row, ...rest: unknown[]]): StoredEntity {
  const entity = propertiesOf(body);
  entity.PartitionKey = fromOrderedText(pk);
  entity.RowKey = fromOrderedText(rk);
  entity.Timestamp = timestampOf(ts - ahead);
  entity["odata.etag"] = etagOf(ts);
  return entity;
}

/** A row in the form for readers. Bytes, ETag and Timestamp are made on request. */
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

/** A row differs from its written contents. */
export class DamagedRow extends Error {
  get isDamagedRow(): true {
    return true;
  }

  static is(value: unknown): value is DamagedRow {
    return (value as Partial<DamagedRow> | null | undefined)?.isDamagedRow === true;
  }
}

/** Whether an error indicates a damaged row: a wrong checksum, invalid JSON, or an impossible number. */
export const isDamage = (error: unknown): boolean =>
  DamagedRow.is(error) || isOfBuiltIn(error, "SyntaxError") || isNumberOutOfRange(error);

/** SQLite has numbers that JavaScript lacks. A stack overflow is also a RangeError, but unrelated to a row. */
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

/** A damaged column may have another type. @throws DamagedRow */
export function checkColumns([pk, rk, ts, body, , ahead]: readonly [...Row, ...rest: unknown[]]): void {
  if (typeof pk !== "string" || typeof rk !== "string" || !isBody(body)) throw new DamagedRow();
  if (typeof ts !== "number" || typeof ahead !== "number") throw new DamagedRow();
}

/** The prefix of both texts for the last second, which rows written together share. */
let last = { second: Number.NaN, timestamp: "", etag: "none" };

/** Microseconds since 1970 as an ISO 8601 text of 7 fractional digits: the Timestamp of an entity. */
function timestampOf(micros: number): string {
  const { timestamp, second } = beginningsOf(micros);
  return `${timestamp}${fractionOf(micros, second)}0Z`;
}

/**
 * The ETag in the service's form: weak, with the Timestamp's colons percent-encoded. Joined into a flat string: a
 * concatenated one would stay in pieces in every entity that holds it.
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

/** The version, if the ETag has the same second as the last one; NaN otherwise. */
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
 * Reads the version of an ETag, in microseconds since 1970. Undefined for `*`; -1 for one that no row of this store
 * has.
 *
 * @throws StorageError `storage.invalid-input` for text that is not an ETag
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
    // An invalid day, such as February 30, is read as a day of the next month.
    return Number.isSafeInteger(micros) && etagOf(micros) === etag ? micros : -1;
  }
  if (typeof etag !== "string" || !/^(W\/)?".*"$/.test(etag))
    throw StorageError.ofService("InvalidInput", "If-Match is not an ETag");
  // Another store's ETag is opaque, and certainly not the current one.
  return -1;
}
