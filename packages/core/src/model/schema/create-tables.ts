import { ModelError } from "../../values/errors/model-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { type KindChooser, kindChooser } from "../codec/choose-kind.ts";
import type { EntityClass } from "../declaration/entity-definition.ts";
import { baseOf, kindsBelow, modelOf } from "../declaration/model-registry.ts";
import { checkStorable } from "../declaration/check-storable.ts";
import { abortSignal } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { checkStrongReads } from "./check-strong-reads.ts";
import { createMissingTable } from "./create-missing-table.ts";
import { indexesOf } from "./indexes-of.ts";
import { IndexStates } from "./index-states.ts";
import { aClock } from "../../storage/clock.ts";
import type { CreateTableOptions } from "../../storage/create-table.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { TableStorage } from "../../storage/table-storage.ts";

/** Options of `createTables`. */
export interface CreateTablesOptions extends CreateTableOptions {}

const checkOptions: CheckOptions = defineOptions<CreateTablesOptions>(
  "createTables(storage, classes, options)",
  { signal: abortSignal, retry: aRetryPolicy, clock: aClock },
);

/**
 * Creates the tables of these classes that do not exist yet, and checks the classes: each model is built, and kinds
 * that share a table must be distinguishable. A request is retried after a lost response. If a table is still being
 * deleted, the call waits for up to a minute. The indexes of a table that this call creates are recorded as ready in
 * the table `PartitaSchema`.
 *
 * ```ts
 * class Photo extends defineEntity({
 *   table: "Photos",
 *   partitionKey: { album: text() },
 *   rowKey: { id: text() },
 *   properties: {},
 * }) {}
 * console.log(await createTables(storage, [Blog, Photo])); // → [ 'Photos' ]
 * ```
 *
 * @returns the names of the tables that were definitely created by this call. A table that exists after a lost response
 *   is not included, since another program may have created it
 * @throws ModelError if a class is declared wrongly; OptionError `context.option`
 */
export async function createTables(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options?: CreateTablesOptions,
): Promise<readonly string[]> {
  if (!Array.isArray(classes))
    throw new ModelError(
      "model.no-class",
      `createTables(storage, classes) takes a list of classes, but got ${typeof classes === "function" ? `the class ${(classes as EntityClass).name}` : describeType(classes)} as its second argument. Write createTables(storage, [Blog, Comment]).`,
    );
  if (typeof (storage as Partial<TableStorage> | undefined)?.createTable !== "function")
    throw new StateError(
      "context.storage",
      'createTables(storage, classes) takes an open storage: const storage = await openStorage("file:path.db").',
    );
  checkOptions(options);
  for (const entityClass of classes) {
    // A base class may leave its RowKey to its kinds; any other class must be storable itself.
    const model = modelOf(entityClass);
    if (kindsBelow(entityClass).size === 0) checkStorable(model);
    checkStrongReads(storage, model);
  }
  const byTable = new Map<string, EntityClass[]>();
  for (const entityClass of classes) {
    const id = modelOf(entityClass).table.toLowerCase();
    byTable.set(id, [...(byTable.get(id) ?? []), entityClass]);
  }
  const created: string[] = [];
  for (const group of byTable.values()) {
    const chooser = kindChooser(group);
    const isCreated = await createMissingTable(storage, chooser.table, options);
    if (isCreated) created.push(chooser.table);
    await recordIndexes(storage, chooser, isCreated, options);
  }
  return created;
}

/** The indexes of a new table are ready, since it has no rows. For an existing table, their recorded states apply. */
async function recordIndexes(
  storage: TableStorage,
  chooser: KindChooser,
  isCreated: boolean,
  { signal, retry }: CreateTablesOptions = {},
): Promise<void> {
  const states = new IndexStates(storage);
  const indexes = indexesOf(chooser);
  const request = { signal, retry };
  if (!isCreated) return states.ask(indexes, signal);
  // A base class that the caller did not name has no rows either.
  const bases = chooser.models.map(baseOf).filter((base) => base !== undefined);
  await states.record([...indexes, ...indexesOf({ models: bases, kinds: [] })], "ready", {
    ...request,
    isOfEveryKind: true,
  });
}
