import { EntitySchema, MikroORM, Type } from "@mikro-orm/libsql";
import { articleValues } from "./article.ts";

// Dates and bytes by custom types: over this driver its own make every entity look changed.

/** A Date in an integer column. */
class Milliseconds extends Type<Date, number> {
  override convertToDatabaseValue(value: Date): number {
    return value instanceof Date ? value.getTime() : value;
  }

  override convertToJSValue(value: number | Date): Date {
    return value instanceof Date ? value : new Date(Number(value));
  }

  override getColumnType(): string {
    return "integer";
  }

  override compareAsType(): string {
    return "number";
  }
}

/** Bytes in a text column. */
class Base64 extends Type<Uint8Array, string> {
  override convertToDatabaseValue(value: Uint8Array): string {
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  }

  override convertToJSValue(value: string | Uint8Array): Uint8Array {
    return typeof value === "string" ? new Uint8Array(Buffer.from(value, "base64")) : value;
  }

  override getColumnType(): string {
    return "text";
  }

  override compareAsType(): string {
    return "string";
  }
}

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
    createdAt: { type: Milliseconds },
    changedAt: { type: Milliseconds },
    id: { type: "string" },
    image: { type: Base64 },
  },
});

/** The same articles in MikroORM over libSQL, which needs no native build. */
export async function openMikro(file: string): Promise<MikroORM> {
  const orm = await MikroORM.init({ dbName: file, entities: [schema] });
  await orm.schema.create();
  return orm;
}

export const mikroSchema: EntitySchema<MikroArticle> = schema;

export function mikroValues(i: number): MikroArticle {
  const { sku, ...rest } = articleValues(i);
  return { key: sku, ...rest };
}
