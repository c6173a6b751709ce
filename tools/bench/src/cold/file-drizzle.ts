import Database from "better-sqlite3";
import { asc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { articles } from "../peers/drizzle-articles.ts";
import { finish, source } from "./finish.ts";

const db = drizzle({ client: new Database(source) });
const query = db
  .select()
  .from(articles)
  .where(eq(articles.shop, "shop-1"))
  .orderBy(asc(articles.sku))
  .limit(20);
finish(query.all().length);
