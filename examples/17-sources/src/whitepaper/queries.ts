import { type Query, TableContext } from "@partita/core";
import { type Chapter, holds, type Item, type Place } from "../item.ts";
import { Blog, october, post } from "./model.ts";

/** A condition, and the days of the blogs that it finds among those of ten days. */
const finds = (title: string, days: number[], ask: (blogs: Query<Blog>) => Query<Blog>): Item =>
  holds(title, days, async ({ storage, context, name }) => {
    await post(storage, name, 10);
    const found = await ask(context.query(Blog).where({ channel: name })).toArray();
    return found.map(({ postedOn }) => postedOn.getUTCDate());
  });

const planOf = ({ context, name }: Place, ask: (blogs: Query<Blog>) => Query<Blog>): string => {
  const { type, rating } = ask(context.query(Blog).where({ channel: name })).explain();
  return `${type} (${rating})`;
};

export const queries: Chapter = {
  title: "Querying",
  items: [
    finds("eq on a property", [3], (q) => q.where({ rating: 3 })),
    finds("ne", [3, 1], (q) => q.where((b) => b.rating.ne(2)).where((b) => b.rating.le(3))),
    finds("gt and lt", [5, 4], (q) => q.where((b) => b.rating.gt(3).and(b.rating.lt(6)))),
    finds("ge and le", [5, 4, 3], (q) => q.where((b) => b.rating.ge(3).and(b.rating.le(5)))),
    finds("or", [9, 1], (q) => q.where((b) => b.rating.eq(1).or(b.rating.eq(9)))),
    finds("not", [2, 1], (q) => q.where((b) => b.rating.gt(2).not())),
    finds("A range of the RowKey", [3, 2], (q) => q.where((b) => b.postedOn.between(october(2), october(3)))),
    finds("Take(n)", [10, 9], (q) => q.take(2)),
    holds("A range of the RowKey is no scan of the partition", "row range scan (good)", (place) =>
      planOf(place, (q) => q.where((b) => b.postedOn.ge(october(2)))),
    ),
    holds("Both keys are a point read", "point (best)", (place) =>
      planOf(place, (q) => q.where((b) => b.postedOn.eq(october(2)))),
    ),
    holds("A condition on a property reads the partition", "partition scan (fair)", (place) =>
      planOf(place, (q) => q.where({ rating: 3 })),
    ),
    holds("First", 3, async ({ storage, context, name }) => {
      await post(storage, name, 3);
      return (await context.query(Blog).where({ channel: name }).first())?.rating;
    }),
    holds("Filters are compared by the service, not after reading", [1, 1], async ({ storage, name }) => {
      await post(storage, name, 10);
      let rows = 0;
      const received = ({ entities = 0 }: { readonly entities?: number }): void => void (rows += entities);
      await using context = new TableContext(storage, { hooks: { received } });
      return [(await context.query(Blog).where({ channel: name, rating: 3 }).toArray()).length, rows];
    }),
  ],
};
