import { ModelError } from "../errors/model-error.ts";
import { StateError } from "../errors/state-error.ts";
import { describeType } from "../errors/serialization-error.ts";
import { StorageError } from "../errors/storage-error.ts";
import { kindChooser } from "../codec/choose-kind.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import { kindsBelow, modelOf } from "../model/model-registry.ts";
import { checkStorable } from "../model/check-storable.ts";
import { abortSignal } from "../options/checks.ts";
import { type CheckOptions, defineOptions } from "../options/define-options.ts";
import { aClock, type Clock, monotonicTime } from "../storage/clock.ts";
import { aRetryPolicy } from "../storage/retry-policy.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { retriesOf, withRetry } from "../storage/with-retry.ts";

/** How tables are created. */
export interface CreateTablesOptions extends Pick<RequestOptions, "signal" | "retry"> {
  /** The time, for waiting between tries; the system's when absent. */
  readonly clock?: Clock | undefined;
}

const checkOptions: CheckOptions = defineOptions<CreateTablesOptions>(
  "createTables(storage, classes, options)",
  { signal: abortSignal, retry: aRetryPolicy, clock: aClock },
);

/**
 * Creates the tables of these classes that do not exist yet, and checks the classes: each is built, and kinds that
 * share a table are distinguishable. A lost answer is tried again, and a table that is still being deleted is waited for, up
 * to a minute.
 *
 * @returns the names of the tables that were certainly created by this call; one that exists after a lost answer is not
 *   among them, since somebody else may have created it
 * @throws ModelError when a class is declared wrongly; OptionError `context.option`, `context.retry`
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

/** Creates a table. @returns false where it was there */
export async function createIfMissing(
  storage: TableStorage,
  table: string,
  { clock, retry, ...options }: CreateTablesOptions = {},
): Promise<boolean> {
  const retries = retriesOf(storage, retry, clock);
  const { signal } = options;
  const deadline = monotonicTime(retries.clock) + longestDeletionMs;
  let mayBeOurs = false;
  const create = async (attempt: number): Promise<boolean> => {
    try {
      await storage.createTable(table, { ...options, attempt });
      return true;
    } catch (error) {
      if (!StorageError.is(error)) throw error;
      if (error.serviceCode === "TableAlreadyExists") return false;
      if (error.applied === "maybe") mayBeOurs = true;
      const isBeingDeleted =
        error.serviceCode === "TableBeingDeleted" && monotonicTime(retries.clock) < deadline;
      if (!isBeingDeleted || signal?.aborted === true) throw error;
      await retries.clock.wait(deletionPollMs, signal);
      return create(attempt);
    }
  };
  try {
    return await withRetry(retries, create, { signal });
  } catch (error) {
    throw mayBeOurs && StorageError.is(error) ? error.asMaybeApplied() : error;
  }
}

/** The service frees the name of a deleted table after some 40 seconds. Source: learn.microsoft.com "Delete Table". */
const longestDeletionMs = 60_000;
const deletionPollMs = 5_000;
