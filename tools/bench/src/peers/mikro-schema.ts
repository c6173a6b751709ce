import { EntitySchema, Type } from "@mikro-orm/sqlite";

/**
 * A Date in an integer column. With MikroORM's own type for dates, every entity that was read looks changed
 * here.
 */
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
  tableName: "articles",
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
