import assert from "node:assert/strict";
import { StorageError, type TableStorage } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";

/** A guarantee of every storage: a sentence, and a check that rejects if it does not hold. */
export interface ConformanceCase {
  readonly name: string;
  /** @param table - an empty table for this case only */
  readonly check: (storage: TableStorage, table: string) => Promise<void>;
}

/** Passes if the promise rejects with the service's code and nothing was applied. */
export async function refuses(promise: Promise<unknown>, serviceCode: string, index?: number): Promise<void> {
  const error = await promise.then(
    () => assert.fail(`expected ${serviceCode}, but the request succeeded`),
    (reason: unknown) => reason,
  );
  assert.ok(StorageError.is(error), `expected a StorageError, got ${String(error)}`);
  assert.equal(error.serviceCode, serviceCode);
  assert.equal(error.applied, "no");
  if (index !== undefined) assert.equal(error.index, index);
}

/** Passes if every kind of write refuses these properties, alone and in a transaction, and stores nothing. */
export async function refusesEverywhere(
  storage: TableStorage,
  table: string,
  properties: object,
  serviceCode: string,
): Promise<void> {
  const entity = { PartitionKey: "p", RowKey: "r", ...properties };
  const { PartitionKey } = entity;
  const writes: readonly WriteOperation[] = [
    { type: "insert", entity },
    { type: "upsert-merge", entity },
    { type: "upsert-replace", entity },
    { type: "merge", entity, etag: "*" },
    { type: "replace", entity, etag: "*" },
  ];
  for (const operation of writes) {
    await refuses(storage.write(table, operation), serviceCode);
    await refuses(storage.transact(table, [operation]), serviceCode, 0);
    const first: WriteOperation = { type: "insert", entity: { PartitionKey, RowKey: "first" } };
    if (PartitionKey === "p") await refuses(storage.transact(table, [first, operation]), serviceCode, 1);
  }
  assert.deepEqual((await storage.query(table, {})).entities, []);
}

/** The entity's properties without those that the store adds. */
export function bare({ Timestamp: _timestamp, "odata.etag": _etag, ...entity }: StoredEntity): object {
  return entity;
}

/** Reads the entity with a key, which must be stored. */
export async function stored(
  storage: TableStorage,
  table: string,
  partitionKey: string,
  rowKey: string,
): Promise<StoredEntity> {
  const entity = await storage.get(table, { partitionKey, rowKey });
  assert.ok(entity !== undefined, `expected (${partitionKey}, ${rowKey}) to be stored`);
  return entity;
}

/** Inserts entities given as `[PartitionKey, RowKey, properties]`. */
export async function insertAll(
  storage: TableStorage,
  table: string,
  rows: readonly (readonly [pk: string, rk: string, properties?: object])[],
): Promise<void> {
  for (const [PartitionKey, RowKey, properties] of rows)
    await storage.write(table, { type: "insert", entity: { PartitionKey, RowKey, ...properties } });
}
