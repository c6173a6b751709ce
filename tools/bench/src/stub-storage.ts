import type { Page, TableStorage, WriteResult } from "@partita/core";
// The wire codec has no door of its own; it is measured as the network storage uses it.
import { parsePage, printEntity } from "../../../packages/core/src/adapters/rest/wire/entity-json.ts";

/** A storage whose every page is `text`, parsed as the network storage parses it, without the network. */
export function storageOfPage(text: string): TableStorage {
  return {
    description: "stub:",
    query: (): Promise<Page> => Promise.resolve({ entities: parsePage(text, false) ?? [] }),
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
