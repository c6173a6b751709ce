import { createTables, defineEntity, defineKind, int32, TableContext, text } from "@partita/core";
import { month, newestFirst, padded, week } from "@partita/core/keys";
import { moveRows } from "@partita/maintenance";
import { type Chapter, holds, notBuilt, type Place } from "../item.ts";
import { Blog, october, post, Rated } from "./model.ts";

class Monthly extends defineEntity({
  table: "MonthlyBlogs",
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
  rowKey: { postedOn: newestFirst },
  properties: {},
}) {}

class Weekly extends defineEntity({
  table: "WeeklyBlogs",
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
  rowKey: { postedOn: newestFirst },
  properties: {},
}) {}

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { blog: padded(4) },
  properties: {},
}) {}
class Post extends defineKind(Entry, {
  kind: "Post",
  properties: { text: text() },
  children: { comments: () => Comment },
}) {}
class Comment extends defineKind(Entry, {
  kind: "Comment",
  rowKey: { no: padded(4) },
  properties: { stars: int32() },
}) {}

/** A post with two comments. */
async function write(context: TableContext, channel: string): Promise<void> {
  context.create(Post, { channel, blog: 1, text: "Hello" });
  for (const no of [1, 2]) context.create(Comment, { channel, blog: 1, no, stars: no });
  await context.saveChanges();
}

const ready = ({ storage }: Place): Promise<unknown> =>
  createTables(storage, [Monthly, Weekly, Post, Comment]);

export const tips: Chapter = {
  title: "8 Tips and tricks",
  items: [
    holds("8.1 The latest entities first", [5, 4, 3], async ({ storage, context, name }) => {
      await post(storage, name, 5);
      const latest = await context.query(Blog).where({ channel: name }).take(3).toArray();
      return latest.map(({ postedOn }) => postedOn.getUTCDate());
    }),
    holds(
      "8.1 Sorted by rating, then by time, both descending",
      ["5 on 3", "5 on 1", "2 on 2"],
      async ({ context, name }) => {
        for (const [day, rating] of [
          [1, 5],
          [2, 2],
          [3, 5],
        ] as const)
          context.create(Rated, { channel: name, postedOn: october(day), rating });
        await context.saveChanges();
        const blogs = await context.query(Rated).via("byRating").where({ channel: name }).toArray();
        return blogs.map(({ rating, postedOn }) => `${rating} on ${postedOn.getUTCDate()}`);
      },
    ),
    holds("Entities by a prefix of the key", [2, "partition range scan"], async ({ context, name }) => {
      for (const channel of [`${name}-news-a`, `${name}-news-b`, `${name}-sport`])
        context.create(Blog, { channel, postedOn: october(1), text: "" });
      await context.saveChanges();
      const query = context.query(Blog).where((blog) => blog.channel.startsWith(`${name}-news`));
      return [await query.count(), query.explain().type];
    }),
    holds("Partitions by month", ["a_7991_03", "a_7991_02"], ({ context }) =>
      ["2008-10-03", "2008-11-03"].map((date) => {
        const blog = context.create(Monthly, { channel: "a", postedOn: new Date(date) });
        return context.entry(blog).key?.partitionKey;
      }),
    ),
    holds("Rows move from months to weeks", [true, 2], async (place) => {
      await ready(place);
      for (const day of [1, 20])
        place.context.create(Monthly, { channel: place.name, postedOn: october(day) });
      await place.context.saveChanges();
      const { isClean } = await moveRows(place.storage, Monthly, Weekly);
      const range = { channel: place.name };
      const moved = place.context
        .query(Weekly)
        .where(range)
        .where((b) => b.postedOn.between(october(1), october(31)));
      return [isClean, await moved.count()];
    }),
    notBuilt(
      "Partitions become finer by themselves",
      "A change of keys needs your decision: add a rule, or call moveRows",
    ),
    holds("Several kinds of entities in one table", ["Post", "Comment", "Comment"], async (place) => {
      await ready(place);
      await write(place.context, place.name);
      const rows = await new TableContext(place.storage)
        .query([Post, Comment])
        .where({ channel: place.name })
        .toArray();
      return rows.map((row) => row.constructor.name);
    }),
    holds("A blog and its comments in one request", [[1, 2], 1], async (place) => {
      await ready(place);
      await write(place.context, place.name);
      let requests = 0;
      await using context = new TableContext(place.storage, { hooks: { sending: () => void requests++ } });
      const found = context
        .query(Post)
        .where({ channel: place.name })
        .include((each) => each.comments);
      const { comments } = await found.single();
      return [comments.map(({ stars }) => stars), requests];
    }),
  ],
};
