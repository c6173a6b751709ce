import type { StoredEntity } from "../../../values/edm/stored-entity.ts";
import type { ByteWriter } from "../../../values/edm/byte-writer.ts";
import { printEntity } from "../../../values/edm/print-entity.ts";
import { EncodedWrite, type WriteOperation } from "../../../storage/write-operation.ts";
import { checkNumbers, hasKeys, parseResponse, parsePage, toStoredEntity } from "./entity-json.ts";
import { readRows } from "./read-rows.ts";

/** The amount of metadata (types and links) that the service sends. */
export type MetadataLevel = "none" | "minimal" | "full";

type EntityWrite = Exclude<WriteOperation, { readonly type: "delete" }>;

/** Prints and parses entities and tables. Parsers throw if they cannot read a text. */
export interface WireFormat {
  /** The `Accept` header of a request, or of an operation in a transaction. */
  readonly accept: string;
  readonly contentType: string;
  readonly dataServiceVersion: string;
  readonly maxDataServiceVersion: string;
  /** @param id - the entity's URL; empty for an insert */
  readonly printEntity: (entity: StoredEntity, id: string) => string;
  /** Prints an operation's entity as bytes. */
  readonly writeEntity: (into: ByteWriter, operation: EntityWrite, id: string) => void;
  readonly printTable: (name: string) => string;
  /** Undefined if the text is not an entity. */
  readonly parseEntity: (text: string) => StoredEntity | undefined;
  /** Undefined if the text is not a list of entities. */
  readonly parsePage: (text: string, isSelection: boolean) => readonly StoredEntity[] | undefined;
  /** Reads the rows of a page from its bytes; undefined if they have to be parsed. Absent if a format always parses. */
  readonly readRows?: typeof readRows;
  /** Undefined if the text is not a list of tables. */
  readonly parseTables: (text: string) => readonly string[] | undefined;
}

export const jsonFormat = (metadata: MetadataLevel): WireFormat => ({
  accept: `application/json;odata=${metadata === "none" ? "nometadata" : `${metadata}metadata`}`,
  contentType: "application/json",
  dataServiceVersion: "3.0",
  maxDataServiceVersion: "3.0;NetFx",
  printEntity,
  writeEntity(into, operation) {
    if (EncodedWrite.is(operation)) operation.print(into);
    else into.utf8(printEntity(operation.entity));
  },
  printTable: (TableName) => JSON.stringify({ TableName }),
  parseEntity(text) {
    const response = parseResponse(text);
    if (!hasKeys(response)) return undefined;
    checkNumbers(response as object);
    return toStoredEntity(response as object);
  },
  parsePage,
  readRows,
  parseTables(text) {
    const { value } = (parseResponse(text) ?? {}) as { value?: readonly ({ TableName?: unknown } | null)[] };
    return namesOf(value);
  },
});

/** The names of a list of tables. */
export function namesOf(tables: unknown): readonly string[] | undefined {
  if (!Array.isArray(tables)) return undefined;
  const names = tables.map((table: { TableName?: unknown } | null) => table?.TableName);
  return names.every((name) => typeof name === "string") ? (names as string[]) : undefined;
}
