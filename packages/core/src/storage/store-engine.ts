import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import type { FilterNode } from "../values/filter/filter-node.ts";
import type { ReadRow, RowReader } from "./row-reader.ts";
import { findSharedState, sharedBy, sharedStateOf } from "./shared-state.ts";
import type { ContinuationToken, RequestOptions, StoredQuery, TableStorage } from "./table-storage.ts";
import { plainOf, type WriteOperation, type WriteResult } from "./write-operation.ts";

// The abilities of our own storages beyond the public port: rows are read from their bytes, and written in the form
// that the encoder made. A storage that wraps one of ours has no engine. Everything then goes through the port, which
// is slower but otherwise the same.

/** One page: rows as a reader made them of their bytes, and stored entities where it made none. */
export interface RowPage {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  /** Absent when the query is at its end. */
  readonly next?: ContinuationToken;
}

/**
 * The storage in the form that our own code uses. Each method sends one request and rejects as the port's methods do.
 */
export interface StoreEngine {
  /** Reads one page. `reader` makes rows of the bytes, where it can. */
  readRows(table: string, query: StoredQuery, reader: RowReader, options?: RequestOptions): Promise<RowPage>;

  /**
   * Reads one row by its key; undefined when it is not stored. Only a storage that has the bytes of each row
   * separately has this: its pages are read by `readBody` alone.
   */
  readRow?(
    table: string,
    key: EntityKey,
    reader: Pick<RowReader, "readBody">,
    options?: RequestOptions,
  ): Promise<FoundRow | undefined>;

  /**
   * Counts the rows of a key range without returning them; undefined for a filter that is more than that, and for rows
   * that may have a property. Only a storage that counts faster than it reads has this.
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
   * `transact` for operations that were not accessible to any code since the encoder made them: their new rows are
   * not checked again.
   */
  commit(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]>;
}

/** One row, as the reader made it or as a stored entity. */
export interface FoundRow {
  readonly row: ReadRow | StoredEntity;
  readonly etag: string | undefined;
}

/** A storage of our own layers, which reads and writes rows by the engine below it, or through the port. */
export interface RowStorage extends TableStorage {
  /** @param reader - undefined where stored entities are wanted */
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
 * Gives a storage of ours an engine.
 *
 * @param declared - the object whose methods are the declared ones, even if they are replaced later; its present
 *   methods when absent
 */
export function offerEngine(
  storage: TableStorage,
  engine: StoreEngine,
  declared: Port = portOf(storage),
): void {
  Object.assign(offered(sharedStateOf(storage)), { engine, port: declared });
}

/**
 * Gives a storage of ours that wraps another one an engine, so rows pass through it as bytes in both directions.
 *
 * @param inner - the wrapped storage, and the name of a table there; it may throw
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

/** The storage's engine. Undefined for storages of others, and where a method of its port was replaced. */
export function engineOf(storage: TableStorage): StoreEngine | undefined {
  const state = findSharedState(storage);
  if (state === undefined) return undefined;
  const { engine, port } = offered(state);
  if (port === undefined) return undefined;
  const { query, get, transact } = storage as Port;
  return query === port.query && get === port.get && transact === port.transact ? engine : undefined;
}

/** The present methods of a storage, or of its class: compared, and never called. */
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

/**
 * Whether the rows of a storage are available as bytes: true for the embedded storage, and for our storages that wrap
 * it.
 */
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

/** Counts the rows of a key range by the storage's engine; undefined if they have to be read. */
export const countRows = async (
  storage: TableStorage,
  table: string,
  filter: FilterNode | undefined,
  absent: string | undefined,
  options?: RequestOptions,
): Promise<number | undefined> => engineOf(storage)?.countRows?.(table, filter, absent, options);

/** Writes a transaction by the storage's engine; a storage of others gets plain operations, which it may change. */
export const commitRows = (
  storage: TableStorage,
  table: string,
  operations: readonly WriteOperation[],
  options: RequestOptions | undefined,
): Promise<readonly WriteResult[]> =>
  engineOf(storage)?.commit(table, operations, options) ??
  storage.transact(table, operations.map(plainOf), options);
