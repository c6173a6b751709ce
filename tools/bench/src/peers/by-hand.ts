import Database from "better-sqlite3";
import type { ArticleValues } from "../article.ts";
import type { ArticleStore } from "./article-store.ts";
import { columns, createTable, pragmas } from "./article-table.ts";

interface Row extends Omit<ArticleValues, "views" | "active" | "createdAt" | "changedAt"> {
  readonly views: string;
  readonly active: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** Statements that are prepared once, and objects built from their rows. */
export function openByHand(file: string): ArticleStore {
  const database = new Database(file);
  for (const pragma of pragmas) database.pragma(pragma);
  database.exec(createTable);
  const insert = database.prepare(
    `INSERT INTO articles VALUES (${columns.map((name) => `@${name}`).join(", ")})`,
  );
  const select = database.prepare<[string], Row>("SELECT * FROM articles WHERE shop = ? ORDER BY sku");
  const update = database.prepare("UPDATE articles SET stock = ? WHERE shop = ? AND sku = ?");
  const read = (shop: string): ArticleValues[] => select.all(shop).map(articleOf);
  return {
    name: "better-sqlite3 by hand, prepared",
    insert: database.transaction((all: readonly ArticleValues[]) => {
      for (const values of all) insert.run(rowOf(values));
    }),
    read: (shop) => read(shop).length,
    sell: database.transaction((shop: string) => {
      const articles = read(shop);
      for (const { sku, stock } of articles) update.run(stock - 1, shop, sku);
      return articles.length;
    }),
    close: () => database.close(),
  };
}

const articleOf = ({ views, active, createdAt, changedAt, ...rest }: Row): ArticleValues => ({
  ...rest,
  views: BigInt(views),
  active: active === 1,
  createdAt: new Date(createdAt),
  changedAt: new Date(changedAt),
});

const rowOf = ({ views, active, createdAt, changedAt, ...rest }: ArticleValues): Row => ({
  ...rest,
  views: String(views),
  active: Number(active),
  createdAt: createdAt.getTime(),
  changedAt: changedAt.getTime(),
});
