import type { StoredEntity } from "@partita/core/storage";
import type { RowKey } from "../../api/cells.ts";
import type { RowQuery } from "../../api/queries.ts";
import type { RowQueries } from "../rows/query-rows.ts";
import { rowsOfKeys } from "../rows/rows-of-keys.ts";
import type { Catalog } from "../tables/catalog.ts";

const pageSize = 1000;

/** Pages of the stored rows of a query by class, complete and with their stored names. */
export async function* classRows(
  catalog: Catalog,
  queries: RowQueries,
  asked: RowQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEntity[]> {
  const { core, storage } = catalog;
  const seen = new Map<string, StoredEntity>();
  // The query returns entities. Their rows pass through here.
  const recording = core.forwardStorage(storage, {
    async query(table, query, options) {
      const page = await storage.query(table, query, options);
      for (const row of page.entities) seen.set(nameOf(core.keyOfStored(row)), row);
      return page;
    },
  });
  let after: string | undefined;
  do {
    seen.clear();
    const { query, context } = queries.classQuery(asked, recording);
    await using _end = context;
    const { entities, next } = await query.scan().page({ size: pageSize, after, signal });
    const keys = entities.map((entity): RowKey | StoredEntity =>
      core.UnreadableRow.is(entity) ? entity.row : (context.entry(entity).key as RowKey),
    );
    const rows = keys.map((key) => ("PartitionKey" in key ? key : (seen.get(nameOf(key)) ?? key)));
    // Rows of an index have only the key of theirs.
    yield await rowsOfKeys(catalog, asked.table, rows);
    after = next;
  } while (after !== undefined);
}

const nameOf = ({ partitionKey, rowKey }: RowKey): string => JSON.stringify([partitionKey, rowKey]);
