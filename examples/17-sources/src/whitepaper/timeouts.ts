import { TableContext } from "@partita/core";
import { type Chapter, codeOf, holds } from "../item.ts";
import { after } from "./faulty.ts";
import { Blog, october, post } from "./model.ts";

export const timeouts: Chapter = {
  title: "9.6 Errors after timeouts",
  items: [
    after(
      "An update that was applied before a timeout is no conflict (412)",
      "timeout-after",
      "committed after 2",
      (_, blog) => void blog.rating++,
    ),
    after(
      "A delete that was applied before a timeout is no failure (404)",
      "timeout-after",
      "committed after 2",
      (context, blog) => context.remove(blog),
    ),
    after(
      "An insert that was applied before a timeout is no failure (409)",
      "timeout-after",
      "committed after 2",
      (context, { channel }) => void context.create(Blog, { channel, postedOn: october(2), text: "new" }),
    ),
    holds(
      "Two programs that delete the same entity",
      "conflict.missing",
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        context.remove(await context.query(Blog).where({ channel: name }).single());
        const other = new TableContext(storage);
        other.removeByKey(Blog, { channel: name, postedOn: october(1) }, "*");
        await other.saveChanges();
        return codeOf(() => context.saveChanges());
      },
    ),
    holds("The second delete can be ignored", "no error", async ({ storage, context, name }) => {
      await post(storage, name, 1);
      context.remove(await context.query(Blog).where({ channel: name }).single());
      await new TableContext(storage).query(Blog).where({ channel: name }).removeAll();
      return codeOf(() => context.saveChanges({ removeMissing: "ignore" }));
    }),
  ],
};
