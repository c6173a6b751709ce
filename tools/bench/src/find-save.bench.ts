// One entity is found, changed and saved in its own context, in memory and without HTTP.
import { DatabaseSync } from "node:sqlite";
import { createTables, openStorage, TableContext } from "@partita/core";
import { Article, articleValues } from "./article.ts";
import { decodeArticle, encodeArticle } from "./article-json.ts";
import { compare, repeat } from "./compare.ts";

const [total, runs] = [1_000, 500];
const skus = Array.from({ length: total }, (_, i) => articleValues(i).sku);
let turn = 0;
const nextSku = (): string => skus[turn++ % total] as string;

const database = new DatabaseSync(":memory:");
database.exec(
  "CREATE TABLE a (id INTEGER PRIMARY KEY, pk TEXT, rk TEXT, ts INTEGER, body TEXT, UNIQUE (pk, rk))",
);
const insert = database.prepare("INSERT INTO a (pk, rk, ts, body) VALUES (?, ?, ?, ?)");
const select = database.prepare("SELECT ts, body FROM a WHERE pk = ? AND rk = ?");
const update = database.prepare("UPDATE a SET ts = ?, body = ? WHERE pk = ? AND rk = ? AND ts = ?");

const storage = await openStorage("memory:");
await createTables(storage, [Article]);
const writer = new TableContext(storage);
for (let i = 0; i < total; i++) {
  const { shop, sku, ...rest } = articleValues(i);
  insert.run(shop, sku, i, encodeArticle(rest));
  writer.add(new Article(articleValues(i)));
}
await writer.saveChanges();

await compare({
  name: "find, change, save over memory",
  title: "Find, change and save one entity over memory, without HTTP",
  clock: "thread",
  rounds: 21,
  units: runs,
  warmMs: 2000,
  baseline: {
    name: "node:sqlite by hand: select, JSON, update under the version",
    run: repeat(runs, byHand),
  },
  ours: {
    name: "Partita: a new context, find(), saveChanges()",
    target: { atMost: 2, goal: 1.6 },
    run: repeat(runs, withPartita),
  },
});
await storage.close();
database.close();

async function byHand(): Promise<void> {
  const sku = nextSku();
  const row = select.get("shop-1", sku);
  const ts = Number(row?.["ts"]);
  const article = decodeArticle(String(row?.["body"]));
  article.stock += 1;
  const { changes } = update.run(ts + 1, encodeArticle(article), "shop-1", sku, ts);
  if (changes !== 1) throw new Error("By hand, nothing was saved.");
}

async function withPartita(): Promise<void> {
  const context = new TableContext(storage);
  const article = await context.find(Article, { shop: "shop-1", sku: nextSku() });
  (article as Article).stock += 1;
  if ((await context.saveChanges()).length !== 1) throw new Error("Partita saved nothing.");
}
