import { createTables, defineEntity, openStorage, TableContext, text } from "@partita/core";
import { startTableServer } from "@partita/server";
import { type Chapter, codeOf, holds } from "../item.ts";
import { Blog, october, post, readAgain } from "./model.ts";

export const programming: Chapter = {
  title: "4 Programming tables",
  items: [
    holds("4.1 A program adds headers to each request", true, async () => {
      const paths: string[] = [];
      await using server = await startTableServer();
      await using storage = await openStorage(server.connectionString, {
        headers: ({ path }) => {
          paths.push(path);
          return { "x-program": "blogs" };
        },
      });
      await createTables(storage, [Blog]);
      return paths.length > 0;
    }),
    holds(
      "A class declares the properties of its key",
      ["Channel9", "2521794455999999999"],
      ({ context, name }) => {
        const blog = context.create(Blog, {
          channel: "Channel9",
          postedOn: new Date("2008-10-01T10:00:00Z"),
          text: name,
        });
        const key = context.entry(blog).key;
        return [key?.partitionKey, key?.rowKey];
      },
    ),
    holds("createTables creates missing tables only", [["T"], []], async ({ storage, name }) => {
      class Row extends defineEntity({
        table: `${name}Table`,
        partitionKey: { a: text() },
        rowKey: { b: text() },
        properties: {},
      }) {}
      const created = [await createTables(storage, [Row]), await createTables(storage, [Row])];
      return created.map((tables) => tables.map(() => "T"));
    }),
    holds("Tables are listed and deleted", [true, false], async ({ storage, name }) => {
      await storage.createTable(`${name}Other`);
      const before = (await storage.listTables()).includes(`${name}Other`);
      await storage.deleteTable(`${name}Other`);
      return [before, (await storage.listTables()).includes(`${name}Other`)];
    }),
    holds("Insert a blog", "Blog 1", async ({ storage, name }) => {
      await post(storage, name, 1);
      return (await readAgain(storage, name, 1))?.text;
    }),
    holds("Query the blogs of a channel", 3, async ({ storage, context, name }) => {
      await post(storage, name, 3);
      return (await context.query(Blog).where({ channel: name }).toArray()).length;
    }),
    holds(
      "Update a blog: only changed properties are sent",
      ["merge", 5],
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        const blog = await context.find(Blog, { channel: name, postedOn: october(1) });
        if (blog !== undefined) blog.rating = 5;
        const [result] = await context.saveChanges();
        return [result?.operation, (await readAgain(storage, name, 1))?.rating];
      },
    ),
    holds("Replace a blog", "replace", async ({ storage, context, name }) => {
      await post(storage, name, 1);
      const blog = await context.find(Blog, { channel: name, postedOn: october(1) });
      if (blog !== undefined) blog.rating = 5;
      return (await context.saveChanges({ update: "replace" }))[0]?.operation;
    }),
    holds(
      "A merge keeps properties that the class doesn't declare",
      "kept",
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        const blog = await context.find(Blog, { channel: name, postedOn: october(1) });
        const key = blog && context.entry(blog).key;
        if (blog === undefined || key === undefined) return undefined;
        const entity = { PartitionKey: key.partitionKey, RowKey: key.rowKey, Legacy: "kept" };
        await storage.write("Blogs", { type: "merge", entity, etag: "*" });
        await context.modify(Blog, blog, (each) => void each.rating++);
        return (await storage.get("Blogs", key))?.["Legacy"];
      },
    ),
    holds("Delete a blog", undefined, async ({ storage, context, name }) => {
      await post(storage, name, 1);
      const blog = await context.find(Blog, { channel: name, postedOn: october(1) });
      if (blog !== undefined) context.remove(blog);
      await context.saveChanges();
      return readAgain(storage, name, 1);
    }),
    holds("Delete a blog without reading it", undefined, async ({ storage, context, name }) => {
      await post(storage, name, 1);
      context.removeByKey(Blog, { channel: name, postedOn: october(1) }, "*");
      await context.saveChanges();
      return readAgain(storage, name, 1);
    }),
    holds("Changes of a partition are one transaction", ["transact"], async ({ storage, name }) => {
      const sent: string[] = [];
      await using context = new TableContext(storage, {
        hooks: { sending: ({ type }) => void sent.push(type) },
      });
      for (const day of [1, 2, 3]) context.create(Blog, { channel: name, postedOn: october(day), text: "" });
      await context.saveChanges({ batch: "atomic" });
      return sent;
    }),
    holds("A transaction has at most 100 operations", "save.not-atomic", ({ context, name }) => {
      for (let day = 1; day <= 101; day++)
        context.create(Blog, { channel: name, postedOn: october(day), text: "" });
      return codeOf(() => context.saveChanges({ batch: "atomic" }));
    }),
    holds("More changes are divided into transactions", 2, async ({ storage, name }) => {
      let requests = 0;
      await using context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
      for (let day = 1; day <= 101; day++)
        context.create(Blog, { channel: name, postedOn: october(day), text: "" });
      await context.saveChanges();
      return requests;
    }),
    holds(
      "If one operation fails, nothing of the transaction is stored",
      [1, "conflict.exists"],
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        for (const day of [1, 2, 3])
          context.create(Blog, { channel: name, postedOn: october(day), text: "" });
        const code = await codeOf(() => context.saveChanges());
        return [await new TableContext(storage).query(Blog).where({ channel: name }).count(), code];
      },
    ),
    holds("An entity appears once in a transaction", "entity.duplicate-key", ({ context, name }) =>
      codeOf(() => {
        for (const text of ["a", "b"]) context.create(Blog, { channel: name, postedOn: october(1), text });
      }),
    ),
  ],
};
