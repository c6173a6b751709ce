// Reads (`context/entity-reader.ts`) and `upgradeTable` of `@partita/maintenance` write older rows back in their
// current version through this file. It sends each row under the ETag it was read with, with its index rows: several
// in one transaction, or one by one if that is refused.

import { etagOf, keyOfStored, withEtag, withoutSystemValues } from "../../model/codec/row-layout.ts";
import { hasSameProperties } from "../../values/edm/same-value.ts";
import type { IndexStates } from "../../model/schema/index-states.ts";
import { isOvertaken } from "../../storage/conflict-reason.ts";
import { storedIndexRows } from "../../model/codec/stored-index-rows.ts";
import { ageOf, currentRow } from "../../model/codec/current-row.ts";
import { supportedRow } from "../../model/codec/supported-row.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { keepsOlderForm, type EntityModel, type IndexModel } from "../../model/declaration/entity-model.ts";
import type { Patiently } from "../../storage/with-retry.ts";
import { maxTransactionBytes, maxTransactionOperations, sizeOfEntity } from "../../storage/limits.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { unlessUpgradeFails } from "../../model/upgrade/failed-upgrade.ts";
import type { WriteOperation, WriteResult } from "../../storage/write-operation.ts";

/** A row, and its class; undefined to leave the row alone. */
export interface UpgradableRow {
  readonly row: StoredEntity;
  readonly model: EntityModel | undefined;
}

/** A row of an older version, and the write that upgrades it. */
interface Upgrade {
  readonly index: number;
  readonly operation: WriteOperation & { readonly type: "replace" };
  /** The writes of the row's index rows. */
  readonly indexRows: readonly WriteOperation[];
}

interface UpgradeRowsOptions extends RequestOptions {
  /** Called if an older row was stored in its present version, which `rowOf` returns. */
  readonly onUpgraded?: (index: number, rowOf: () => StoredEntity) => void;
  /** Called if another program changed or deleted the row in between: the stored row stays. */
  readonly onChanged?: (index: number, row: StoredEntity | undefined) => void;
  /** Called if storage refuses the upgraded row, or could not be reached: the stored row stays. */
  readonly onRefused?: (index: number, error: StorageError) => void;
  /** How each write is retried; by default not at all. */
  readonly patiently?: Patiently;
  /** Whether failures leave rows unchanged instead of ending the work. */
  readonly isTolerant?: boolean;
  /** Which indexes have been built; rows of all others are added. */
  readonly indexStates: IndexStates;
}

/**
 * Writes older rows in their upgraded form, each under the ETag it was read with and together with its index rows:
 * several of a partition in one transaction, or one by one if that is refused. Rows that cannot be upgraded stay
 * unchanged.
 *
 * @throws StorageError for failures that are not about a row, unless `isTolerant`
 */
export async function upgradeRows(
  storage: TableStorage,
  table: string,
  rows: readonly UpgradableRow[],
  options: UpgradeRowsOptions,
): Promise<void> {
  const { isTolerant = false, signal, patiently = (work) => work(), indexStates, ...sink } = options;
  const request: RequestOptions = signal === undefined ? {} : { signal };
  const mayGoOn = (error: unknown): error is StorageError =>
    isAboutRow(error) || (isTolerant && StorageError.is(error) && error.code !== "storage.cancelled");
  const done = ({ index, operation }: Upgrade, { etag }: WriteResult): void =>
    sink.onUpgraded?.(index, () => withEtag(operation.entity, etag));
  const writeOne = async (upgrade: Upgrade): Promise<void> => {
    const { operation, indexRows } = upgrade;
    const write = async (): Promise<WriteResult> => {
      if (indexRows.length === 0) return storage.write(table, operation, request);
      const [written] = await storage.transact(table, [operation, ...indexRows], request);
      return written as WriteResult;
    };
    try {
      done(upgrade, await patiently(write));
    } catch (error) {
      const rest = withoutTaken(upgrade, error);
      if (rest !== undefined) return writeOne(rest);
      if (!mayGoOn(error)) throw error;
      if (!isOvertaken(error)) sink.onRefused?.(upgrade.index, error);
      else {
        const row = await storage.get(table, keyOfStored(upgrade.operation.entity), request);
        // An earlier attempt may have been stored although its response was lost.
        if (row !== undefined && hasSameProperties(row, upgrade.operation.entity))
          sink.onUpgraded?.(upgrade.index, () => row);
        else sink.onChanged?.(upgrade.index, row);
      }
    }
  };
  const writeTogether = async (group: readonly Upgrade[]): Promise<boolean> => {
    const indexRows = group.flatMap((upgrade) => upgrade.indexRows);
    const operations = [...group.map(({ operation }) => operation), ...indexRows];
    try {
      const written = await patiently(() => storage.transact(table, operations, request));
      for (const [i, upgrade] of group.entries()) done(upgrade, written[i] as WriteResult);
      return true;
    } catch (error) {
      if (mayGoOn(error) || isTaken(error)) return false;
      throw error;
    }
  };
  for (const group of groupsOf(rows, indexStates)) {
    if (group.length > 1 && (await writeTogether(group))) continue;
    for (const upgrade of group) await writeOne(upgrade);
  }
}

/** Refused because of the row's values, not because of storage's state, so a retry does not help. */
const isAboutRow = (error: unknown): error is StorageError =>
  isOvertaken(error) || (StorageError.is(error) && error.applied === "no" && error.status === 400);

/** Groups that fit one transaction each, in the order of the rows. */
function groupsOf(rows: readonly UpgradableRow[], indexStates: IndexStates): Upgrade[][] {
  const groups: Upgrade[][] = [];
  let [partition, bytes, count] = ["", 0, 0];
  for (const [index, { row, model }] of rows.entries()) {
    const operation = operationOf(row, model);
    if (operation === undefined || model === undefined) continue;
    const indexRows = model.indexes.length === 0 ? none : indexRowsOf(model, operation.entity, indexStates);
    // Escaped quotes and multi-byte text take more bytes in a request than the service counts.
    const size = (3 * sizeOfEntity(operation.entity).bytes + 1024) * (1 + indexRows.length);
    const last = groups.at(-1);
    const isTogether = last !== undefined && row.PartitionKey === partition;
    const fits = isTogether && count + indexRows.length < maxTransactionOperations;
    if (fits && bytes + size <= maxTransactionBytes) last.push({ index, operation, indexRows });
    else {
      groups.push([{ index, operation, indexRows }]);
      [bytes, count] = [0, 0];
    }
    partition = row.PartitionKey;
    bytes += size;
    count += 1 + indexRows.length;
  }
  return groups;
}

const none: readonly WriteOperation[] = [];

/**
 * The index rows of an upgraded row, under keys that no upgrade changes. Those of a built unique index stay the same, and
 * only a build adds those of an index that is unique over the table.
 */
function indexRowsOf(model: EntityModel, row: StoredEntity, states: IndexStates): WriteOperation[] {
  const isWanted = (index: IndexModel): boolean =>
    !index.isUnique || (!index.isOverTable && states.stateOf({ model, index }) !== "ready");
  return storedIndexRows(model, row, isWanted).map(({ operation }) => operation);
}

/** The row of a unique index exists already: this entity's own, or another entity's with the same value. */
const isTaken = (error: unknown): error is StorageError =>
  StorageError.is(error) && error.serviceCode === "EntityAlreadyExists";

/** The same upgrade without a unique index row that already exists; undefined for any other failure. */
function withoutTaken(upgrade: Upgrade, error: unknown): Upgrade | undefined {
  if (!isTaken(error)) return undefined;
  const { index } = error;
  // A proxy may have removed the index of the refused operation.
  const isStored = ({ type }: WriteOperation, i: number): boolean =>
    type === "insert" && (index === undefined || i === index - 1);
  const indexRows = upgrade.indexRows.filter((row, i) => !isStored(row, i));
  return indexRows.length < upgrade.indexRows.length ? { ...upgrade, indexRows } : undefined;
}

function operationOf(row: StoredEntity, model: EntityModel | undefined): Upgrade["operation"] | undefined {
  const etag = etagOf(row);
  if (model === undefined || etag === undefined) return undefined;
  const upgradeOf = (): Upgrade["operation"] | undefined => {
    if (ageOf(model, row) !== "older") return undefined;
    const present = withoutSystemValues(currentRow(model, row));
    const entity = keepsOlderForm(model) ? supportedRow(model, row, () => present) : present;
    return ageOf(model, entity) === undefined ? { type: "replace", entity, etag } : undefined;
  };
  return unlessUpgradeFails(upgradeOf, () => undefined);
}
