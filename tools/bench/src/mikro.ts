import { EntitySchema, MikroORM } from "@mikro-orm/libsql";
import { articleValues } from "./article.ts";

export interface MikroArticle {
  key: string;
  [name: string]: unknown;
}

const schema = new EntitySchema<MikroArticle>({
  name: "Article",
  properties: {
    key: { type: "string", primary: true },
    shop: { type: "string" },
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
    createdAt: { type: "bigint" },
    changedAt: { type: "bigint" },
    id: { type: "string" },
    image: { type: "string" },
  },
});

// Dates and bytes as a bigint and text: over this driver its own types make every entity look changed.

/** The same articles in MikroORM over libSQL, which needs no native build. */
export async function openMikro(file: string): Promise<MikroORM> {
  const orm = await MikroORM.init({ dbName: file, entities: [schema] });
  await orm.schema.create();
  return orm;
}

export const mikroSchema: EntitySchema<MikroArticle> = schema;

export function mikroValues(i: number): MikroArticle {
  const { sku, image, createdAt, changedAt, ...rest } = articleValues(i);
  return {
    key: sku,
    ...rest,
    createdAt: BigInt(createdAt.getTime()),
    changedAt: BigInt(changedAt.getTime()),
    image: Buffer.from(image).toString("base64"),
  };
}
