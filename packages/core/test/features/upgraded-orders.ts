import {
  createTables,
  defineEntity,
  type EntityClass,
  int32,
  openStorage,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { rename, upgrades } from "../../src/upgrades.ts";

export const keys = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: text() } } as const;

export const chain = upgrades({ A: int32(), Note: text().optional() }).to(2, rename("A", "B"));

export const properties = { B: int32(), Note: text().optional() };

export class Order extends defineEntity({ ...keys, version: chain, properties }) {}

export async function store(
  entityClass: EntityClass,
  ...rows: Partial<StoredEntity>[]
): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [entityClass]);
  for (const [i, row] of rows.entries())
    await storage.write("Orders", {
      type: "insert",
      entity: { PartitionKey: "s", RowKey: String(i), ...row } as StoredEntity,
    });
  return storage;
}

export const get = (storage: TableStorage, id = "0") =>
  storage.get("Orders", { partitionKey: "s", rowKey: id });

export const seen = { "Seen@odata.type": "Edm.DateTime", Seen: "2013-08-02T17:37:43.9004348Z" } as const;
