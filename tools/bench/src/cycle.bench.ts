// The complete embedded cycle: insert 10,000, read 10,000 tracked, change 1,000, save.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createTables, openStorage, TableContext } from "@partita/core";
import { Article, articleValues } from "./article.ts";
import { decodeArticle, encodeArticle } from "./article-json.ts";
import { compare } from "./compare.ts";
import { openMikro } from "./peers/mikro.ts";
import { mikroSchema } from "./peers/mikro-schema.ts";

const total = 10_000;
const file = join(tmpdir(), `partita-cycle-${process.pid}.db`);

function freshFile(): string {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  return file;
}

async function withPartita(): Promise<void> {
  await using storage = await openStorage(`file:${freshFile()}`);
  await createTables(storage, [Article]);
  const writer = new TableContext(storage);
  for (let i = 0; i < total; i++) writer.add(new Article(articleValues(i)));
  await writer.saveChanges();
  const context = new TableContext(storage);
  const articles = await context.query(Article).where({ shop: "shop-1" }).toArray();
  for (let i = 0; i < total; i += 10) (articles[i] as Article).stock += 1;
  await context.saveChanges();
}

async function byHand(): Promise<void> {
  const database = new DatabaseSync(freshFile());
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, pk TEXT, rk TEXT, ts INTEGER, body TEXT, UNIQUE (pk, rk))",
  );
  const insert = database.prepare("INSERT INTO a (pk, rk, ts, body) VALUES (?, ?, ?, ?)");
  inHundreds(
    database,
    Array.from({ length: total }, (_, i) => i),
    (i) => {
      const { shop, sku, ...rest } = articleValues(i);
      insert.run(shop, sku, i, encodeArticle(rest));
    },
  );
  const rows = database.prepare("SELECT pk, rk, ts, body FROM a WHERE pk = ? ORDER BY pk, rk").all("shop-1");
  const articles = rows.map((row) => ({
    ...decodeArticle(String(row["body"])),
    rk: String(row["rk"]),
    ts: Number(row["ts"]),
  }));
  const changed = articles.filter((_, i) => i % 10 === 0);
  for (const article of changed) article.stock += 1;
  const update = database.prepare("UPDATE a SET ts = ?, body = ? WHERE pk = ? AND rk = ? AND ts = ?");
  inHundreds(database, changed, ({ rk, ts, ...rest }) =>
    update.run(ts + 1, encodeArticle(rest), "shop-1", rk, ts),
  );
  database.close();
}

function inHundreds<Item>(database: DatabaseSync, items: readonly Item[], work: (item: Item) => void): void {
  for (let from = 0; from < items.length; from += 100) {
    database.exec("BEGIN IMMEDIATE");
    for (const item of items.slice(from, from + 100)) work(item);
    database.exec("COMMIT");
  }
}

async function withMikro(): Promise<void> {
  const orm = await openMikro(freshFile());
  const seeding = orm.em.fork();
  for (let i = 0; i < total; i++) seeding.create(mikroSchema, articleValues(i) as never);
  await seeding.flush();
  const em = orm.em.fork();
  const articles = await em.find(mikroSchema, {}, { orderBy: { sku: "asc" } });
  for (let i = 0; i < total; i += 10) (articles[i] as { stock: number }).stock += 1;
  await em.flush();
  await orm.close();
}

await compare({
  title: "Embedded: insert 10,000, read them tracked, change 1,000, save",
  clock: "process",
  rounds: 7,
  warmMs: 1000,
  baseline: { name: "node:sqlite by hand, transactions of 100", run: byHand },
  ours: { name: "Partita", target: { atMost: 1.7, goal: 1.5 }, run: withPartita },
  peers: [{ name: "MikroORM over better-sqlite3", run: withMikro }],
});
freshFile();
