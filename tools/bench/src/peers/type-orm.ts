import Database from "better-sqlite3";
import { DataSource, EntitySchema, type ValueTransformer } from "typeorm";
import type { ArticleValues } from "../article.ts";
import type { ArticleStore } from "./article-store.ts";
import { pragmas } from "./article-table.ts";

const bigint: ValueTransformer = {
  to: (value: bigint | undefined) => value?.toString(),
  from: (value: string) => BigInt(value),
};

type TypeOrmArticle = { -readonly [Name in keyof ArticleValues]: ArticleValues[Name] };

const schema = new EntitySchema<TypeOrmArticle>({
  name: "articles",
  columns: {
    shop: { type: "text", primary: true },
    sku: { type: "text", primary: true },
    name: { type: "text" },
    description: { type: "text" },
    maker: { type: "text" },
    country: { type: "text", nullable: true },
    price: { type: "real" },
    weight: { type: "real" },
    stock: { type: "integer" },
    sold: { type: "integer" },
    views: { type: "text", transformer: bigint },
    active: { type: "boolean" },
    createdAt: { type: "datetime" },
    changedAt: { type: "datetime" },
    id: { type: "text" },
    image: { type: "blob" },
  },
});

/** TypeORM over better-sqlite3. It tracks nothing: a save reads the rows to compare with. */
export async function openTypeOrm(file: string): Promise<ArticleStore> {
  const source = new DataSource({
    type: "better-sqlite3",
    database: file,
    driver: Database,
    entities: [schema],
    synchronize: true,
  });
  await source.initialize();
  for (const pragma of pragmas) await source.query(`PRAGMA ${pragma}`);
  const articles = source.getRepository(schema);
  const find = (shop: string) => articles.find({ where: { shop }, order: { sku: "ASC" } });
  return {
    name: "TypeORM",
    // The number of parameters of a statement is limited.
    insert: (all) =>
      articles.save(
        all.map((values) => ({ ...values, image: Buffer.from(values.image) })),
        { chunk: 500 },
      ),
    read: async (shop) => (await find(shop)).length,
    async sell(shop) {
      const found = await find(shop);
      for (const article of found) article.stock -= 1;
      return (await articles.save(found, { chunk: 500 })).length;
    },
    close: () => source.destroy(),
  };
}
