import type { StoredEntity } from "../../../values/edm/stored-entity.ts";
import type { ByteWriter } from "../../../values/edm/byte-writer.ts";
import { printEntity } from "../../../values/edm/print-entity.ts";
import { EncodedWrite, type WriteOperation } from "../../../storage/write-operation.ts";
import { checkNumbers, hasKeys, parseResponse, parsePage, toStoredEntity } from "./entity-json.ts";
import { readRows } from "./read-rows.ts";

/** How much of types and links the service sends along. */
export type MetadataLevel = "none" | "minimal" | "full";

type EntityWrite = Exclude<WriteOperation, { readonly type: "delete" }>;

/** How entities and tables are written and read on the wire. Readers throw for what they cannot read. */
export interface WireFormat {
  /** `Accept` of a request; of an operation inside a transaction. */
  readonly accept: string;
  readonly contentType: string;
  readonly dataServiceVersion: string;
  readonly maxDataServiceVersion: string;
  /** @param id - the entity's URL, when it has one already */
  readonly printEntity: (entity: StoredEntity, id: string) => string;
  /** The same of an operation's entity, as bytes. */
  readonly writeEntity: (into: ByteWriter, operation: EntityWrite, id: string) => void;
  readonly printTable: (name: string) => string;
  /** Undefined when the answer is no entity. */
  readonly parseEntity: (text: string) => StoredEntity | undefined;
  /** Undefined when the answer is no list of entities. */
  readonly parsePage: (text: string, isSelection: boolean) => readonly StoredEntity[] | undefined;
  /** The rows of a page from its bytes; undefined where it has to be parsed, and absent where that is always so. */
  readonly readRows?: typeof readRows;
  /** Undefined when the answer is no list of tables. */
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
