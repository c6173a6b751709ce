import { createTables, openStorage, TableContext } from "@partita/core";
import { Article } from "../article.ts";
import type { ArticleStore } from "./article-store.ts";

export async function openPartita(file: string): Promise<ArticleStore> {
  const storage = await openStorage(`file:${file}`);
  await createTables(storage, [Article]);
  const find = (context: TableContext, shop: string) => context.query(Article).where({ shop }).toArray();
  return {
    name: "Partita",
    async insert(all) {
      const context = new TableContext(storage);
      for (const values of all) context.add(new Article(values));
      await context.saveChanges();
    },
    read: async (shop) => (await find(new TableContext(storage), shop)).length,
    async sell(shop) {
      const context = new TableContext(storage);
      for (const article of await find(context, shop)) article.stock -= 1;
      return (await context.saveChanges()).length;
    },
    close: () => storage.close(),
  };
}
