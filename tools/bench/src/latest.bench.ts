// "The latest 10 of a channel" among 1,000,000 posts: one request, beside the same range by hand on node:sqlite.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type StoredEntity,
  TableContext,
  text,
} from "@partita/core";
import { newestFirst } from "@partita/core/keys";

const total = 1_000_000;
const channels = 10;
const runs = 1000;

class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), author: text(), rating: int32(), replies: int32() },
}) {}

const file = join(tmpdir(), `partita-latest-${process.pid}.db`);
const storage = await openStorage(`file:${file}`, { durability: "normal" });
await createTables(storage, [Post]);
const start = Date.UTC(2008, 0, 1);
const entities = (channel: number, from: number): StoredEntity[] =>
  Array.from({ length: 100 }, (_, i) => ({
    PartitionKey: `channel-${channel}`,
    RowKey: newestFirst.encode(new Date(start + (from + i) * 60_000)) as string,
    text: `Post ${from + i} of channel ${channel}, as long as such posts are wont to be`,
    author: `author-${i}`,
    rating: i % 6,
    replies: i,
  }));
for (let from = 0; from < total / channels; from += 100)
  await Promise.all(
    Array.from({ length: channels }, (_, channel) =>
      storage.transact(
        "Posts",
        entities(channel, from).map((entity) => ({ type: "insert", entity })),
      ),
    ),
  );

const database = new DatabaseSync(file, { readOnly: true });
const { name } = database
  .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rows%'")
  .get() as {
  name: string;
};
const select = database.prepare(`SELECT rk, body FROM ${name} WHERE pk = ? AND rk > '' ORDER BY rk LIMIT 10`);

function byHand(channel: string): Post[] {
  return (select.all(channel) as unknown as { rk: string; body: string }[]).map(({ rk, body }) => {
    const stored = JSON.parse(body) as { text: string; author: string; rating: number; replies: number };
    const postedOn = new Date(315_537_897_599_999 - Number(rk.slice(0, 15)) - 62_135_596_800_000);
    return new Post({ channel, postedOn, ...stored });
  });
}

const merge = "noTracking";
const context = new TableContext(storage);
const ask = (channel: string): Promise<Post[]> =>
  context
    .query(Post)
    .where((post) => post.channel.eq(channel))
    .mergeOption(merge)
    .take(10)
    .toArray();
const asked = context.query(Post).where({ channel: "channel-3" }).mergeOption(merge).take(10);

console.log(
  `\nLatest 10 of a channel among ${total.toLocaleString("en")} posts, median of ${runs} warm runs (limit 1.5)`,
);
console.log(`  ${String(asked.explain())} · ${asked.explain().requests.length} request`);
const times: Record<"hand" | "asked" | "again", number[]> = { hand: [], asked: [], again: [] };
for (let run = -5000; run < runs; run++) {
  const channel = `channel-${(run + 5000) % channels}`;
  const took = [
    await timed(async () => byHand(channel)),
    await timed(() => ask(channel)),
    await timed(() => asked.toArray()),
  ] as const;
  if (run < 0) continue;
  for (const [i, key] of (["hand", "asked", "again"] as const).entries()) times[key].push(took[i] as number);
}
print("node:sqlite by hand, into the same class", times.hand);
print("Partita, the query written anew", times.asked);
print("Partita, the same query object again", times.again);
database.close();
await storage.close();
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

async function timed(work: () => Promise<Post[]>): Promise<number> {
  const started = performance.now();
  const found = await work();
  const ms = performance.now() - started;
  if (found.length !== 10) throw new Error(`Found ${found.length} posts.`);
  return ms;
}

function print(what: string, values: number[]): void {
  const median = (list: readonly number[]): number =>
    list.toSorted((a, b) => a - b)[list.length >> 1] as number;
  const ratio = median(values) / median(times.hand);
  console.log(
    `  ${(median(values) * 1000).toFixed(0).padStart(7)} µs  ${ratio.toFixed(2).padStart(6)} ×  ${what}`,
  );
}
