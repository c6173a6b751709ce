import Database from "better-sqlite3";
import { and, asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import type { ArticleStore } from "./article-store.ts";
import { createTable, pragmas } from "./article-table.ts";
import { articles } from "./drizzle-articles.ts";

/** Drizzle over better-sqlite3, with queries built for each use, or prepared once. */
export function openDrizzle(file: string, style: "written anew" | "prepared"): ArticleStore {
  const database = new Database(file);
  for (const pragma of pragmas) database.pragma(pragma);
  database.exec(createTable);
  const db = drizzle({ client: database });
  const select = db
    .select()
    .from(articles)
    .where(eq(articles.shop, sql.placeholder("shop")))
    .orderBy(asc(articles.sku))
    .prepare();
  const update = db
    .update(articles)
    .set({ stock: sql`${sql.placeholder("stock")}` })
    .where(and(eq(articles.shop, sql.placeholder("shop")), eq(articles.sku, sql.placeholder("sku"))))
    .prepare();
  const read = (shop: string) =>
    style === "prepared"
      ? select.all({ shop })
      : db.select().from(articles).where(eq(articles.shop, shop)).orderBy(asc(articles.sku)).all();
  return {
    name: `Drizzle, ${style}`,
    insert: (all) =>
      db.transaction((tx) => {
        for (const values of all)
          tx.insert(articles)
            .values({ ...values, image: Buffer.from(values.image) })
            .run();
      }),
    read: (shop) => read(shop).length,
    sell: (shop) =>
      db.transaction((tx) => {
        const found = read(shop);
        for (const { sku, stock } of found)
          if (style === "prepared") update.run({ shop, sku, stock: stock - 1 });
          else
            tx.update(articles)
              .set({ stock: stock - 1 })
              .where(and(eq(articles.shop, shop), eq(articles.sku, sku)))
              .run();
        return found.length;
      }),
    close: () => database.close(),
  };
}
