import { ModelError } from "../errors/model-error.ts";
import { StorageError } from "../errors/storage-error.ts";
import { kindChooser } from "../materialize/choose-kind.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import { kindsBelow, modelOf } from "../model/model-registry.ts";
import { checkStorable } from "../model/check-storable.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";

/**
 * Creates the tables of these classes that do not exist yet, and checks the classes: each is built, and kinds that
 * share a table are told apart.
 *
 * @returns the names of the tables that were created
 * @throws ModelError when a class is declared wrongly
 */
export async function createTables(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options?: RequestOptions,
): Promise<readonly string[]> {
  if (!Array.isArray(classes))
    throw new ModelError(
      "model.no-class",
      "createTables(storage, classes) takes a list of classes: [Blog, Comment].",
    );
  for (const entityClass of classes) {
    // A base leaves its RowKey to its kinds; any other class is to be stored itself.
    const model = modelOf(entityClass);
    if (kindsBelow(entityClass).size === 0) checkStorable(model);
  }
  const byTable = new Map<string, EntityClass[]>();
  for (const entityClass of classes) {
    const id = modelOf(entityClass).table.toLowerCase();
    byTable.set(id, [...(byTable.get(id) ?? []), entityClass]);
  }
  const created: string[] = [];
  for (const group of byTable.values()) {
    const { table } = kindChooser(group);
    if (await createIfMissing(storage, table, options)) created.push(table);
  }
  return created;
}

async function createIfMissing(
  storage: TableStorage,
  table: string,
  options?: RequestOptions,
): Promise<boolean> {
  try {
    await storage.createTable(table, options);
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.serviceCode === "TableAlreadyExists") return false;
    throw error;
  }
}
