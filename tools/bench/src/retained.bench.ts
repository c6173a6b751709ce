// The memory retained for each tracked entity of 14 properties, including its key and its snapshot.
import { createTables, openStorage, TableContext } from "@partita/core";
import { Article, articleValues, pageText } from "./article.ts";
import { type MeasuredContender, reportRow } from "./report-row.ts";
import { storageOfPages } from "./stub-storage.ts";

const total = 10_000;
const pages = 10;
const rounds = 3;

const responses = Array.from({ length: pages }, (_, page) =>
  Buffer.from(pageText(total / pages, "plain", (page * total) / pages)),
);
const ofPages = storageOfPages(...responses);
const embedded = await openStorage("memory:");
await createTables(embedded, [Article]);
const writer = new TableContext(embedded);
for (let i = 0; i < total; i++) writer.add(new Article(articleValues(i)));
await writer.saveChanges();
writer.clear();

const most = { most: 1500 };
reportRow({
  title: "Kept for each tracked entity of 14 properties",
  unit: "bytes",
  counted: "heap and array buffers after collection",
  contenders: [
    await retained("the entity alone: untracked, from pages", "baseline", () => read(ofPages, "noTracking")),
    await retained("tracked, from pages of a service", "ours", () => read(ofPages, "appendOnly"), most),
    await retained("tracked, from the embedded store", "ours", () => read(embedded, "appendOnly"), most),
  ],
});
await embedded.close();

/** The retained memory while the result is held. */
async function retained(
  name: string,
  role: MeasuredContender["role"],
  make: () => Promise<unknown>,
  target?: MeasuredContender["target"],
): Promise<MeasuredContender> {
  const samples: number[] = [];
  // The first round compiles, and is not counted.
  for (let round = -1; round < rounds; round++) {
    const before = await used();
    const held = { value: (await make()) as unknown };
    if (round >= 0) samples.push(((await used()) - before) / total);
    held.value = undefined;
  }
  return { name, role, samples, target };
}

async function read(storage: typeof embedded, mergeOption: "noTracking" | "appendOnly"): Promise<unknown> {
  const context = new TableContext(storage);
  const found = await context.query(Article).where({ shop: "shop-1" }).mergeOption(mergeOption).toArray();
  if (found.length !== total) throw new Error(`Read ${found.length} rows.`);
  return [context, found];
}

/** Bytes on the heap, including array buffers, after all garbage is collected. */
async function used(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
