import { keyOfStored } from "../materialize/decode-entity.ts";
import { ageOf, currentRow } from "../materialize/current-row.ts";
import type { StoredEntity, StoredEntityDraft } from "../edm/stored-entity.ts";
import { StorageError } from "../errors/storage-error.ts";
import { UpgradeError } from "../errors/upgrade-error.ts";
import type { EntityModel } from "../model/entity-model.ts";
import { maxTransactionBytes, maxTransactionOperations, sizeOfEntity } from "../storage/limits.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import type { WriteOperation, WriteResult } from "../storage/write-operation.ts";

/** A row of an older version, and the write that upgrades it. */
interface Upgrade {
  readonly index: number;
  readonly operation: WriteOperation & { readonly type: "replace" };
}

/** What became of rows that were to be upgraded at once. */
export interface UpgradedRows {
  /** In the order of the rows given, with their new ETags; undefined for one that is no longer stored. */
  readonly rows: readonly (StoredEntity | undefined)[];
  readonly upgraded: number;
  /** Rows that somebody else changed in between, as they were read again: left as they are. */
  readonly changed: readonly StoredEntity[];
}

/**
 * Writes what older rows are upgraded to, each under the ETag it was read with: together by partition, and one by one
 * where one of them was changed in between. Rows that cannot be upgraded stay as they are.
 *
 * @throws StorageError for failures other than conflicts
 */
export async function upgradeRows(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
  modelOf: (row: StoredEntity) => EntityModel | undefined,
  options: RequestOptions & {
    /** Where nobody needs the rows as they are now, those given are given back. */
    readonly forgets?: boolean;
    /** Whether rows that could not be written are given back as they are, instead of a failure. */
    readonly isTolerant?: boolean;
  } = {},
): Promise<UpgradedRows> {
  const result: (StoredEntity | undefined)[] = [...rows];
  const { forgets = false, isTolerant = false, ...request } = options;
  const changed: StoredEntity[] = [];
  let upgraded = 0;
  const take = ({ index, operation }: Upgrade, { etag }: WriteResult): void => {
    upgraded++;
    if (forgets) return;
    result[index] = { ...operation.entity, ...(etag !== undefined && { "odata.etag": etag }) };
  };
  for (const group of groupsOf(rows, modelOf)) {
    const written = await writeTogether(storage, table, group, request, isTolerant);
    if (written !== undefined) {
      for (const [i, upgrade] of group.entries()) take(upgrade, written[i] as WriteResult);
      continue;
    }
    for (const upgrade of group) {
      try {
        take(upgrade, await storage.write(table, upgrade.operation, request));
      } catch (error) {
        if (isRefusal(error)) continue;
        if (
          !isConflict(error) &&
          !(isTolerant && error instanceof StorageError && error.code !== "storage.cancelled")
        )
          throw error;
        const row = await storage.get(table, keyOfStored(upgrade.operation.entity), request);
        result[upgrade.index] = row;
        if (row !== undefined) changed.push(row);
      }
    }
  }
  return { rows: result, upgraded, changed };
}

/** The answers of one transaction; undefined when it was refused, because a row was changed in between. */
async function writeTogether(
  storage: TableStorage,
  table: string,
  group: readonly Upgrade[],
  options: RequestOptions,
  isTolerant: boolean,
): Promise<readonly WriteResult[] | undefined> {
  if (group.length === 1) return undefined;
  try {
    return await storage.transact(
      table,
      group.map(({ operation }) => operation),
      options,
    );
  } catch (error) {
    if (isConflict(error) || isRefusal(error) || (isTolerant && error instanceof StorageError))
      return undefined;
    throw error;
  }
}

/** A row that became larger than the service takes, or something else that trying again will not change. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StorageError && error.applied === "no" && error.status === 400;

const isConflict = (error: unknown): boolean =>
  error instanceof StorageError && (error.status === 404 || error.status === 412);

/** What fits one transaction, in the order of the rows. */
function groupsOf(
  rows: readonly StoredEntity[],
  modelOf: (row: StoredEntity) => EntityModel | undefined,
): Upgrade[][] {
  const groups: Upgrade[][] = [];
  let [partition, bytes] = ["", 0];
  for (const [index, row] of rows.entries()) {
    const operation = operationOf(row, modelOf(row));
    if (operation === undefined) continue;
    // Text of several bytes and quotes take more on their way than the service counts.
    const size = 3 * sizeOfEntity(operation.entity).bytes + 1024;
    const last = groups.at(-1);
    const fits =
      last !== undefined && row.PartitionKey === partition && last.length < maxTransactionOperations;
    if (fits && bytes + size <= maxTransactionBytes) last.push({ index, operation });
    else {
      groups.push([{ index, operation }]);
      bytes = 0;
    }
    partition = row.PartitionKey;
    bytes += size;
  }
  return groups;
}

function operationOf(row: StoredEntity, model: EntityModel | undefined): Upgrade["operation"] | undefined {
  const etag = row["odata.etag"];
  if (model === undefined || etag === undefined) return undefined;
  try {
    if (ageOf(model, row) !== "older") return undefined;
    const entity: StoredEntityDraft = { ...currentRow(model, row) };
    delete entity.Timestamp;
    delete entity["odata.etag"];
    return entity[model.version?.storedName ?? ""] === model.version?.number
      ? { type: "replace", entity, etag }
      : undefined;
  } catch (error) {
    if (error instanceof UpgradeError) return undefined;
    throw error;
  }
}
