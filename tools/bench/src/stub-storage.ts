import type {
  ContinuationToken,
  Page,
  RequestOptions,
  StoredQuery,
  TableStorage,
  WriteResult,
} from "@partita/core";
// The wire codec and the rows of answers have no doors of their own; they are measured as the network storage uses them.
import { parsePage } from "../../../packages/core/src/adapters/rest/wire/entity-json.ts";
import { readRows } from "../../../packages/core/src/adapters/rest/wire/read-rows.ts";
import { printEntity } from "../../../packages/core/src/storage/print-entity.ts";
import { pageOfRows } from "../../../packages/core/src/storage/rows.ts";

/** A storage whose pages are ready answers, read and parsed as the network storage does it, without the network. */
export function storageOfPages(...pages: readonly Buffer[]): TableStorage {
  return {
    description: "stub:",
    query: (_table: string, { after }: StoredQuery, options?: RequestOptions): Promise<Page> => {
      const at = Number(after ?? 0);
      const bytes = pages[at] as Buffer;
      const next = at + 1 < pages.length ? (String(at + 1) as ContinuationToken) : undefined;
      const parse = () => parsePage(bytes.toString(), false) ?? [];
      const reader = options?.rows;
      const rows = reader && readRows(bytes, reader);
      if (reader !== undefined && rows !== undefined)
        return Promise.resolve(pageOfRows(rows, reader, parse, next));
      return Promise.resolve({ entities: parse(), ...(next !== undefined && { next }) });
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
}
