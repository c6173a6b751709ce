import { EntitySchema, MikroORM, Type } from "@mikro-orm/sqlite";
import type { ArticleValues } from "../article.ts";
import type { ArticleStore } from "./article-store.ts";
import { pragmas } from "./article-table.ts";

/** A Date in an integer column. By MikroORM's own type for dates, every entity that was read looks changed here. */
class Milliseconds extends Type<Date, number> {
  override convertToDatabaseValue(value: Date): number {
    return value instanceof Date ? value.getTime() : value;
  }

  override convertToJSValue(value: number | Date): Date {
    return value instanceof Date ? value : new Date(value);
  }

  override getColumnType(): string {
    return "integer";
  }

  override compareAsType(): string {
    return "number";
  }
}

interface MikroArticle extends Record<string, unknown> {
  shop: string;
  sku: string;
  stock: number;
}

export const mikroSchema = new EntitySchema<MikroArticle>({
  name: "Article",
  properties: {
    shop: { type: "string", primary: true },
    sku: { type: "string", primary: true },
    name: { type: "string" },
    description: { type: "string" },
    maker: { type: "string" },
    country: { type: "string" },
    price: { type: "double" },
    weight: { type: "double" },
    stock: { type: "integer" },
    sold: { type: "integer" },
    views: { type: "bigint" },
    active: { type: "boolean" },
    createdAt: { type: Milliseconds },
    changedAt: { type: Milliseconds },
    id: { type: "string" },
    image: { type: "uint8array" },
  },
});

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
