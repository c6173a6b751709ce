import { TableContext } from "@partita/core";
import { hashBits } from "@partita/core/keys";
import { type Chapter, codeOf, holds, inPart } from "../item.ts";
import { Followers, Logs, News, Sharded, Users } from "./model.ts";

const minute = (n: number): Date => new Date(Date.UTC(2012, 4, 1, 10, n));

/** A number of news of a user, one a minute. */
async function writeNews(context: TableContext, user: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) context.create(News, { user, at: minute(n), text: `News ${n}` });
  await context.saveChanges();
}

export const keys: Chapter = {
  title: "Keys of lists",
  items: [
    holds("The latest of a list, by inverted ticks", [4, 3], async ({ context, name }) => {
      await writeNews(context, name, 5);
      const news = await context.query(News).where({ user: name }).take(2).toArray();
      return news.map(({ at }) => at.getUTCMinutes());
    }),
    holds("Inverted ticks have 19 digits", "2520", ({ context, name }) => {
      const news = context.create(News, { user: name, at: minute(0), text: "" });
      const key = context.entry(news).key?.rowKey ?? "";
      return key.length === 19 ? key.slice(0, 4) : key;
    }),
    holds("Part of a list between two times", [2, 1], async ({ context, name }) => {
      await writeNews(context, name, 5);
      const query = context
        .query(News)
        .where({ user: name })
        .where((n) => n.at.between(minute(1), minute(2)));
      return (await query.toArray()).map(({ at }) => at.getUTCMinutes());
    }),
    inPart(
      "The last n of an ascending list",
      "A service only reads forwards, so all rows of the range are read; the embedded store reads n",
      [4, 3],
      async ({ context, name }) => {
        const at = (n: number): Date => new Date(Date.UTC(2013, 0, 1, 0, 0, n) + hashOf(name) * 60_000);
        for (let n = 0; n < 5; n++) context.create(Logs, { at: at(n), text: "" });
        await context.saveChanges();
        const query = context.query(Logs).where((log) => log.at.between(at(0), at(5)));
        return (await query.last(2)).map((log) => log.at.getUTCSeconds()).toReversed();
      },
    ),
    holds(
      "A list of more than 1,000 entities takes several requests",
      [2001, 3],
      async ({ storage, name }) => {
        await using writer = new TableContext(storage);
        for (let n = 0; n < 2001; n++) writer.create(News, { user: name, at: minute(n), text: "" });
        await writer.saveChanges();
        let requests = 0;
        await using context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
        return [(await context.query(News).where({ user: name }).toArray()).length, requests];
      },
    ),
    holds("Partitions by the first bits of an MD5 hash", hashBits("ann", 8), ({ context }) => {
      const user = context.create(Users, { id: "ann" });
      return context.entry(user).key?.partitionKey ?? "";
    }),
    holds("Any number of bits, up to 128", 128, ({ context }) => {
      const row = context.create(Sharded, { id: "ann" });
      return context.entry(row).key?.partitionKey.length;
    }),
    holds("More than 128 bits are refused", "model.option", async () => {
      const { bucket } = await import("@partita/core/keys");
      return codeOf(() => bucket({ bits: 129 }));
    }),
    holds(
      "A user is found in its bucket by a point read",
      "point",
      ({ context }) => context.query(Users).where({ id: "ann" }).explain().type,
    ),
    holds("The hash is a function for other uses", ["0101", 128], () => [
      hashBits("hello", 4),
      hashBits("hello", 128).length,
    ]),
    holds("Partitions by a part of the user's id", "an", ({ context }) => {
      const row = context.create(Followers, { user: "ann" });
      return context.entry(row).key?.partitionKey;
    }),
    inPart(
      "A list of users with a prefix",
      "A prefix in the query doesn't choose the partition, so the query needs scan()",
      ["query.scan-refused", 2],
      async ({ context, name }) => {
        for (const user of [`${name}-a`, `${name}-b`]) context.create(Followers, { user });
        await context.saveChanges();
        const query = context.query(Followers).where((row) => row.user.startsWith(`${name}-`));
        return [await codeOf(() => query.count()), await query.scan().count()];
      },
    ),
    holds("Partitions by minute", "2012-05-01-10-07", ({ context }) => {
      const log = context.create(Logs, { at: minute(7), text: "" });
      return context.entry(log).key?.partitionKey;
    }),
    holds("Without a PartitionKey, a query is refused", "query.scan-refused", ({ context }) =>
      codeOf(() => context.query(Users).where({ email: "a@b" }).toArray()),
    ),
  ],
};

/** A number for the name of an item. */
const hashOf = (name: string): number => Number.parseInt(hashBits(name, 16), 2);
