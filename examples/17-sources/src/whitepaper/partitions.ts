import { defineEntity, TableContext, text } from "@partita/core";
import { stressPartition } from "@partita/testing";
import { type Chapter, codeOf, holds, notBuilt } from "../item.ts";
import { Blog, october, post } from "./model.ts";

class Person extends defineEntity({
  table: "People",
  partitionKey: { city: text(), zip: text() },
  rowKey: { name: text() },
  properties: {},
}) {}

export const partitions: Chapter = {
  title: "3 Partitioning tables",
  items: [
    holds("3.1.1 Entities of different partitions are written concurrently", 2, async ({ context, name }) => {
      for (const channel of [`${name}a`, `${name}b`])
        context.create(Blog, { channel, postedOn: october(1), text: "Hello" });
      return (await context.saveChanges({ concurrency: 2 })).length;
    }),
    notBuilt(
      "3.1.1 Partitions move to other servers under load",
      "The service does it; a client can't show it",
    ),
    holds("3.1.2 Entities of a partition are read together", [3, 1], async ({ storage, name }) => {
      await post(storage, name, 3);
      let requests = 0;
      await using context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
      return [(await context.query(Blog).where({ channel: name }).toArray()).length, requests];
    }),
    holds(
      "3.2 A query with the PartitionKey reads one partition",
      1,
      ({ context, name }) => context.query(Blog).where({ channel: name }).explain().partitions,
    ),
    holds("3.2 A query without the PartitionKey is a scan", "query.scan-refused", ({ context }) =>
      codeOf(() => context.query(Blog).where({ author: "Ann" }).toArray()),
    ),
    holds("A key is made of several properties", ["Seattle_98052", "Ann"], ({ context }) => {
      const person = context.create(Person, { city: "Seattle", zip: "98052", name: "Ann" });
      const key = context.entry(person).key;
      return [key?.partitionKey, key?.rowKey];
    }),
    holds("Changes of a partition are atomic", [0, "save.not-atomic"], async ({ context, name }) => {
      for (const channel of [`${name}a`, `${name}b`])
        context.create(Blog, { channel, postedOn: october(1), text: "Hello" });
      const code = await codeOf(() => context.saveChanges({ batch: "atomic" }));
      return [
        await context
          .query(Blog)
          .where({ channel: `${name}a` })
          .count(),
        code,
      ];
    }),
    holds("3.2.3 A stress test measures one partition", [true, true], async ({ storage, name }) => {
      const report = await stressPartition(storage, Blog, {
        partition: { channel: name },
        seconds: 1,
        rate: { from: 5, to: 10 },
        load: [
          {
            share: 1,
            run: (context, n) => void context.create(Blog, { channel: name, postedOn: october(n), text: "" }),
          },
        ],
      });
      return [report.steps.length > 0, report.mostServed > 0];
    }),
  ],
};
