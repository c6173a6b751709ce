// The cost of a save in addition to its requests: comparing 1,000 to 1,000,000 unchanged tracked entities of
// 14 properties, and saving one among a million with `only` and with explicit tracking.
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import { Article, type ArticleValues, articleValues } from "./article.ts";
import { compare } from "./compare.ts";
import { type MeasuredContender, reportRow } from "./report-row.ts";

for (const total of [1000, 10_000, 100_000, 1_000_000]) await compareSave(total);

/** Saves a context of this many unchanged entities. */
async function compareSave(total: number): Promise<void> {
  const size = total.toLocaleString("en");
  await using storage = await openStorage("memory:");
  await createTables(storage, [Article]);
  await store(total, storage);
  const context = new TableContext(storage);
  const articles = await context.query(Article).where({ shop: "shop-1" }).toArray();
  const snapshots = articles.map(snapshotOf);
  await compare({
    name: `save nothing of ${size}`,
    title: `Save a context of ${size} entities without a change, for each entity`,
    clock: "thread",
    rounds: 11,
    units: total,
    baseline: {
      name: "by hand, field by field against snapshot values",
      run: () => {
        if (countByHand(articles, snapshots) !== 0) throw new Error("By hand, changes were found.");
      },
    },
    ours: {
      name: "Partita: saveChanges()",
      target: { atMost: 1.5 },
      run: async () => {
        if ((await context.saveChanges()).length > 0) throw new Error("Partita saved something.");
      },
    },
  });
}

async function store(total: number, storage: ConstructorParameters<typeof TableContext>[0]): Promise<void> {
  const step = 10_000;
  for (let from = 0; from < total; from += step) {
    const writer = new TableContext(storage);
    for (let i = from; i < Math.min(from + step, total); i++) writer.add(new Article(articleValues(i)));
    await writer.saveChanges();
  }
}

/** Milliseconds of dates, and a character for each byte, like Partita's snapshots. */
type SnapshotOfArticle = Omit<ArticleValues, "createdAt" | "changedAt" | "image"> & {
  readonly createdAt: number;
  readonly changedAt: number;
  readonly image: string;
};

function snapshotOf(article: Article): SnapshotOfArticle {
  const values = article as Readonly<Record<never, never>> as ArticleValues;
  const [createdAt, changedAt] = [article.createdAt.getTime(), article.changedAt.getTime()];
  return { ...values, createdAt, changedAt, image: Buffer.from(article.image).toString("latin1") };
}

function countByHand(articles: readonly Article[], snapshots: readonly SnapshotOfArticle[]): number {
  let changed = 0;
  for (let i = 0; i < articles.length; i++) {
    const [a, b] = [articles[i] as Article, snapshots[i] as SnapshotOfArticle];
    const isSame =
      a.shop === b.shop &&
      a.sku === b.sku &&
      a.name === b.name &&
      a.description === b.description &&
      a.maker === b.maker &&
      a.country === b.country &&
      a.price === b.price &&
      a.weight === b.weight &&
      a.stock === b.stock &&
      a.sold === b.sold &&
      a.views === b.views &&
      a.active === b.active &&
      a.createdAt.getTime() === b.createdAt &&
      a.changedAt.getTime() === b.changedAt &&
      a.id === b.id &&
      hasBytes(a.image, b.image);
    if (!isSame) changed++;
  }
  return changed;
}

function hasBytes(bytes: Uint8Array, text: string): boolean {
  if (bytes.length !== text.length) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text(), pages: int32() },
}) {}

const many = 1_000_000;
const saves = 200;
const storage = await openStorage("memory:");
await createTables(storage, [Note]);
const author = new TableContext(storage);
author.create(Note, { book: "stored", id: "1", title: "One", pages: 0 });
await author.saveChanges();

reportRow({
  name: "save one of a million",
  title: "Save one changed entity while 1,000,000 are tracked, over memory",
  contenders: [
    await saveOne("saveChanges({ only })", "automatic"),
    await saveOne('tracking: "explicit"', "explicit"),
  ],
});
await storage.close();

async function saveOne(name: string, tracking: "automatic" | "explicit"): Promise<MeasuredContender> {
  const large = new TableContext(storage, { tracking });
  const note = (await large.find(Note, { book: "stored", id: "1" })) as Note;
  for (let i = 1; i < many; i++)
    large.attach(new Note({ book: "other", id: String(i), title: "Other", pages: i }), 'W/"1"');
  const costs: number[] = [];
  for (let i = 0; i < 2 * saves; i++) {
    note.pages++;
    const begun = performance.now();
    if (tracking === "explicit") large.update(note, "pages");
    const results = await large.saveChanges(tracking === "explicit" ? {} : { only: [note] });
    costs.push((performance.now() - begun) * 1e6);
    if (results.length !== 1) throw new Error(`Partita saved ${results.length} entities.`);
  }
  // The first half compiles, and builds the map of all instances once.
  return { name, role: "ours", samples: costs.slice(saves), target: { most: 1_000_000 } };
}
