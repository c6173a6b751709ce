import { createTables, defineEntity, int32, TableContext, text } from "@partita/core";
import { padded } from "@partita/core/keys";
import {
  type Budget,
  countedMemory,
  describeBudgets,
  type OpenPlace,
  pages,
} from "@partita/test-support/budgets";
import { anyText, definePatterns, pattern, type WatchedStorage, watchPartitions } from "../src/index.ts";

class Item extends defineEntity({
  table: "Items",
  partitionKey: { shop: text() },
  rowKey: { id: padded(6) },
  properties: { n: int32() },
}) {}

const patterns = definePatterns({
  "of a shop": pattern(Item, { shop: anyText() }, (query, values) => query.where(values), {
    atMost: "partition scan",
  }),
});

/** A storage whose partitions are watched, and a context that knows the patterns. */
interface Place {
  readonly watched: WatchedStorage;
  readonly context: TableContext;
}

const open: OpenPlace<Place> = async (counter, rows) => {
  const watched = watchPartitions(await countedMemory(counter));
  await createTables(watched, [Item]);
  await using setting = new TableContext(watched);
  for (let id = 0; id < rows; id++) setting.create(Item, { shop: "s", id, n: id });
  await setting.saveChanges();
  return { watched, context: new TableContext(watched, { patterns }) };
};

const budgets: readonly Budget<Place>[] = [
  [
    "read by a pattern",
    (rows) => ({ query: pages(rows) }),
    ({ context }) => patterns["of a shop"].query(context, { shop: "s" }).toArray(),
  ],
  ["plan a pattern", "none", async () => patterns["of a shop"].explain({ shop: "s" })],
  [
    "save a row that is watched",
    "1 write",
    ({ context }) => {
      context.create(Item, { shop: "s", id: 999_999, n: 1 });
      return context.saveChanges();
    },
  ],
  ["report the load", "none", async ({ watched }) => watched.load()],
];

describeBudgets([1, 1500], "rows", open, budgets);
