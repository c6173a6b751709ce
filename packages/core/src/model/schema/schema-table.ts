import { keyOfStored } from "../codec/row-layout.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { compare, textLiteral } from "../../values/filter/filter-node.ts";
import { loadCrypto } from "../../values/keys/load-crypto.ts";
import type { IndexState } from "../declaration/entity-definition.ts";
import { createIfMissing } from "../../storage/create-table.ts";
import { followPages } from "../../storage/follow-pages.ts";
import { internalTables } from "../../storage/internal-tables.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { retriesOf, withRetry } from "../../storage/with-retry.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";

/** In this table, storage records the states of indexes: one partition for each table, one row for each definition. */
const schemaTable: string = internalTables.schema;

/** The recorded states of a table's indexes, by definition. */
export type RecordedStates = ReadonlyMap<string, IndexState>;

/** Reads the recorded states of a table. @returns undefined if the credentials don't allow it */
export async function readStates(
  storage: TableStorage,
  table: string,
  options: RequestOptions = {},
): Promise<RecordedStates | undefined> {
  try {
    const rows = await rowsOf(storage, table, options);
    return new Map(rows.map((row) => [String(row["Definition"]), row["State"] as IndexState]));
  } catch (error) {
    if (isMissing(error)) return new Map();
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Records the state of some indexes of a table. */
export async function recordStates(
  storage: TableStorage,
  table: string,
  definitions: readonly string[],
  state: IndexState,
  options: RequestOptions = {},
): Promise<void> {
  if (definitions.length === 0) return;
  await createIfMissing(storage, schemaTable, options);
  await write(
    storage,
    definitions.map((definition) => ({
      type: "upsert-replace",
      entity: rowOf(table, definition, state),
    })),
    options,
  );
}

/** Clears the recorded states of a table that was deleted and created again. */
export async function clearStates(
  storage: TableStorage,
  table: string,
  options: RequestOptions = {},
): Promise<void> {
  try {
    const rows = await rowsOf(storage, table, options);
    await write(
      storage,
      rows.map((row) => ({ type: "delete", key: keyOfStored(row), etag: "*" })),
      options,
    );
  } catch (error) {
    if (!isMissing(error) && !isForbidden(error)) throw error;
  }
}

async function rowsOf(
  storage: TableStorage,
  table: string,
  options: RequestOptions,
): Promise<readonly StoredEntity[]> {
  const filter = compare("eq", "PartitionKey", textLiteral(partitionOf(table)));
  const rows: StoredEntity[] = [];
  for await (const page of followPages(storage, schemaTable, { filter }, { ...options, mayBeStale: false }))
    rows.push(...page.entities);
  return rows;
}

/** Both kinds of write may be repeated: they do not depend on the stored rows. */
async function write(
  storage: TableStorage,
  operations: readonly WriteOperation[],
  options: RequestOptions,
): Promise<void> {
  if (operations.length === 0) return;
  const retries = retriesOf(storage, options.retry);
  await withRetry(retries, () => storage.transact(schemaTable, operations, options), options);
}

const rowOf = (table: string, definition: string, state: IndexState): StoredEntity => ({
  PartitionKey: partitionOf(table),
  RowKey: `index!${loadCrypto().createHash("sha256").update(definition).digest("hex")}`,
  State: state,
  Definition: definition,
});

/** Table names are case-insensitive. */
const partitionOf = (table: string): string => table.toLowerCase();

const isMissing = (error: unknown): boolean => StorageError.is(error) && error.status === 404;

const isForbidden = (error: unknown): boolean =>
  StorageError.is(error) && (error.status === 403 || error.status === 401);
