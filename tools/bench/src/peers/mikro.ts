import { MikroORM } from "@mikro-orm/sqlite";
import type { ArticleValues } from "../article.ts";
import type { ArticleStore } from "./article-store.ts";
import { pragmas } from "./article-table.ts";
import { mikroSchema } from "./mikro-schema.ts";

export async function openMikro(file: string): Promise<MikroORM> {
  const orm = await MikroORM.init({ dbName: file, entities: [mikroSchema] });
  for (const pragma of pragmas) await orm.em.getConnection().execute(`PRAGMA ${pragma}`);
  await orm.schema.create();
  return orm;
}

/** MikroORM over better-sqlite3, with an identity map for each piece of work. */
export async function openMikroStore(file: string): Promise<ArticleStore> {
  const orm = await openMikro(file);
  const find = (em: MikroORM["em"], shop: string) =>
    em.find(mikroSchema, { shop }, { orderBy: { sku: "asc" } });
  return {
    name: "MikroORM",
    async insert(all: readonly ArticleValues[]) {
      const em = orm.em.fork();
      for (const values of all) em.create(mikroSchema, { ...values } as never);
      await em.flush();
    },
    read: async (shop) => (await find(orm.em.fork(), shop)).length,
    async sell(shop) {
      const em = orm.em.fork();
      const articles = await find(em, shop);
      for (const article of articles) article.stock -= 1;
      await em.flush();
      return articles.length;
    },
    close: () => orm.close(),
  };
}
