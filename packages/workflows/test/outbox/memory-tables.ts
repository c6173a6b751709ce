import { type EntityKey, StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity, WriteOperation, WriteResult } from "@partita/core/storage";
import { evaluateFilter, lookupIn } from "@partita/core/protocol";

type Rows = Map<string, StoredEntity>;

const keyOf = (operation: WriteOperation): EntityKey =>
  operation.type === "delete"
    ? operation.key
    : { partitionKey: operation.entity.PartitionKey, rowKey: operation.entity.RowKey };

const idOf = (table: string, { partitionKey, rowKey }: EntityKey): string =>
  JSON.stringify([table, partitionKey, rowKey]);

/** Tables as plain rows, for histories of which there are many: it keeps no order and asks no limits. */
export function memoryTables(): TableStorage {
  let rows: Rows = new Map();
  let versions = 0;
  const apply = (to: Rows, table: string, operation: WriteOperation, index: number): WriteResult => {
    const id = idOf(table, keyOf(operation));
    const row = to.get(id);
    const { type } = operation;
    if (type === "insert" && row !== undefined)
      throw StorageError.ofService("EntityAlreadyExists", undefined, index);
    if ("etag" in operation) {
      if (row === undefined) throw StorageError.ofService("ResourceNotFound", undefined, index);
      if (operation.etag !== "*" && operation.etag !== row["odata.etag"])
        throw StorageError.ofService("UpdateConditionNotSatisfied", undefined, index);
    }
    if (type === "delete") {
      to.delete(id);
      return {};
    }
    const etag = `W/"${++versions}"`;
    const isMerge = type === "merge" || type === "upsert-merge";
    const Timestamp = new Date(versions).toISOString();
    to.set(id, { ...(isMerge && row), ...operation.entity, Timestamp, "odata.etag": etag });
    return { etag };
  };
  const transact: TableStorage["transact"] = async (table, operations) => {
    const next = new Map(rows);
    const results = operations.map((operation, index) => apply(next, table, operation, index));
    rows = next;
    return results;
  };
  const notUsed = (): Promise<never> => Promise.reject(new Error("Nobody here uses this."));
  return {
    description: "memory of a test",
    get: async (table, key) => rows.get(idOf(table, key)),
    write: async (table, operation) => apply(rows, table, operation, 0),
    transact,
    async query(table, { filter }) {
      const ofTable = [...rows].filter(([id]) => id.startsWith(`["${table}"`)).map(([, row]) => row);
      return {
        entities: ofTable.filter((row) => filter === undefined || evaluateFilter(filter, lookupIn(row))),
      };
    },
    createTable: () => Promise.resolve(),
    deleteTable: notUsed,
    listTables: notUsed,
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
