import { blob, customType, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

const bigint = customType<{ data: bigint; driverData: string }>({
  dataType: () => "text",
  toDriver: String,
  fromDriver: BigInt,
});

export const articles = sqliteTable(
  "articles",
  {
    shop: text().notNull(),
    sku: text().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    maker: text().notNull(),
    country: text(),
    price: real().notNull(),
    weight: real().notNull(),
    stock: integer().notNull(),
    sold: integer().notNull(),
    views: bigint().notNull(),
    active: integer({ mode: "boolean" }).notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    changedAt: integer({ mode: "timestamp_ms" }).notNull(),
    id: text().notNull(),
    image: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.shop, table.sku] })],
);
