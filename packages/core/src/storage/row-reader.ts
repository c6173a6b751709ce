import type { PackedBytes } from "../values/edm/packed-bytes.ts";
import type { StoredEntity } from "../values/edm/stored-entity.ts";

/** A row with its keys and version separate from its properties. */
export interface RowBody {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** May be made on demand, like the timestamp. */
  readonly etag: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The properties as a JSON object in UTF-8, in the form of a stored entity. */
  readonly bytes: Uint8Array;
  /**
   * The JSON and the packed long values after it, if any are packed. A reader that accepts them avoids the conversion
   * to base64.
   */
  readonly packed?: PackedBytes | undefined;
  /** The JSON as text, if the storage has text; bytes are then made from it on request. */
  readonly text?: string | undefined;
}

/** A row made from bytes. Only its reader knows its type. */
export type ReadRow = object;

/**
 * Makes rows from the bytes of a response without parsing it. A caller of `query` may pass one; a storage that has
 * bytes hands them to it before it responds.
 */
export interface RowReader {
  /**
   * Whether its result contains exactly the selected members. Such a reader is given complete rows even if a query
   * selects some members; any other reader is used only if all are selected.
   */
  readonly projects?: boolean;
  /** Whether it reads only keys, ETag and Timestamp. The row then has no bytes. */
  readonly isBare?: boolean;
  /**
   * Reads the rows of a JSON list.
   *
   * @param start - the first byte after the opening bracket
   * @param parse - makes a stored entity from the text of one row, and throws the errors for it
   * @returns the rows, each read or as a stored entity, and the position after the closing bracket; undefined if the
   *   complete response has to be parsed
   */
  readList(bytes: Buffer, start: number, parse: (text: string) => StoredEntity): ReadList | undefined;
  /** Reads one row; undefined if it has to be parsed. The row keeps a reference to `body`. */
  readBody(body: RowBody): ReadRow | undefined;
  /** Returns the PartitionKey of a row that it has read, for callers that count rows. */
  partitionKeyOf?(row: ReadRow | StoredEntity): string;
}

/** Rows in the order of the list. */
export interface ReadList {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  readonly end: number;
}
