import type { PackedBytes } from "../values/edm/packed-bytes.ts";
import type { StoredEntity } from "../values/edm/stored-entity.ts";

/** A row of which a store has the keys and the version apart from its properties. */
export interface RowBody {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Like the timestamp, it may be made on demand. */
  readonly etag: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The properties as a JSON object in UTF-8, as a stored entity has them. */
  readonly bytes: Uint8Array;
  /** The same where long values are packed behind the JSON: a reader that takes them spares their way through base64. */
  readonly packed?: PackedBytes | undefined;
  /** The same as text, where the store has it so: bytes are made of it when they are asked for. */
  readonly text?: string | undefined;
}

/** A row that was made from bytes; only its reader knows what it is. */
export type ReadRow = object;

/**
 * Makes rows from the bytes of an answer without parsing it. A caller of `query` may send one along; a store that has
 * bytes gives them to it before it answers.
 */
export interface RowReader {
  /**
   * Whether what it makes of a row is what the query selects: it then takes whole rows of a query that selects some
   * members. Any other reader is asked only where all are selected.
   */
  readonly projects?: boolean;
  /** Whether it reads nothing of a row but keys, ETag and Timestamp: its bytes are not there then. */
  readonly isBare?: boolean;
  /**
   * Reads the rows of a JSON list.
   *
   * @param start - the first byte behind the opening bracket
   * @param parse - makes a stored entity of the text of one row, and throws what is to be thrown of it
   * @returns the rows, each read or as a stored entity, and the first byte behind the closing bracket; undefined where the
   *   whole answer has to be parsed
   */
  readList(bytes: Buffer, start: number, parse: (text: string) => StoredEntity): ReadList | undefined;
  /** Reads one row; undefined when it has to be parsed. `body` is kept by the row. */
  readBody(body: RowBody): ReadRow | undefined;
  /** The PartitionKey of a row of a page that it has read, for those who count rows. */
  partitionKeyOf?(row: ReadRow | StoredEntity): string;
}

/** Rows in their order. */
export interface ReadList {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  readonly end: number;
}
