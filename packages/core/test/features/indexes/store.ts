import { createTables, type EntityClass, openStorage, type TableStorage } from "../../../src/index.ts";

/** A store with the tables of these classes. */
export async function storeOf(...classes: readonly EntityClass[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, classes);
  return storage;
}

/** The RowKeys that a table has, in their order. */
export async function rowKeysOf(storage: TableStorage, table: string): Promise<string[]> {
  const { entities } = await storage.query(table, {});
  return entities.map(({ RowKey }) => RowKey);
}
