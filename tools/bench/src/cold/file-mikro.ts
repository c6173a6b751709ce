import { MikroORM } from "@mikro-orm/sqlite";
import { mikroSchema } from "../peers/mikro-schema.ts";
import { finish, source } from "./finish.ts";

void main();

async function main(): Promise<void> {
  const orm = await MikroORM.init({ dbName: source, entities: [mikroSchema] });
  const found = await orm.em
    .fork()
    .find(mikroSchema, { shop: "shop-1" }, { orderBy: { sku: "asc" }, limit: 20 });
  finish(found.length);
}
