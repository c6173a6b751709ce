import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { allOf, compare, type FilterNode, textLiteral } from "../../values/filter/filter-node.ts";
import { followPages } from "../../storage/follow-pages.ts";
import { forwardStorage } from "../../storage/forward-storage.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { keyOfOperation } from "../../storage/write-operation.ts";
import type { Write } from "./attempt.ts";

/** Up to this many rows are read one by one; more are read as one range of their partition. */
const maxPointReads = 10;

/** The stored rows of a write, in the order of its changes; undefined if they cannot be read. */
export function readRows(
  storage: TableStorage,
  { table, changes }: Pick<Write, "table" | "changes">,
  signal?: AbortSignal,
): Promise<readonly (StoredEntity | undefined)[] | undefined> {
  // A stale replica proves nothing.
  const options = { mayBeStale: false, ...(signal && { signal }) };
  const keys = changes.map(({ operation }) => keyOfOperation(operation));
  const read = async (): Promise<readonly (StoredEntity | undefined)[]> => {
    if (keys.length <= maxPointReads)
      return Promise.all(keys.map(async (key) => storage.get(table, key, options)));
    const wanted = new Set(keys.map((key) => key.rowKey));
    const found = new Map<string, StoredEntity>();
    for await (const { entities } of followPages(storage, table, { filter: rangeOf(keys) }, options))
      for (const row of entities) if (wanted.has(row.RowKey)) found.set(row.RowKey, row);
    return keys.map((key) => found.get(key.rowKey));
  };
  return read().catch(() => undefined);
}

/** A storage that reads each row only once, so several attempts of a change are judged by the same row. */
export function readingOnce(storage: TableStorage): TableStorage {
  const read = new Map<string, Promise<StoredEntity | undefined>>();
  return forwardStorage(storage, {
    get(table, key, options) {
      const place = [table, key.partitionKey, key.rowKey].join("\0");
      const row = read.get(place) ?? storage.get(table, key, options);
      read.set(place, row);
      return row;
    },
  });
}

/** The range from the smallest to the largest RowKey of the partition. */
function rangeOf(keys: readonly EntityKey[]): FilterNode {
  const rowKeys = keys.map((key) => key.rowKey);
  const least = rowKeys.reduce((a, b) => (a < b ? a : b));
  const greatest = rowKeys.reduce((a, b) => (a > b ? a : b));
  return allOf([
    compare("eq", "PartitionKey", textLiteral((keys[0] as EntityKey).partitionKey)),
    compare("ge", "RowKey", textLiteral(least)),
    compare("le", "RowKey", textLiteral(greatest)),
  ]) as FilterNode;
}
