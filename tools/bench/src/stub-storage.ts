import type { TableStorage } from "@partita/core";
import type {
  ContinuationToken,
  StoredPage,
  StoredEntity,
  StoredQuery,
  WriteResult,
} from "@partita/core/storage";
// The wire codec and the rows of responses have no entry of their own, so they are measured through the
// network storage.
import { parsePage } from "../../../packages/core/src/stores/azure/wire/entity-json.ts";
import { readRows } from "../../../packages/core/src/stores/azure/wire/read-rows.ts";
import { printEntity } from "../../../packages/core/src/values/edm/print-entity.ts";
import { offerEngine, type RowPage } from "../../../packages/core/src/storage/store-engine.ts";

/**
 * A storage with prepared responses as pages, read and parsed like the network storage, but without the
 * network.
 */
export function storageOfPages(...pages: readonly Buffer[]): TableStorage {
  const pageAt = ({ after }: StoredQuery): { bytes: Buffer; next?: ContinuationToken } => {
    const at = Number(after ?? 0);
    const bytes = pages[at] as Buffer;
    return at + 1 < pages.length ? { bytes, next: String(at + 1) as ContinuationToken } : { bytes };
  };
  const entitiesOf = (bytes: Buffer): readonly StoredEntity[] => parsePage(bytes.toString(), false) ?? [];
  const storage: TableStorage = {
    description: "stub:",
    query: (_table, query): Promise<StoredPage> => {
      const { bytes, ...next } = pageAt(query);
      return Promise.resolve({ entities: entitiesOf(bytes), ...next });
    },
    get: () => Promise.resolve(undefined),
    write: (_table, operation): Promise<WriteResult> => {
      if (operation.type !== "delete") printEntity(operation.entity);
      return Promise.resolve({ etag: "e" });
    },
    transact: (_table, operations) =>
      Promise.resolve(
        operations.map((operation) => {
          if (operation.type !== "delete") printEntity(operation.entity);
          return { etag: "e" };
        }),
      ),
    createTable: () => Promise.resolve(),
    deleteTable: () => Promise.resolve(),
    listTables: () => Promise.resolve([]),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  offerEngine(storage, {
    readRows: (_table, query, reader): Promise<RowPage> => {
      const { bytes, ...next } = pageAt(query);
      return Promise.resolve({ rows: readRows(bytes, reader) ?? entitiesOf(bytes), ...next });
    },
    commit: (table, operations) => storage.transact(table, operations),
  });
  return storage;
}
