import {
  createTables,
  type EntityClass,
  openStorage,
  type SaveError,
  type TableStorage,
} from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { withFaults } from "@partita/testing";
import { expect } from "vitest";
import type { DomainClasses } from "./classes.ts";

/** The store of one case, with its recorded requests. */
export interface DomainStore extends AsyncDisposable {
  /** The storage for contexts. It records requests. */
  readonly storage: TableStorage;
  /** The store itself, for another writer. */
  readonly inner: TableStorage;
  /** The operations of each write request so far. */
  readonly sent: (readonly WriteOperation[])[];
  /** The read requests so far. */
  readonly reads: string[];
  /** Called before each write request is executed. */
  beforeWrite: (() => void | Promise<void>) | undefined;
  /** Clears the recorded requests. */
  reset(): void;
}

/** Opens a store for one case. */
export type OpenDomain = () => Promise<DomainStore>;

let opened = 0;

/** Opens a storage, which may be shared, with its own tables and the initial rows of every case. */
export async function openDomain(
  target: string,
  classes: DomainClasses,
  others: readonly EntityClass[] = [],
): Promise<DomainStore> {
  const inner = await openStorage(target, { tablePrefix: `d${process.pid}n${opened++}` });
  await createTables(inner, [...Object.values(classes), ...others]);
  const store: DomainStore = {
    inner,
    sent: [],
    reads: [],
    beforeWrite: undefined,
    storage: withFaults(inner, async ({ type, operations }) => {
      if (operations.length === 0) {
        store.reads.push(type);
        return undefined;
      }
      store.sent.push(structuredClone(operations));
      await store.beforeWrite?.();
      return undefined;
    }),
    reset() {
      store.sent.length = 0;
      store.reads.length = 0;
    },
    [Symbol.asyncDispose]: () => inner.close(),
  };
  await putRow(store, "7", { Kind: "Order", total: 0 });
  await putRow(store, "7!0001", { Kind: "Line", sku: "A", qty: 1 });
  await putRow(store, "7!0002", { Kind: "Line", sku: "B", qty: 1 });
  return store;
}

/** Another writer inserts or changes a row. */
export async function putRow(
  { inner }: DomainStore,
  rowKey: string,
  values: Readonly<Record<string, string | number>>,
  tenant = "acme",
): Promise<void> {
  const entity = { PartitionKey: tenant, RowKey: rowKey, ...values };
  await inner.write("Orders", { type: "upsert-merge", entity });
}

/** The row with this key in the table of orders. */
export const rowOf = ({ inner }: DomainStore, rowKey: string): Promise<StoredEntity | undefined> =>
  inner.get("Orders", { partitionKey: "acme", rowKey });

/** The RowKeys of all rows of a tenant, in order. */
export async function rowKeysOf({ inner }: DomainStore, tenant = "acme"): Promise<string[]> {
  const literal = { edm: "Edm.String", value: tenant } as const;
  const { entities } = await inner.query("Orders", { filter: { op: "eq", name: "PartitionKey", literal } });
  return entities.map(({ RowKey }) => RowKey);
}

const rowKeyOf = (operation: WriteOperation): string =>
  operation.type === "delete" ? operation.key.rowKey : operation.entity.RowKey;

/**
 * Each write request so far, as its operations in the order of their keys: `[["insert 8", "insert 8!0001"]]`.
 */
export const requestsOf = ({ sent }: DomainStore): string[][] =>
  sent.map((operations) =>
    operations
      .map((operation) => [rowKeyOf(operation), operation.type] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([rowKey, type]) => `${type} ${rowKey}`),
  );

/** The operation for a row in the last write request. */
export function sentFor({ sent }: DomainStore, rowKey: string): WriteOperation {
  const found = sent.at(-1)?.find((operation) => rowKeyOf(operation) === rowKey);
  return found ?? expect.unreachable(`nothing was sent for ${rowKey}`);
}

/** The names of the properties that an operation writes. */
export function writtenBy(operation: WriteOperation): string[] {
  if (operation.type === "delete") return [];
  return Object.keys(operation.entity).filter(
    (name) => !/^(PartitionKey|RowKey|odata\..*|.*@odata\.type)$/.test(name),
  );
}

/** The error of a save that must fail. */
export const failureOf = (save: Promise<unknown>): Promise<SaveError> =>
  save.then(
    () => expect.unreachable("expected the save to fail"),
    (error: unknown) => error as SaveError,
  );

/**
 * The reason why a save sent nothing: the code of its error, or of the first entity that could not be stored.
 */
export async function refusalOf(
  save: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string }> {
  const error = await failureOf(save);
  const cause = error.code === "save.invalid" ? error.results.find((result) => result.error)?.error : error;
  const { code = "", message } = (cause ?? error) as Error & { readonly code?: string };
  return { code, message };
}

/** An instance with these values, created with `new` in any form. */
export const make = <Entity extends object>(entityClass: new () => Entity, values: object): Entity =>
  Object.assign(new entityClass(), values);
