import { definedScopes } from "@partita/test-support/domain/scope-classes";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";
import { TableContext, type TableStorage } from "../../../src/index.ts";
import type { Random } from "./random.ts";

/** Stands in every value of beta, apart from the name of the tenant: nobody else may see it. */
export const secret = "hush";

export const { Order, Line, OrderRow, Note, Card, Folder, Page } = definedScopes;

const tables = ["ScopedOrders", "ScopedNotes", "ScopedCards", "ScopedFolders"] as const;

export const ids = ["1", "2", "3", "4"] as const;

/** Values that tell the tenants apart. */
export const valueOf = (tenant: string): string => (tenant === "beta" ? secret : "open");
const rankOf = (tenant: string, id: string): number => Number(id) + (tenant === "beta" ? 90 : 0);

/** Stores rows of both tenants: each id of a box belongs to one of them, to a row that no class can read, or is free. */
export async function seed(storage: TableStorage, random: Random): Promise<void> {
  const context = new TableContext(storage, { scope: "all" });
  for (const tenant of ["acme", "beta"])
    for (const id of ids)
      if (!random.isOneOf(4))
        context.create(Order, {
          tenant,
          id,
          note: valueOf(tenant),
          lines: [1, 2].map((no) => ({ no, sku: valueOf(tenant) })),
        });
  for (const id of ids) {
    for (const entityClass of [Note, Card]) {
      const tenant = random.pick(["acme", "beta"]);
      const values = { box: "b", id, tenant, text: valueOf(tenant), rank: rankOf(tenant, id) };
      if (!random.isOneOf(4)) context.create(entityClass, values);
      else if (random.isOneOf(2))
        await putBroken(storage, entityClass === Note ? "ScopedNotes" : "ScopedCards", id);
    }
    const tenant = random.pick(["acme", "beta"]);
    context.create(Folder, { box: "b", id, tenant, name: valueOf(tenant) });
    for (const no of [1, 2]) {
      const owner = random.isOneOf(3) ? "beta" : tenant;
      if (random.isOneOf(5)) await putBroken(storage, "ScopedFolders", `${id}!000${no}`);
      else context.create(Page, { box: "b", id, no, tenant: owner, name: valueOf(owner) });
    }
  }
  await context.saveChanges();
}

/** A row of beta that no class can read. */
const putBroken = (storage: TableStorage, table: string, rowKey: string): Promise<unknown> =>
  storage.write(table, {
    type: "insert",
    entity: {
      PartitionKey: "b",
      RowKey: rowKey,
      tenant: "beta",
      text: secret,
      name: secret,
      rank: secret,
      Kind: secret,
    },
  });

/** All rows, as they are stored. */
const allRows = (storage: TableStorage): Promise<StoredEntity[][]> =>
  Promise.all(tables.map(async (table) => (await storage.query(table, {})).entities as StoredEntity[]));

const isOf = (tenant: string, row: StoredEntity): boolean =>
  row.PartitionKey === tenant || row["tenant"] === tenant;

/** The rows of beta with their ETags, those of its indexes included. */
export const rowsOfBeta = async (storage: TableStorage): Promise<StoredEntity[]> =>
  (await allRows(storage)).flat().filter((row) => isOf("beta", row));

/** Rows of entities that belong to no tenant. */
export const rowsOfNobody = async (storage: TableStorage): Promise<StoredEntity[]> =>
  (await allRows(storage))
    .flat()
    .filter((row) => row["_row"] === undefined && !isOf("acme", row) && !isOf("beta", row));

/** How many entities of a class acme has at most. */
export async function mostOfAcme(storage: TableStorage, table: string): Promise<number> {
  const rows = (await storage.query(table, {})).entities;
  return rows.filter((row) => row["_row"] === undefined && isOf("acme", row)).length;
}

export async function clear(storage: TableStorage): Promise<void> {
  for (const [i, rows] of (await allRows(storage)).entries())
    for (const group of Map.groupBy(rows, ({ PartitionKey }) => PartitionKey).values()) {
      const operations = group.map(({ PartitionKey, RowKey }): WriteOperation => {
        return { type: "delete", key: { partitionKey: PartitionKey, rowKey: RowKey }, etag: "*" };
      });
      await storage.transact(tables[i] as string, operations);
    }
}
