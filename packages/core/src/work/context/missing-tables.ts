import { StorageError } from "../../values/errors/storage-error.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import { modelOf } from "../../model/declaration/model-registry.ts";
import { createTables, type CreateTablesOptions } from "../../model/schema/create-tables.ts";
import type { TableStorage } from "../../storage/table-storage.ts";

/** Creates the tables of a context's classes once a request finds that they don't exist. */
export class MissingTables {
  readonly #storage: TableStorage;
  readonly #classes: readonly EntityClass[];
  readonly #options: CreateTablesOptions;
  readonly #creations = new Map<string, Promise<unknown>>();

  constructor(storage: TableStorage, classes: readonly EntityClass[], options: CreateTablesOptions) {
    this.#storage = storage;
    this.#classes = classes;
    this.#options = options;
  }

  /** Sends a request. If it was refused because its table does not exist, creates the table and sends it again. */
  async send<Result>(table: string, send: () => Promise<Result>): Promise<Result> {
    try {
      return await send();
    } catch (error) {
      const isMissing = StorageError.is(error) && error.serviceCode === "TableNotFound";
      const classes = isMissing ? this.#classesOf(table) : [];
      if (classes.length === 0) throw error;
      await this.#create(table, classes);
    }
    return send();
  }

  /** Requests that find the same missing table share its creation. */
  async #create(table: string, classes: readonly EntityClass[]): Promise<void> {
    const creation = this.#creations.get(table) ?? createTables(this.#storage, classes, this.#options);
    this.#creations.set(table, creation);
    try {
      await creation;
    } finally {
      this.#creations.delete(table);
    }
  }

  #classesOf(table: string): readonly EntityClass[] {
    const name = table.toLowerCase();
    return this.#classes.filter((each) => modelOf(each).table.toLowerCase() === name);
  }
}
