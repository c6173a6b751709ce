import { expect, test } from "vitest";
import { createTables, defineEntity, openStorage, type Query, TableContext, text } from "../../src/index.ts";
import { padded } from "../../src/keys.ts";

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { list: text() },
  rowKey: { n: padded(2) },
  properties: {},
}) {}

const all = [0, 1, 2, 3, 4];

/** The same of a query and of a list. */
const steps = {
  nothing: [(query: Query<Entry>) => query, (list: readonly number[]) => list],
  reverse: [(query: Query<Entry>) => query.reverse(), (list: readonly number[]) => list.toReversed()],
  take: [(query: Query<Entry>) => query.take(3), (list: readonly number[]) => list.slice(0, 3)],
  "reverse and take": [
    (query: Query<Entry>) => query.reverse().take(3),
    (list: readonly number[]) => list.toReversed().slice(0, 3),
  ],
} as const;

for (const [name, [ofQuery, ofList]] of Object.entries(steps))
  test(`last returns the last entities that the query gives: after ${name}`, async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Entry]);
    const writer = new TableContext(storage);
    for (const n of all) writer.create(Entry, { list: "a", n });
    await writer.saveChanges();
    const query = ofQuery(new TableContext(storage).query(Entry).where({ list: "a" }));

    for (const count of [0, 1, 2, 3, 4, 9]) {
      const expected = count === 0 ? [] : ofList(all).slice(-count);
      expect((await query.last(count)).map(({ n }) => n)).toEqual(expected);
    }
    await expect(query.last(-1)).rejects.toMatchObject({ code: "query.take" });
  });
