import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import type { FilterNode } from "../values/filter/filter-node.ts";
import type { ReadRow, RowReader } from "./row-reader.ts";
import { findSharedState, sharedBy, sharedStateOf } from "./shared-state.ts";
import type { ContinuationToken, RequestOptions, StoredQuery, TableStorage } from "./table-storage.ts";
import { plainOf, type WriteOperation, type WriteResult } from "./write-operation.ts";

// Internal methods of Partita's own storages: they read rows from bytes, and write rows in the encoder's form. Other
// storages, including a program's wrapper around ours, are used through the public port, which is slower but otherwise
// the same.

/** One page: rows made by the reader, and stored entities if it could not make one. */
export interface RowPage {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  /** Absent on the last page. */
  readonly next?: ContinuationToken;
}

/** The internal form of a storage. Each method sends one request, and rejects like the port's methods. */
export interface StoreEngine {
  /** Reads one page. If possible, `reader` makes the rows from bytes. */
  readRows(table: string, query: StoredQuery, reader: RowReader, options?: RequestOptions): Promise<RowPage>;

  /**
   * Reads one row by its key; undefined if it is not stored. Only a storage that has the bytes of each row separately
   * has this method; its pages are then read with `readBody` only.
   */
  readRow?(
    table: string,
    key: EntityKey,
    reader: Pick<RowReader, "readBody">,
    options?: RequestOptions,
  ): Promise<FoundRow | undefined>;

  /**
   * Counts the rows of a key range without returning them. Undefined if the filter is more than a key range, or if a
   * row may have the property `absent`. Only a storage that counts faster than it reads has this method.
   *
   * @param absent - the name of the property that no row may have
   */
  countRows?(
    table: string,
    filter: FilterNode | undefined,
    absent: string | undefined,
    options?: RequestOptions,
  ): Promise<number | undefined>;

  /**
   * Writes a transaction like `transact`. No other code had access to the operations after the encoder, so new rows are
   * not checked again.
   */
  commit(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]>;
}

/** One row, made by the reader or as a stored entity. */
export interface FoundRow {
  readonly row: ReadRow | StoredEntity;
  readonly etag: string | undefined;
}

/** A storage of an internal layer. It reads and writes rows through the engine below it, or through the port. */
export interface RowStorage extends TableStorage {
  /** @param reader - undefined to return stored entities */
  readRows(
    table: string,
    query: StoredQuery,
    reader: RowReader | undefined,
    options?: RequestOptions,
  ): Promise<RowPage>;
  commit: StoreEngine["commit"];
  /** Whether it can count rows without reading them. */
  readonly countsRows: boolean;
  countRows: NonNullable<StoreEngine["countRows"]>;
}

/** The methods that a query reads with. */
export type ReadableRows = Pick<RowStorage, "readRows" | "get">;

interface Port {
  readonly query: unknown;
  readonly get: unknown;
  readonly transact: unknown;
}

const offered = sharedBy((): { engine?: StoreEngine; port?: Port } => ({}));

/**
 * Registers an engine for one of our storages.
 *
 * @param declared - the object with the original methods, to notice replaced ones; by default, its present methods
 */
export function offerEngine(
  storage: TableStorage,
  engine: StoreEngine,
  declared: Port = portOf(storage),
): void {
  Object.assign(offered(sharedStateOf(storage)), { engine, port: declared });
}

/**
 * Registers an engine for a wrapper of ours, so rows pass through it as bytes in both directions.
 *
 * @param inner - returns the wrapped storage, and the name of a table there; it may throw
 */
export function forwardEngine(
  wrapper: TableStorage,
  inner: (table: string) => { readonly storage: TableStorage; readonly table: string },
  hasBytes: boolean,
): void {
  offerEngine(wrapper, {
    async readRows(table, query, reader, options) {
      const at = inner(table);
      return readRows(at.storage, at.table, query, reader, options);
    },
    async commit(table, operations, options) {
      const at = inner(table);
      return commitRows(at.storage, at.table, operations, options);
    },
    ...(hasBytes && {
      async readRow(table, key, reader, options) {
        const at = inner(table);
        return readRow(at.storage, at.table, key, reader, options);
      },
      async countRows(table, filter, absent, options) {
        const at = inner(table);
        return countRows(at.storage, at.table, filter, absent, options);
      },
    }),
  });
}

/** The storage's engine. Undefined for other storages, and if a method of its port was replaced. */
export function engineOf(storage: TableStorage): StoreEngine | undefined {
  const state = findSharedState(storage);
  if (state === undefined) return undefined;
  const { engine, port } = offered(state);
  if (port === undefined) return undefined;
  const { query, get, transact } = storage as Port;
  return query === port.query && get === port.get && transact === port.transact ? engine : undefined;
}

/** The present methods of a storage or its class, for comparison only. */
export const portOf = (storage: TableStorage): Port => {
  const { query, get, transact } = storage as Port;
  return { query, get, transact };
};

/** Reads one page by the storage's engine, or through its port. */
export async function readRows(
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  reader: RowReader | undefined,
  options?: RequestOptions,
): Promise<RowPage> {
  const engine = reader && engineOf(storage);
  if (reader !== undefined && engine !== undefined) return engine.readRows(table, query, reader, options);
  const { entities, next } = await storage.query(table, query, options);
  return { rows: entities, ...(next !== undefined && { next }) };
}

/** Whether a storage has its rows as bytes: true for the embedded storage, and for our wrappers around it. */
export const hasRowBytes = (storage: TableStorage): boolean => engineOf(storage)?.readRow !== undefined;

/** Reads one row by the storage's engine, or through its port. */
export async function readRow(
  storage: TableStorage,
  table: string,
  key: EntityKey,
  reader: Pick<RowReader, "readBody"> | undefined,
  options?: RequestOptions,
): Promise<FoundRow | undefined> {
  const engine = reader && engineOf(storage);
  if (reader !== undefined && engine?.readRow !== undefined)
    return engine.readRow(table, key, reader, options);
  const row = await storage.get(table, key, options);
  return row && { row, etag: row["odata.etag"] };
}

/** Counts the rows of a key range through the storage's engine; undefined if they have to be read. */
export const countRows = async (
  storage: TableStorage,
  table: string,
  filter: FilterNode | undefined,
  absent: string | undefined,
  options?: RequestOptions,
): Promise<number | undefined> => engineOf(storage)?.countRows?.(table, filter, absent, options);

/** Writes a transaction through the storage's engine. Other storages get plain operations, which they may change. */
export const commitRows = (
  storage: TableStorage,
  table: string,
  operations: readonly WriteOperation[],
  options: RequestOptions | undefined,
): Promise<readonly WriteResult[]> =>
  engineOf(storage)?.commit(table, operations, options) ??
  storage.transact(table, operations.map(plainOf), options);
