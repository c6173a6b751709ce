import type { IndexNamesOf } from "@partita/core/models";
import type { EntityClass, TableStorage } from "@partita/core";
import type { IndexJobOptions } from "./build-index.ts";
import type { IndexBuildReport, IndexDropReport, IndexVerification } from "./index-report.ts";
import type { VerifyIndexOptions } from "./verify-index.ts";

/**
 * The names of the indexes that these classes declare to TypeScript; any text if they declare none, as a base class
 * may.
 */
type IndexName<Classes extends EntityClass | readonly EntityClass[]> = OrAny<
  NameIn<Classes extends readonly EntityClass[] ? Classes[number] : Classes>
>;
type NameIn<Class> = Class extends EntityClass<infer Entity> ? IndexNamesOf<Entity> : never;
type OrAny<Names> = [Names] extends [never] ? string : Names;

// Jobs are loaded when they are first called, since a program that serves requests does not need them.

/**
 * Writes the index rows of all stored entities, and then records in the table `PartitaSchema` that queries may use the
 * index.
 *
 * First deploy the declaration to every program that writes: writers maintain the index from then on, and readers do
 * not use it yet. If the index is already ready, it is only compared and repaired. You can stop the call at any time,
 * and a later call resumes it; several processes may share the work. Each entity's row is updated under its ETag in
 * the transaction that writes its index row, so its ETag changes. Afterwards, the complete index is compared with the
 * entities, and differences made by other programs are repaired.
 *
 * @param classes - a class, or classes of one table; a base class includes its kinds
 * @throws QueryError `query.unknown-index`; ModelError `model.index-state`; OptionError `maintenance.option`;
 *   StorageError if requests fail too often, or if `signal` stops it
 */
export async function buildIndex<const Classes extends EntityClass | readonly EntityClass[]>(
  storage: TableStorage,
  classes: Classes,
  name: IndexName<Classes>,
  options: IndexJobOptions = {},
): Promise<IndexBuildReport> {
  const job = await import("./build-index.ts");
  return job.buildIndex(storage, classes, name as string, options);
}

/**
 * Compares index rows with the entities' own rows, which determine the correct content; with `repair`, corrects the
 * index rows.
 *
 * It reads the table once and takes little memory, regardless of its size; only differences are read again. You can run
 * it at any time, also during writes, and stop and restart it. Each reported difference was stored in this form at one
 * moment, and a repair is only written if the rows have not changed since they were read.
 *
 * @param classes - a class, or classes of one table; a base class includes its kinds
 * @param name - the name of one index; undefined for all that are not retired
 * @throws QueryError `query.unknown-index`; ModelError `model.index-state`; OptionError `maintenance.option`;
 *   StorageError if requests fail too often, or if `signal` stops it
 */
export async function verifyIndex<const Classes extends EntityClass | readonly EntityClass[]>(
  storage: TableStorage,
  classes: Classes,
  name?: IndexName<Classes>,
  options: VerifyIndexOptions = {},
): Promise<IndexVerification> {
  const job = await import("./verify-index.ts");
  return job.verifyIndex(storage, classes, name as string | undefined, options);
}

/**
 * Deletes the rows of an index that is declared as `retired`, which no program reads or writes any more. You can stop
 * the call at any time, and a later call resumes it; several processes may share the work. Afterwards you can remove
 * the declaration.
 *
 * @param classes - a class, or classes of one table; a base class includes its kinds
 * @throws QueryError `query.unknown-index`; ModelError `model.index-state`; OptionError `maintenance.option`;
 *   StorageError if requests fail too often, or if `signal` stops it
 */
export async function dropIndex<const Classes extends EntityClass | readonly EntityClass[]>(
  storage: TableStorage,
  classes: Classes,
  name: IndexName<Classes>,
  options: IndexJobOptions = {},
): Promise<IndexDropReport> {
  const job = await import("./drop-index.ts");
  return job.dropIndex(storage, classes, name as string, options);
}
