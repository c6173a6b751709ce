import { type Budget, describeBudgets, pages } from "@partita/test-support/budgets";
import { createTables } from "../../src/index.ts";
import {
  Book,
  classes,
  first,
  Item,
  Listed,
  openBooks,
  openItems,
  openListed,
  openOrders,
  openPlaces,
  Order,
  orderKey,
  Place,
  shop,
  type Shop,
} from "./shop.ts";

const queries = (rows: number): string => `${pages(rows)} query`;
const withParent = (rows: number): string => queries(rows + 1);

const drained = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
};

const keysEvery = (step: number): { shop: string; id: number }[] =>
  Array.from({ length: 100 }, (_, i) => ({ shop, id: i * step }));

const ofItems: readonly Budget<Shop>[] = [
  ["find a row", "1 get", ({ context }) => context.find(Item, first)],
  ["find a row that is not stored", "1 get", ({ context }) => context.find(Item, { shop, id: 999_999 })],
  [
    "find a row that the context has",
    "1 get",
    async ({ context }) => [await context.find(Item, first), await context.find(Item, first)],
  ],
  ["find one row by two equal keys", "1 get", ({ context }) => context.findMany(Item, [first, first])],
  ["find 100 rows with adjacent keys", "1 query", ({ context }) => context.findMany(Item, keysEvery(1))],
  ["find 100 rows with scattered keys", "100 get", ({ context }) => context.findMany(Item, keysEvery(999))],
  ["reload a row", "2 get", async ({ context }) => context.reload((await context.find(Item, first)) as Item)],
  ["query one row by its key", "1 get", ({ context }) => context.query(Item).where(first).toArray()],
  ["read the first row", "1 query", ({ context }) => context.query(Item).where({ shop }).first()],
  ["ask whether there is a row", "1 query", ({ context }) => context.query(Item).where({ shop }).exists()],
  ["take ten rows", "1 query", ({ context }) => context.query(Item).where({ shop }).take(10).toArray()],
  [
    "take the last ten rows",
    "1 query",
    ({ context }) => context.query(Item).where({ shop }).reverse().take(10).toArray(),
  ],
  ["read a page", "1 query", ({ context }) => context.query(Item).where({ shop }).page({ size: 50 })],
  ["read a partition", queries, ({ context }) => context.query(Item).where({ shop }).toArray()],
  ["stream a partition", queries, ({ context }) => drained(context.query(Item).where({ shop }).stream())],
  ["count a partition", queries, ({ context }) => context.query(Item).where({ shop }).count()],
  ["scan a table", queries, ({ context }) => context.query(Item).scan().toArray()],
  ["list the partitions", "2 query", ({ context }) => drained(context.partitions(Item))],
  ["create tables that exist", "6 createTable", ({ storage }) => createTables(storage, classes)],
];

const ofListed: readonly Budget<Shop>[] = [
  [
    "read through an index",
    "1 query",
    ({ context }) => context.query(Listed).where({ shop, n: 0 }).via("byN").toArray(),
  ],
  [
    "read all through an index",
    queries,
    ({ context }) => context.query(Listed).where({ shop }).via("byN").toArray(),
  ],
  [
    // The index row names the entity's row.
    "read through a unique index",
    "2 get",
    ({ context }) => context.query(Listed).where({ shop, name: "name 0" }).toArray(),
  ],
];

const ofOrders: readonly Budget<Shop>[] = [
  [
    "find an entity with its children",
    withParent,
    ({ context }) => context.find(Order, orderKey, { include: "lines" }),
  ],
  [
    "find entities with their children",
    withParent,
    ({ context }) => context.findMany(Order, [orderKey], { include: "lines" }),
  ],
  [
    "include the children of a query",
    withParent,
    ({ context }) =>
      context
        .query(Order)
        .where({ shop })
        .include((order) => order.lines)
        .toArray(),
  ],
];

const ofBooks: readonly Budget<Shop>[] = [
  ["find a row of an older version", "1 get", ({ context }) => context.find(Book, first)],
  ["read rows of an older version", queries, ({ context }) => context.query(Book).where({ shop }).toArray()],
];

const ofPlaces: readonly Budget<Shop>[] = [
  ["find a row by its former key", "2 get", ({ context }) => context.find(Place, first)],
  [
    "read rows under present and former keys",
    (rows) => ({ query: pages(rows) + 1 }),
    ({ context }) => context.query(Place).where({ shop }).toArray(),
  ],
];

const sizes = [1, 1100];
describeBudgets(sizes, "items", openItems, ofItems);
describeBudgets(sizes, "indexed rows", openListed, ofListed);
describeBudgets(sizes, "lines of an order", openOrders, ofOrders);
describeBudgets(sizes, "rows of an older version", openBooks, ofBooks);
describeBudgets(sizes, "rows under former keys", openPlaces, ofPlaces);
