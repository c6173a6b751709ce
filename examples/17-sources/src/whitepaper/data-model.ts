import { defineEntity, TableContext, text } from "@partita/core";
import { type Chapter, codeOf, holds } from "../item.ts";
import { Blog, october, post, Sample } from "./model.ts";

export const dataModel: Chapter = {
  title: "2 Table data model",
  items: [
    holds(
      "All eight types of properties are stored without loss",
      [
        [1, 2],
        true,
        "2008-10-01T00:00:00.000Z",
        7,
        "a455c695-df98-5678-aaaa-81d3367e5a34",
        -5,
        9_007_199_254_740_993n,
        "Grüße",
      ],
      async ({ storage, context, name }) => {
        context.create(Sample, {
          name,
          id: "1",
          bytes: Uint8Array.of(1, 2),
          flag: true,
          at: october(1),
          double: 7,
          guid: "a455c695-df98-5678-aaaa-81d3367e5a34",
          int: -5,
          long: 9_007_199_254_740_993n,
          text: "Grüße",
        });
        await context.saveChanges();
        const found = await new TableContext(storage).find(Sample, { name, id: "1" });
        const { bytes, flag, at, double, guid, int, long, text: words } = found ?? {};
        return [[...(bytes ?? [])], flag, at?.toISOString(), double, guid, int, long, words];
      },
    ),
    holds("PartitionKey and RowKey identify an entity", "conflict.exists", async ({ storage, name }) => {
      await post(storage, name, 1);
      return codeOf(() => post(storage, name, 1));
    }),
    holds("The system keeps the time of the last change", true, async ({ storage, context, name }) => {
      const sample = context.create(Sample, { name, id: "1" });
      await context.saveChanges();
      const first = (await new TableContext(storage).find(Sample, { name, id: "1" }))?.storedAt;
      sample.int = 1;
      await context.saveChanges();
      const second = (await new TableContext(storage).find(Sample, { name, id: "1" }))?.storedAt;
      return first !== undefined && second !== undefined && second >= first;
    }),
    holds("A key has at most 512 characters", "key.too-long", ({ context, name }) =>
      codeOf(async () => {
        context.create(Sample, { name, id: "x".repeat(513) });
        await context.saveChanges();
      }),
    ),
    holds("A key doesn't have / \\ # or ?", "key.forbidden-character", ({ context, name }) =>
      codeOf(async () => {
        context.create(Sample, { name, id: "a/b" });
        await context.saveChanges();
      }),
    ),
    holds("A text has at most 64 KiB", "property.too-large", ({ context, name }) =>
      codeOf(async () => {
        context.create(Sample, { name, id: "1", text: "x".repeat(32_769) });
        await context.saveChanges();
      }),
    ),
    holds("Bytes are at most 64 KiB", "property.too-large", ({ context, name }) =>
      codeOf(async () => {
        context.create(Sample, { name, id: "1", bytes: new Uint8Array(65_537) });
        await context.saveChanges();
      }),
    ),
    holds("An entity has at most 252 properties of its own", "model.too-many-properties", ({ context }) =>
      codeOf(() => {
        const properties = Object.fromEntries(Array.from({ length: 253 }, (_, i) => [`P${i}`, text()]));
        const keys = { partitionKey: { name: text() }, rowKey: { id: text() } };
        class Wide extends defineEntity({ table: "Wide", ...keys, properties }) {}
        return context.query(Wide).explain();
      }),
    ),
    holds(
      "A property without a value is not stored",
      ["PartitionKey", "RowKey"],
      async ({ storage, context, name }) => {
        context.create(Sample, { name, id: "1" });
        await context.saveChanges();
        const row = await storage.get("Samples", { partitionKey: name, rowKey: "1" });
        return Object.keys(row ?? {})
          .filter((key) => !/odata|Timestamp/.test(key))
          .toSorted();
      },
    ),
    holds("Entities of a table may have different properties", ["int", "text"], async ({ context, name }) => {
      context.create(Sample, { name, id: "1", text: "a" });
      context.create(Sample, { name, id: "2", int: 1 });
      await context.saveChanges();
      const rows = await context.query(Sample).where({ name }).toArray();
      return [rows.find(({ int }) => int === 1) && "int", rows.find(({ text }) => text === "a") && "text"];
    }),
    holds(
      "A table is sorted by PartitionKey and RowKey",
      ["1", "10", "2", "a"],
      async ({ context, name }) => {
        for (const id of ["a", "2", "10", "1"]) context.create(Sample, { name, id });
        await context.saveChanges();
        return (await context.query(Sample).where({ name }).toArray()).map(({ id }) => id);
      },
    ),
    holds(
      "The keys of an existing entity can't be changed",
      "entity.key-changed",
      async ({ storage, context, name }) => {
        await post(storage, name, 1);
        const blog = await context.find(Blog, { channel: name, postedOn: october(1) });
        if (blog !== undefined) blog.postedOn = october(2);
        return codeOf(() => context.saveChanges());
      },
    ),
  ],
};
