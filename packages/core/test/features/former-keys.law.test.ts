// Queries over rows of which some have been moved return the same as if all had been.
import { randomNumbers } from "@partita/testing";
import { moveRows } from "@partita/maintenance";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type Query,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { descending, month, newestFirst, padded, week } from "@partita/core/keys";

const post = {
  table: "Posts",
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), likes: int32().optional() },
} as const;
class PostByMonth extends defineEntity({
  ...post,
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
}) {}
class Post extends defineEntity({
  ...post,
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
  formerKeys: PostByMonth,
}) {}

class Score extends defineEntity({
  table: "Scores",
  partitionKey: { game: text() },
  rowKey: { player: text() },
  properties: { points: int32(), text: text(), likes: int32().optional() },
}) {}
/** By points: another order than that of the former keys. */
class Ranked extends defineEntity({
  table: "Ranking",
  partitionKey: { game: text() },
  rowKey: { points: descending(padded(6)), player: text() },
  properties: { text: text(), likes: int32().optional() },
  formerKeys: Score,
}) {}
/** The same classes once all is moved. */
class MovedPost extends defineEntity({
  ...post,
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
}) {}

const at = (n: number): Date => new Date(Date.UTC(2026, 0, 1) + n * 11 * 3_600_000);
const channels = ["c", "c1", "c-2"];

async function fill(storage: TableStorage, random: () => number, total: number): Promise<void> {
  await createTables(storage, [PostByMonth]);
  const context = new TableContext(storage);
  for (let n = 0; n < total; n++)
    context.create(PostByMonth, {
      channel: channels[Math.floor(random() * 3)] as string,
      postedOn: at(n),
      text: `t${n % 5}`,
      likes: Math.floor(random() * 10),
    });
  await context.saveChanges();
}

/** Moves some of the rows by saves. */
async function moveSome(storage: TableStorage, random: () => number, share: number): Promise<void> {
  const posts = await new TableContext(storage).query(PostByMonth).scan().toArray();
  for (const { channel, postedOn } of posts)
    if (random() < share)
      await new TableContext(storage).modify(
        Post,
        { channel, postedOn },
        (each) => void (each.text += ""),
        {},
      );
}

type Question = (query: Query<Post>) => Query<Post>;

function questionOf(random: () => number): { readonly ask: Question; readonly isScan: boolean } {
  const channel = channels[Math.floor(random() * 3)] as string;
  const [from, to] = [at(random() * 200), at(random() * 200)];
  const likes = Math.floor(random() * 10);
  const parts: Question[] = [];
  const isScan = random() < 0.2;
  if (!isScan) parts.push((query) => query.where({ channel }));
  if (random() < 0.5) parts.push((query) => query.where((each) => [each.postedOn.ge(from)]));
  if (random() < 0.3) parts.push((query) => query.where((each) => each.postedOn.lt(to)));
  if (random() < 0.3) parts.push((query) => query.where((each) => each.likes.gt(likes)));
  if (random() < 0.2) parts.push((query) => query.filterInMemory((each) => each.text !== "t1"));
  if (random() < 0.4) {
    const count = 1 + Math.floor(random() * 30);
    parts.push((query) => query.take(count));
  }
  if (isScan) parts.push((query) => query.scan());
  return { ask: (query) => parts.reduce((each, part) => part(each), query), isScan };
}

const plain = (posts: readonly Post[]): object[] =>
  posts.map(({ channel, postedOn, text: words, likes }) => ({ channel, postedOn, text: words, likes }));

test("200 questions over partly moved rows are answered as if all were moved: lists, pages, counts and order", async () => {
  const random = randomNumbers(20_261_127);
  let found = 0;
  for (let round = 0; round < 10; round++) {
    await using storage = await openStorage("memory:");
    await fill(storage, random, 120);
    await moveSome(storage, random, random() < 0.2 ? 0 : random());
    const questions = Array.from({ length: 20 }, () => questionOf(random));
    const answers: { readonly list: object[]; readonly pages: object[]; readonly count: number }[] = [];
    for (const { ask } of questions) {
      const asked = (): Query<Post> => ask(new TableContext(storage).query(Post));
      const list = plain(await asked().toArray());
      const pages: object[] = [];
      const size = 1 + Math.floor(random() * 20);
      for (let after: string | undefined; ;) {
        const page = await asked().page({ size, ...(after !== undefined && { after }) });
        expect(page.entities.length).toBeLessThanOrEqual(size);
        pages.push(...plain(page.entities));
        after = page.next;
        if (after === undefined) break;
        expect(page.entities).toHaveLength(size);
      }
      answers.push({ list, pages, count: await asked().count() });
    }
    const { isClean } = await moveRows(storage, PostByMonth, Post);
    expect(isClean).toBe(true);
    for (const [i, { ask }] of questions.entries()) {
      const moved = ask(new TableContext(storage).query(MovedPost) as never);
      const expected = plain(await moved.toArray());
      expect(answers[i]).toEqual({ list: expected, pages: expected, count: expected.length });
      found += expected.length;
    }
  }
  expect(found).toBeGreaterThan(1000);
});

test("entities come in the order of the new key, also where it is another one, and sorted and selected ones, too", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Score, Ranked]);
  const random = randomNumbers(7);
  const context = new TableContext(storage);
  for (let n = 0; n < 60; n++)
    context.create(Score, { game: "g", player: `p${n}`, points: Math.floor(random() * 1000), text: `t${n}` });
  await context.saveChanges();
  const scores = await new TableContext(storage).query(Score).where({ game: "g" }).toArray();
  for (const { player, points } of scores)
    if (random() < 0.5)
      await new TableContext(storage).modify(
        Ranked,
        { game: "g", player, points },
        (each) => void (each.likes = 1),
      );
  const ordered = scores.toSorted((a, b) => b.points - a.points || (a.player < b.player ? -1 : 1));
  const ranking = (): Query<Ranked> => new TableContext(storage).query(Ranked).where({ game: "g" });

  const all = await ranking().toArray();

  expect(all.map(({ player }) => player)).toEqual(ordered.map(({ player }) => player));
  expect((await ranking().take(7).toArray()).map(({ player }) => player)).toEqual(
    ordered.slice(0, 7).map(({ player }) => player),
  );
  const above = ordered.filter(({ points }) => points > 500);
  const query = ranking().where((each) => each.points.gt(500));
  expect((await query.toArray()).map(({ player }) => player)).toEqual(above.map(({ player }) => player));
  const selected = await ranking().select("player", "points").first();
  expect(selected).toMatchObject({ player: ordered[0]?.player, points: ordered[0]?.points });
  const sorted = await ranking().sortBy("text").take(3).toArray();
  expect(sorted.map(({ text: words }) => words)).toEqual(
    scores
      .map((each) => each.text)
      .toSorted()
      .slice(0, 3),
  );
  expect(await ranking().where({ player: "p3" }).exists()).toBe(true);
});

test("a query that runs while rows are moved returns each entity once", async () => {
  const random = randomNumbers(8);
  for (let round = 0; round < 10; round++) {
    await using storage = await openStorage("memory:");
    await fill(storage, random, 150);
    const moving = moveRows(storage, PostByMonth, Post);
    const lists: Promise<Post[]>[] = [];
    for (let i = 0; i < 10; i++) {
      lists.push(new TableContext(storage).query(Post).scan().toArray());
      await new Promise((resolve) => setImmediate(resolve));
    }
    const found = await Promise.all(lists);
    await moving;

    for (const posts of found) {
      expect(posts).toHaveLength(150);
      expect(new Set(posts.map(({ postedOn }) => postedOn.getTime())).size).toBe(150);
    }
  }
});

/** In a table of its own. */
class WeeklyPost extends defineEntity({
  ...post,
  table: "WeeklyPosts",
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
  formerKeys: PostByMonth,
}) {}

test.each([[Post], [WeeklyPost]])(
  "the latest posts of a channel take few requests, moved or not: %o",
  async (Class) => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [WeeklyPost]);
    await fill(storage, randomNumbers(9), 300);
    for (const isMoved of [false, true]) {
      if (isMoved) await moveRows(storage, PostByMonth, Class as typeof Post);
      let requests = 0;
      const context = new TableContext(storage, { hooks: { sending: () => void requests++ } });

      const latest = await context
        .query(Class as typeof Post)
        .where({ channel: "c" })
        .take(10)
        .toArray();

      expect(latest).toHaveLength(10);
      expect(requests).toBeLessThanOrEqual(3);
    }
  },
);

test("refuses what rows under two keys can't answer", async () => {
  await using storage = await openStorage("memory:");
  await fill(storage, randomNumbers(10), 5);
  const query = (): Query<Post> => new TableContext(storage).query(Post).where({ channel: "c" });

  for (const ask of [
    () => query().reverse().take(1).toArray(),
    () => query().inRowKeyOrder().toArray(),
    () => query().removeAll(),
    async () => {
      for await (const each of new TableContext(storage).partitions(Post, { channel: "c" }))
        expect(each).toBeUndefined();
    },
  ])
    await expect((async () => ask())()).rejects.toMatchObject({ code: "query.former-keys" });
});
