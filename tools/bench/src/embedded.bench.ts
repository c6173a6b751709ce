// The embedded store compared with other libraries on a file: reads partitions of 1,000 articles, and reads,
// changes and saves them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { articleValues } from "./article.ts";
import { compare, type Contender } from "./compare.ts";
import type { ArticleStore } from "./peers/article-store.ts";
import { openByHand } from "./peers/by-hand.ts";
import { openDrizzle } from "./peers/drizzle.ts";
import { openMikroStore } from "./peers/mikro.ts";
import { openPartita } from "./peers/partita.ts";
import { openTypeOrm } from "./peers/type-orm.ts";
import type { Target } from "./report.ts";

const [shops, perShop] = [10, 1_000];
const folder = mkdtempSync(join(tmpdir(), "partita-embedded-"));
const file = (name: string): string => join(folder, `${name}.db`);

const baseline = openByHand(file("by-hand"));
const ours = await openPartita(file("partita"));
const peers: readonly ArticleStore[] = [
  openDrizzle(file("drizzle"), "written anew"),
  openDrizzle(file("drizzle-prepared"), "prepared"),
  await openMikroStore(file("mikro")),
  await openTypeOrm(file("type-orm")),
];
const stores = [baseline, ours, ...peers];
for (const store of stores)
  for (let shop = 0; shop < shops; shop++)
    await store.insert(
      Array.from({ length: perShop }, (_, i) => articleValues(shop * perShop + i, `shop-${shop}`)),
    );

await compareStores(
  "read partitions of 1,000, tracked",
  "Embedded: read partitions of 1,000 entities of 16 properties, for each entity",
  "read",
  { peer: "Drizzle, written anew", atLeast: 0.9, goal: 1.2 },
);
await compareStores(
  "read, change, save 1,000",
  "Embedded: read partitions of 1,000 entities, change one property of each, save, for each entity",
  "sell",
  { peer: "Drizzle, written anew", atLeast: 3, goal: 4 },
);

for (const store of stores) await store.close();
rmSync(folder, { recursive: true });

async function compareStores(
  name: string,
  title: string,
  work: "read" | "sell",
  target: Target,
): Promise<void> {
  await compare({
    name,
    title,
    clock: "thread",
    rounds: 15,
    units: perShop,
    warmMs: 1000,
    sampleMs: 40,
    baseline: contender(baseline, work),
    ours: { ...contender(ours, work), target },
    peers: peers.map((peer) => contender(peer, work)),
  });
}

/** Uses the shops in turns. */
function contender(store: ArticleStore, work: "read" | "sell"): Contender {
  let turn = 0;
  return {
    name: store.name,
    async run() {
      const done = await store[work](`shop-${turn++ % shops}`);
      if (done !== perShop) throw new Error(`${store.name}: ${done} articles.`);
    },
  };
}
