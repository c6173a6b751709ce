import type { TableStorage } from "@partita/core";
import type { FaultedRequest, FaultPlan } from "./fault-plan.ts";
import { type LogOfFaults, plannedFaults } from "./planned-faults.ts";

/** The requests to a storage with planned faults. */
export type FaultLog = LogOfFaults<FaultedRequest>;

/** A storage with planned faults. */
export interface FaultyStorage extends TableStorage, FaultLog {}

/** The same storage with planned faults. */
export function faultyStorage(storage: TableStorage, plan: FaultPlan): FaultyStorage {
  const { log, run } = plannedFaults(plan);
  const faulty: Omit<FaultyStorage, keyof FaultLog> = {
    description: `${storage.description} with faults`,
    ...(storage.isUnordered !== undefined && { isUnordered: storage.isUnordered }),
    ...(storage.readsBackwards !== undefined && { readsBackwards: storage.readsBackwards }),
    reachedTime: () => storage.reachedTime?.(),
    query: (table, query, options) =>
      run({ type: "query", table, operations: [] }, false, () => storage.query(table, query, options)),
    get: (table, key, options) =>
      run({ type: "get", table, operations: [] }, false, () => storage.get(table, key, options)),
    write: (table, operation, options) =>
      run({ type: "write", table, operations: [operation] }, true, () =>
        storage.write(table, operation, options),
      ),
    transact: (table, operations, options) =>
      run({ type: "transact", table, operations }, true, () => storage.transact(table, operations, options)),
    createTable: (table, options) =>
      run({ type: "createTable", table, operations: [] }, true, () => storage.createTable(table, options)),
    deleteTable: (table, options) =>
      run({ type: "deleteTable", table, operations: [] }, true, () => storage.deleteTable(table, options)),
    listTables: (options) =>
      run({ type: "listTables", table: "", operations: [] }, false, () => storage.listTables(options)),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  };
  return Object.assign(log, faulty);
}
