// "The latest 10 of a channel" among 1,000,000 posts: one request, compared with the same range by hand on
// node:sqlite.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { newestFirst } from "@partita/core/keys";
import { compare, repeat } from "./compare.ts";

const total = Number(process.env["PARTITA_ROWS"] ?? 1_000_000);
const channels = 10;

class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), author: text(), rating: int32(), replies: int32() },
}) {}

const file = join(tmpdir(), `partita-latest-${process.pid}.db`);
const storage = await openStorage(`file:${file}`, { durability: "normal" });
await createTables(storage, [Post]);
await fill();

const database = new DatabaseSync(file, { readOnly: true });
const { name } = database
  .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rows%'")
  .get() as { name: string };
const select = database.prepare(`SELECT rk, body FROM ${name} WHERE pk = ? AND rk > '' ORDER BY rk LIMIT 10`);

const context = new TableContext(storage);
const ask = (channel: string) =>
  context
    .query(Post)
    .where((post) => post.channel.eq(channel))
    .mergeOption("noTracking")
    .take(10);
const again = Array.from({ length: channels }, (_, channel) => ask(`channel-${channel}`));
let turn = 0;
const next = (): string => `channel-${turn++ % channels}`;

const runs = 200;
console.log(
  `\n${String(ask("channel-3").explain())} · ${ask("channel-3").explain().requests.length} request`,
);
await compare({
  title: `Latest 10 of a channel among ${total.toLocaleString("en")} posts`,
  clock: "thread",
  rounds: 31,
  units: runs,
  warmMs: 1000,
  baseline: {
    name: "node:sqlite by hand, into the same class",
    run: repeat(runs, async () => check(byHand(next()))),
  },
  ours: [
    {
      name: "the same query again",
      target: { atMost: 1.4 },
      run: repeat(runs, async () => check(await (again[turn++ % channels] as (typeof again)[0]).toArray())),
    },
    {
      name: "the query written anew",
      target: { atMost: 1.7 },
      run: repeat(runs, async () => check(await ask(next()).toArray())),
    },
  ],
});

database.close();
await storage.close();
for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });

async function fill(): Promise<void> {
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
}

function byHand(channel: string): Post[] {
  return (select.all(channel) as unknown as { rk: string; body: string | Uint8Array }[]).map(
    ({ rk, body }) => {
      const stored = JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString()) as Stored;
      const postedOn = new Date(315_537_897_599_999 - Number(rk.slice(0, 15)) - 62_135_596_800_000);
      return new Post({ channel, postedOn, ...stored });
    },
  );
}

interface Stored {
  readonly text: string;
  readonly author: string;
  readonly rating: number;
  readonly replies: number;
}

function check(found: readonly Post[]): void {
  if (found.length !== 10) throw new Error(`Found ${found.length} posts.`);
}
