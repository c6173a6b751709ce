import type { EntityClass } from "../model/declaration/entity-definition.ts";
import type { IndexJobOptions } from "./build-index.ts";
import type { IndexBuildReport, IndexDropReport, IndexVerification } from "./index-report.ts";
import type { VerifyIndexOptions } from "./verify-index.ts";
import type { TableStorage } from "../storage/table-storage.ts";

// Jobs are loaded when they are first called: a program that serves requests has no use for them.

/**
 * Writes the rows of an index for all entities that are stored, and records in the table `PartitaSchema` that queries may use
 * it. Deploy the declaration to every program that writes first: writers keep the index already, and readers do not use it
 * yet. An index that is ready is only compared and repaired. It can be stopped at any time, and a later call resumes it; several processes may
 * share the work. Each entity's row is touched under its ETag in the transaction that writes its row in the index, so its ETag
 * changes. Afterwards the whole index is compared with the entities, and what other programs left is repaired.
 *
 * @param classes - a class, or classes of one table; a base class stands for its kinds
 * @throws QueryError `query.unknown-index`; ModelError `model.index-state`; OptionError `maintenance.option`; StorageError, when
 *   requests fail too often or `signal` stops it
 */
export async function buildIndex(
  storage: TableStorage,
  classes: EntityClass | readonly EntityClass[],
  name: string,
  options: IndexJobOptions = {},
): Promise<IndexBuildReport> {
  const job = await import("./build-index.ts");
  return job.buildIndex(storage, classes, name, options);
}

/**
 * Compares the rows of indexes with the entities' own rows, which say what they should be; with `repair`, makes them so. It
 * reads the table once and takes little memory, whatever its size; only where something differs it reads again. It may run at
 * any time beside writers, and be stopped and begun again: what is reported was stored so at one moment, and repairs hold only
 * for what was read.
 *
 * @param classes - a class, or classes of one table; a base class stands for its kinds
 * @param name - of one index; undefined for all that are not retired
 * @throws QueryError `query.unknown-index`; ModelError `model.index-state`; OptionError `maintenance.option`; StorageError, when
 *   requests fail too often or `signal` stops it
 */
export async function verifyIndex(
  storage: TableStorage,
  classes: EntityClass | readonly EntityClass[],
  name?: string,
  options: VerifyIndexOptions = {},
): Promise<IndexVerification> {
  const job = await import("./verify-index.ts");
  return job.verifyIndex(storage, classes, name, options);
}

/**
 * Removes the rows of an index that is declared as `retired`, which nobody reads or writes any more. It can be stopped at any
 * time, and a later call resumes it; several processes may share the work. Afterwards the declaration can be removed.
 *
 * @param classes - a class, or classes of one table; a base class stands for its kinds
 * @throws QueryError `query.unknown-index`; ModelError `model.index-state`; OptionError `maintenance.option`; StorageError, when
 *   requests fail too often or `signal` stops it
 */
export async function dropIndex(
  storage: TableStorage,
  classes: EntityClass | readonly EntityClass[],
  name: string,
  options: IndexJobOptions = {},
): Promise<IndexDropReport> {
  const job = await import("./drop-index.ts");
  return job.dropIndex(storage, classes, name, options);
}
