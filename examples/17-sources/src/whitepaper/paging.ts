import { type PageToken, TableContext } from "@partita/core";
import { type Chapter, holds } from "../item.ts";
import { Blog, october, post } from "./model.ts";

const days = (blogs: readonly Blog[]): number[] => blogs.map(({ postedOn }) => postedOn.getUTCDate());

export const paging: Chapter = {
  title: "6 Pagination",
  items: [
    holds("6.1 The top n entities", [5, 4], async ({ storage, context, name }) => {
      await post(storage, name, 5);
      return days(await context.query(Blog).where({ channel: name }).take(2).toArray());
    }),
    holds("6.1 The service reads no more than n rows", 2, async ({ storage, name }) => {
      await post(storage, name, 5);
      let rows = 0;
      const received = ({ entities = 0 }: { readonly entities?: number }): void => void (rows += entities);
      await using context = new TableContext(storage, { hooks: { received } });
      await context.query(Blog).where({ channel: name }).take(2).toArray();
      return rows;
    }),
    holds("6.2 A response has at most 1,000 entities", [1001, 2], async ({ storage, name }) => {
      await using writer = new TableContext(storage);
      for (let n = 0; n < 1001; n++)
        writer.create(Blog, { channel: name, postedOn: new Date(october(1).getTime() + n), text: "" });
      await writer.saveChanges();
      let requests = 0;
      await using context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
      return [(await context.query(Blog).where({ channel: name }).toArray()).length, requests];
    }),
    holds(
      "6.2 A continuation token continues with the next page",
      [[5, 4], [3, 2], [1]],
      async ({ storage, context, name }) => {
        await post(storage, name, 5);
        const pages: number[][] = [];
        let after: PageToken | undefined;
        do {
          const page = await context.query(Blog).where({ channel: name }).page({ size: 2, after });
          pages.push(days(page.entities));
          after = page.next;
        } while (after !== undefined);
        return pages;
      },
    ),
    holds(
      "6.2 A token is text for a URL, for another process",
      ["string", [3, 2]],
      async ({ storage, context, name }) => {
        await post(storage, name, 5);
        const { next } = await context.query(Blog).where({ channel: name }).page({ size: 2 });
        const after = decodeURIComponent(encodeURIComponent(String(next))) as PageToken;
        const page = await new TableContext(storage)
          .query(Blog)
          .where({ channel: name })
          .page({ size: 2, after });
        return [typeof next, days(page.entities)];
      },
    ),
    holds("6.2 The last page has no token", undefined, async ({ storage, context, name }) => {
      await post(storage, name, 2);
      return (await context.query(Blog).where({ channel: name }).page({ size: 2 })).next;
    }),
    holds(
      "6.2 Results that are deleted between pages are skipped",
      [2, 1],
      async ({ storage, context, name }) => {
        await post(storage, name, 5);
        const first = await context.query(Blog).where({ channel: name }).page({ size: 2 });
        const other = new TableContext(storage);
        other.removeByKey(Blog, { channel: name, postedOn: october(3) }, "*");
        await other.saveChanges();
        const rest = await context.query(Blog).where({ channel: name }).page({ size: 3, after: first.next });
        return days(rest.entities);
      },
    ),
    holds(
      "6.2 All results are read one by one, however many pages",
      5,
      async ({ storage, context, name }) => {
        await post(storage, name, 5);
        let count = 0;
        for await (const page of context.query(Blog).where({ channel: name }).pages({ size: 2 }))
          count += page.entities.length;
        return count;
      },
    ),
  ],
};
