import { SaveError, TableContext } from "@partita/core";
import { type Chapter, codeOf, holds, type Place } from "../item.ts";
import { register, Runner, Track } from "./model.ts";

/** The RowKeys of all rows of a race, those of indexes included. */
async function rowKeys({ storage, name }: Place): Promise<string[]> {
  const literal = { edm: "Edm.String", value: `${name}__Full` } as const;
  const { entities } = await storage.query("Races", { filter: { op: "eq", name: "PartitionKey", literal } });
  return entities.map(({ RowKey }) => RowKey);
}

export const keys: Chapter = {
  title: "Keys",
  items: [
    holds(
      "PartitionKey and RowKey are made of several values",
      ["2011 New York City Marathon__Full", "BIB:01234__John__M__55"],
      ({ context }) => {
        const race = { race: "2011 New York City Marathon", distance: "Full" };
        const runner = context.create(Runner, { ...race, bib: 1234, name: "John", gender: "M", age: 55 });
        const key = context.entry(runner).key;
        return [key?.partitionKey, key?.rowKey];
      },
    ),
    holds(
      "The values are read back from the key",
      [1, "Runner 1", "M", 21],
      async ({ storage, context, name }) => {
        await register(storage, name, 1);
        const runner = await context.query(Runner).where({ race: name, distance: "Full" }).single();
        return [runner.bib, runner.name, runner.gender, runner.age];
      },
    ),
    holds("Padded numbers sort as numbers, not as text", [2, 10, 111], async ({ context, name }) => {
      for (const bib of [111, 10, 2])
        context.create(Runner, { race: name, distance: "Full", bib, name: "A", gender: "F", age: 30 });
      await context.saveChanges();
      const runners = await context.query(Runner).where({ race: name, distance: "Full" }).toArray();
      return runners.map(({ bib }) => bib);
    }),
    holds("A number that doesn't fit is refused", "key.invalid-part", ({ context, name }) =>
      codeOf(async () => {
        const keys = { race: name, distance: "Full", bib: 100_000, name: "A", gender: "F", age: 30 };
        context.create(Runner, keys);
        await context.saveChanges();
      }),
    ),
    holds(
      "The same entity is stored under several RowKeys, with prefixes",
      [
        "AGE:021__00001__Runner 1__M",
        "BIB:00001__Runner 1__M__21",
        "CLUB:Club 1__BIB:00001__Runner 1__M__21",
        "MAIL:1@example.org",
      ],
      async (place) => {
        await register(place.storage, place.name, 1);
        return rowKeys(place);
      },
    ),
    holds("They are inserted as one transaction", ["transact"], async ({ storage, name }) => {
      const sent: string[] = [];
      await using context = new TableContext(storage, {
        hooks: { sending: ({ type }) => void sent.push(type) },
      });
      context.create(Runner, { race: name, distance: "Full", bib: 1, name: "A", gender: "F", age: 30 });
      await context.saveChanges();
      return sent.slice(-1);
    }),
    holds(
      "They change and go with the entity",
      ["AGE:031__00001__A__F", "BIB:00001__A__F__31"],
      async (place) => {
        const { context, name } = place;
        const key = { race: name, distance: "Full", bib: 1, name: "A", gender: "F" };
        const runner = context.create(Runner, { ...key, age: 30, club: "C" });
        await context.saveChanges();
        context.remove(runner);
        context.create(Runner, { ...key, age: 31 });
        await context.saveChanges();
        return rowKeys(place);
      },
    ),
    holds(
      "A unique e-mail address in a race",
      ["conflict.unique", ["email"]],
      async ({ storage, context, name }) => {
        await register(storage, name, 1);
        const key = { race: name, distance: "Full", bib: 2, name: "A", gender: "F", age: 30 };
        context.create(Runner, { ...key, email: "1@example.org" });
        const error = await context.saveChanges().catch((thrown: unknown) => thrown);
        const [conflict] = error instanceof SaveError ? error.conflicts : [];
        return [conflict?.error.code, conflict?.error.unique?.properties];
      },
    ),
    holds(
      "A partition for each entity: no hot partition, and no transaction",
      [2, "save.not-atomic"],
      async ({ context, name }) => {
        const tracks = ["a", "b"].map((title) => context.create(Track, { artist: name, title }));
        const code = await codeOf(() => context.saveChanges({ batch: "atomic" }));
        return [new Set(tracks.map((track) => context.entry(track).key?.partitionKey)).size, code];
      },
    ),
    holds("One partition for a table: everything in one transaction", 3, async ({ context, name }) => {
      for (const bib of [1, 2, 3])
        context.create(Runner, { race: name, distance: "Full", bib, name: "A", gender: "F", age: 30 });
      return (await context.saveChanges({ batch: "atomic" })).length;
    }),
  ],
};
