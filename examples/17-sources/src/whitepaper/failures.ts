import { createTables, defineEntity, SaveError, TableContext, text } from "@partita/core";
import { exponential, noRetry } from "@partita/core/rest";
import { type Chapter, codeOf, holds } from "../item.ts";
import { after, faulty } from "./faulty.ts";
import { Blog, october, post, readAgain } from "./model.ts";

export const failures: Chapter = {
  title: "9 Best practices",
  items: [
    holds("9.1 The first TableNotFound creates the table", 1, async ({ storage, name }) => {
      class Row extends defineEntity({
        table: `${name}Rows`,
        partitionKey: { a: text() },
        rowKey: { b: text() },
        properties: {},
      }) {}
      await using context = new TableContext(storage, { createTables: [Row] });
      context.create(Row, { a: "a", b: "b" });
      await context.saveChanges();
      return await context.query(Row).where({ a: "a" }).count();
    }),
    holds("9.1 Without that, a missing table is an error", "storage.table-not-found", ({ context, name }) => {
      class Row extends defineEntity({
        table: `${name}Rows`,
        partitionKey: { a: text() },
        rowKey: { b: text() },
        properties: {},
      }) {}
      return codeOf(() => context.query(Row).where({ a: "a" }).toArray());
    }),
    holds("9.1 Concurrent programs may create the same table", "no error", ({ storage }) =>
      codeOf(() => Promise.all([createTables(storage, [Blog]), createTables(storage, [Blog])])),
    ),
    holds("Many requests run concurrently", 20, async ({ storage, context, name }) => {
      await post(storage, name, 20);
      const keys = Array.from({ length: 20 }, (_, i) => ({ channel: name, postedOn: october(i + 1) }));
      return (await context.findMany(Blog, keys)).filter((blog) => blog !== undefined).length;
    }),
    holds(
      "A context is cheap, and each piece of work has its own",
      "entity.tracked-elsewhere",
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        const blog = await context.query(Blog).where({ channel: name }).single();
        return codeOf(() => new TableContext(storage).attach(blog, "*"));
      },
    ),
    after(
      "A busy service is asked again",
      "busy-before",
      "committed after 2",
      (_, blog) => void blog.rating++,
    ),
    after(
      "A reset connection is retried",
      "reset-before",
      "committed after 2",
      (_, blog) => void blog.rating++,
    ),
    after(
      "A timeout before the write is retried",
      "timeout-before",
      "committed after 2",
      (_, blog) => void blog.rating++,
    ),
    holds("Waits grow exponentially", [3, 3000, 30_000, 90_000], () => {
      const { attempts, minMs, delayMs, maxMs } = exponential();
      return [attempts, minMs, delayMs, maxMs];
    }),
    holds("Retries can be turned off", "rejected", async (place) => {
      const context = faulty(place, ["refused"], { retry: noRetry });
      context.create(Blog, { channel: place.name, postedOn: october(1), text: "" });
      const error = await context.saveChanges().catch((thrown: unknown) => thrown);
      return error instanceof SaveError ? error.results[0]?.outcome : "committed";
    }),
    holds("After a failed save, the context can be used and saved again", "Hello", async (place) => {
      const context = faulty(place, ["busy-before"], { retry: noRetry });
      context.create(Blog, { channel: place.name, postedOn: october(1), text: "Hello" });
      await codeOf(() => context.saveChanges());
      await context.saveChanges();
      return (await readAgain(place.storage, place.name, 1))?.text;
    }),
    holds(
      "Merge options decide how rows refresh tracked entities",
      ["old", "new"],
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        const blog = await context.query(Blog).where({ channel: name }).single();
        await new TableContext(storage).modify(Blog, blog, (each) => void (each.author = "new"));
        await context.query(Blog).where({ channel: name }).toArray();
        const appended = blog.author ?? "old";
        await context.query(Blog).where({ channel: name }).mergeOption("overwriteChanges").toArray();
        return [appended, blog.author];
      },
    ),
  ],
};
