import type { PackedBytes } from "../values/edm/packed-bytes.ts";
import type { StoredEntity } from "../values/edm/stored-entity.ts";

/** A row with its keys and version separate from its properties. */
export interface RowBody {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Like the timestamp, it may be made on demand. */
  readonly etag: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The properties as a JSON object in UTF-8, as a stored entity has them. */
  readonly bytes: Uint8Array;
  /** The same if long values are packed after the JSON: a reader that accepts them avoids the conversion to base64. */
  readonly packed?: PackedBytes | undefined;
  /** The same as text, if the storage has text: bytes are made from it on request. */
  readonly text?: string | undefined;
}

/** A row that was made from bytes; its type is known only to its reader. */
export type ReadRow = object;

/**
 * Makes rows from the bytes of a response without parsing it. A caller of `query` may pass one; a storage that has
 * bytes hands them to it before it responds.
 */
export interface RowReader {
  /**
   * Whether its result for a row contains exactly the selected members: such a reader accepts complete rows for a
   * query that selects some members. Any other reader is used only if all are selected.
   */
  readonly projects?: boolean;
  /** Whether it reads nothing of a row but keys, ETag and Timestamp: its bytes are not there then. */
  readonly isBare?: boolean;
  /**
   * Reads the rows of a JSON list.
   *
   * @param start - the first byte after the opening bracket
   * @param parse - makes a stored entity from the text of one row, and throws the errors for it
   * @returns the rows, each read or as a stored entity, and the first byte after the closing bracket; undefined if
   *   the complete response has to be parsed
   */
  readList(bytes: Buffer, start: number, parse: (text: string) => StoredEntity): ReadList | undefined;
  /** Reads one row; undefined when it has to be parsed. The row holds on to `body`. */
  readBody(body: RowBody): ReadRow | undefined;
  /** The PartitionKey of a row of a page that it has read, for callers that count rows. */
  partitionKeyOf?(row: ReadRow | StoredEntity): string;
}

/** Rows in their order. */
export interface ReadList {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  readonly end: number;
}
