// The storage for histories: tables of both releases, with every index recorded as ready, as after a roll-out.

import { createTables, openStorage, TableContext, type TableStorage } from "@partita/core";
import { kindChooser } from "@partita/core/internal";
import { indexesOf, IndexStates } from "@partita/core/internal/jobs";
import { type EntityClass, modelOf } from "@partita/core/models";

/** The classes of both releases. */
export interface Classes {
  readonly old: readonly EntityClass[];
  readonly new: readonly EntityClass[];
}

/** Opens a storage for both releases. */
export async function openLab(
  classes: Classes,
  open: () => TableStorage | Promise<TableStorage> = () => openStorage("memory:"),
): Promise<TableStorage> {
  const storage = await open();
  for (const own of [classes.old, classes.new]) await prepare(storage, own);
  return storage;
}

async function prepare(storage: TableStorage, classes: readonly EntityClass[]): Promise<void> {
  await createTables(storage, classes);
  for (const group of byTable(classes).values())
    await new IndexStates(storage).record(indexesOf(kindChooser(group)), "ready", { isOfEveryKind: true });
}

/** Classes by their common table. */
const byTable = (classes: readonly EntityClass[]): ReadonlyMap<string, readonly EntityClass[]> =>
  Map.groupBy(classes, (each) => modelOf(each).table);

/** A context that sees the rows of all tenants. */
export const openContext = (storage: TableStorage): TableContext => new TableContext(storage, contextOptions);

export const contextOptions = { scope: "all", undeclared: "ignore" } as const;

/** Deletes every row of these tables. */
export async function clearTables(storage: TableStorage, tables: Iterable<string>): Promise<void> {
  for (const table of tables) {
    const { entities } = await storage.query(table, {});
    for (const { PartitionKey: partitionKey, RowKey: rowKey } of entities)
      await storage.write(table, { type: "delete", key: { partitionKey, rowKey }, etag: "*" });
  }
}
