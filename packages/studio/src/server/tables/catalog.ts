import type { EntityClass, TableStorage } from "@partita/core";
import type { StorageInfo, TableInfo } from "../../api/tables.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { describeClass, type KnownClass } from "./describe-class.ts";

/** The storage, its core, and the known classes. */
export class Catalog {
  readonly core: StudioCore;
  readonly storage: TableStorage;
  /** The storage with retried reads, for reads outside a context. */
  readonly reads: TableStorage;
  readonly isReadOnly: boolean;
  readonly #classes = new Map<string, KnownClass[]>();

  constructor(
    core: StudioCore,
    storage: TableStorage,
    options: { readonly classes: readonly EntityClass[]; readonly isReadOnly: boolean },
  ) {
    this.core = core;
    this.storage = storage;
    this.reads = core.retryReads(storage, core.retriesOf(storage));
    this.isReadOnly = options.isReadOnly;
    for (const entityClass of new Set(options.classes)) this.#add(entityClass);
  }

  #add(entityClass: EntityClass): KnownClass {
    const model = this.core.modelOf(entityClass);
    const known = this.#classes.get(model.table) ?? [];
    const isTaken = known.some(({ name }) => name === model.name);
    const added = { name: isTaken ? `${model.name} (${known.length + 1})` : model.name, entityClass, model };
    this.#classes.set(model.table, [...known, added]);
    return added;
  }

  /** The classes of a table. Empty for a table without declared classes. */
  classesOf(table: string): readonly KnownClass[] {
    return this.#classes.get(table) ?? [];
  }

  /** @throws RequestError 404 for a class that the table does not have */
  classNamed(table: string, name: string): KnownClass {
    const found = this.classesOf(table).find((each) => each.name === name);
    if (found === undefined) throw RequestError.notFound(`class ${name} of the table ${table}`);
    return found;
  }

  /** The class of an entity. A kind that the module does not export is registered with its first entity. */
  classOf(table: string, entity: object): KnownClass {
    const own = entity.constructor as EntityClass;
    return this.classesOf(table).find(({ entityClass }) => entityClass === own) ?? this.#add(own);
  }

  /** The first data of the page: stored tables, and those that classes declare. */
  async info(): Promise<StorageInfo> {
    const stored = new Set(await this.storage.listTables());
    const names = [...new Set([...stored, ...this.#classes.keys()])].toSorted();
    const tables = names.map((name): TableInfo => {
      const classes = this.classesOf(name).map((each) => describeClass(each, this.classesOf(name)));
      return { name, isStored: stored.has(name), classes };
    });
    return { description: this.storage.description, isReadOnly: this.isReadOnly, tables };
  }
}
