import {
  createTables,
  type EntityClass,
  type EntityValidator,
  openStorage,
  type SaveError,
  TableContext,
  type TableStorage,
} from "../../../src/index.ts";

/** A storage with the tables of these classes. */
export async function storageOf(...classes: EntityClass[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, classes);
  return storage;
}

/** A validator that accepts everything, and does this with what it gets. */
export const accepting =
  (look: (copy: never) => unknown): EntityValidator =>
  async (copy) => {
    await look(copy as never);
    return [];
  };

export const contextWith = (storage: TableStorage, ...validate: EntityValidator[]): TableContext =>
  new TableContext(storage, { validate });

/** Why the first entity of a save was refused; undefined after a save that succeeded. */
export const refusalOf = async (context: TableContext): Promise<Error | undefined> =>
  context.saveChanges().then(
    () => undefined,
    (error: SaveError) => error.results.find((result) => result.error !== undefined)?.error ?? error,
  );
