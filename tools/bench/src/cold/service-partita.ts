import { openStorage, TableContext } from "@partita/core";
import { Article } from "../article.ts";
import { finish, source } from "./finish.ts";

void main();

async function main(): Promise<void> {
  const storage = await openStorage(source);
  const query = new TableContext(storage).query(Article).where({ shop: "shop-1" }).take(20);
  finish((await query.toArray()).length);
}
