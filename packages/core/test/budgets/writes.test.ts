import { type Budget, describeBudgets, pages, writesOf } from "@partita/test-support/budgets";
import { withFaults, writeFaults } from "@partita/testing";
import { createTables, TableContext } from "../../src/index.ts";
import { sendWith } from "../../src/internal.ts";
import {
  Book,
  first,
  Item,
  Line,
  Listed,
  newItem,
  openBooks,
  openItems,
  openListed,
  openOrders,
  openPlaces,
  Order,
  orderKey,
  Place,
  Sender,
  shop,
  type Shop,
} from "./shop.ts";

const found = async ({ context }: Shop): Promise<Item> => (await context.find(Item, first)) as Item;

/** Another writer changes the first item. */
const overtake = ({ storage }: Shop): Promise<unknown> =>
  storage.write("Items", {
    type: "merge",
    entity: { PartitionKey: shop, RowKey: "000000", name: "theirs" },
    etag: "*",
  });

/** Saves what `change` does to a context. */
const saved =
  (change: (context: TableContext) => unknown) =>
  async ({ context }: Shop): Promise<unknown> => {
    await change(context);
    return context.saveChanges();
  };

/** Saves 100 new items over so many partitions. */
const newItems = (partitions: number): ((place: Shop) => Promise<unknown>) =>
  saved((context) => {
    for (let id = 0; id < 100; id++) newItem(context, id, `shop ${id % partitions}`);
  });

const ofItems: readonly Budget<Shop>[] = [
  ["save nothing", "none", saved(() => undefined)],
  ["save a new row", "1 write", saved((context) => newItem(context, 1))],
  ["save two new rows", "1 transact", saved((context) => [newItem(context, 1), newItem(context, 2)])],
  ["save 100 new rows of one partition", "1 transact", newItems(1)],
  ["save 100 new rows of ten partitions", "10 transact", newItems(10)],
  ["save 100 new rows of 100 partitions", "100 write", newItems(100)],
  ["save a row that has not changed", "1 get", saved((context) => context.find(Item, first))],
  [
    "change a row",
    "1 get, 1 write",
    saved(async (context) => void (((await context.find(Item, first)) as Item).n = 5)),
  ],
  [
    "remove a row",
    "1 get, 1 write",
    saved(async (context) => context.remove((await context.find(Item, first)) as Item)),
  ],
  ["remove a row by its key", "1 write", saved((context) => context.removeByKey(Item, first, "*"))],
  [
    "upsert a row",
    "1 write",
    saved((context) => context.upsert(new Item({ ...first, name: "x", n: 1 }), "replace")),
  ],
  [
    "attach a row and change it",
    "1 write",
    saved((context) => void (context.attach(new Item({ ...first, name: "x", n: 1 }), "*").n = 5)),
  ],
  ["modify a row", "1 get, 1 write", ({ context }) => context.modify(Item, first, (item) => void item.n++)],
  [
    "modify a row, or create it",
    "1 get, 1 write",
    ({ context }) =>
      context.modify(Item, { shop, id: 999_999 }, (item) => void item.n++, {
        create: () => ({ name: "x", n: 0 }),
      }),
  ],
  [
    // The write of the other writer counts, too.
    "modify a row that another writer changes",
    "2 get, 3 write",
    async (place) => {
      let attempts = 0;
      await place.context.modify(Item, first, async (item) => {
        if (++attempts === 1) await overtake(place);
        item.n++;
      });
    },
  ],
  [
    "resolve a conflict",
    "2 get, 3 write",
    async (place) => {
      const item = await found(place);
      item.n = 5;
      await overtake(place);
      await place.context.saveChanges().catch(() => place.context.resolveConflict(item, "mine"));
      await place.context.saveChanges();
    },
  ],
  [
    // The retry is refused, and the get finds the row of the first attempt.
    "save a row whose response is lost",
    "1 get, 2 write",
    async ({ storage }) => {
      await using context = new TableContext(withFaults(storage, writeFaults("reset-after")));
      newItem(context, 1);
      await context.saveChanges();
    },
  ],
  [
    "save a row with a message",
    "1 transact",
    saved((context) =>
      sendWith(context, context.create(Sender, { shop, id: 1 }), {
        properties: { Letter: "hello" },
        bytes: 50,
        announce: async () => ({ properties: {}, end: async () => undefined }),
      }),
    ),
  ],
  [
    "update a partition",
    (rows) => ({ query: pages(rows), ...writesOf(rows) }),
    ({ context }) =>
      context
        .query(Item)
        .where({ shop })
        .updateAll((item) => void (item.n += 7)),
  ],
  [
    "update a partition that needs no change",
    (rows) => `${pages(rows)} query`,
    ({ context }) =>
      context
        .query(Item)
        .where({ shop })
        .updateAll(() => undefined),
  ],
  [
    "remove a partition",
    (rows) => ({ query: pages(rows), ...writesOf(rows) }),
    ({ context }) => context.query(Item).where({ shop }).removeAll(),
  ],
  [
    // The query asks whether an earlier table with this name left states of indexes.
    "create a table",
    "1 createTable, 1 deleteTable, 1 query",
    async ({ storage }) => {
      await storage.deleteTable("Items");
      await createTables(storage, [Item]);
    },
  ],
];

const ofListed: readonly Budget<Shop>[] = [
  [
    "save a new row with two index rows",
    "1 transact",
    saved((context) => context.create(Listed, { shop, id: 500_000, name: "new", n: 1 })),
  ],
  [
    // The refused transaction, the row that has the value, and the row that it names.
    "save a new row whose unique value is taken",
    "2 get, 1 transact",
    (place) =>
      saved((context) => context.create(Listed, { shop, id: 500_000, name: "name 0", n: 1 }))(place).catch(
        () => undefined,
      ),
  ],
  [
    "change an indexed value",
    "1 get, 1 transact",
    ({ context }) => context.modify(Listed, first, (row) => void (row.n = 77)),
  ],
  [
    // The second get checks that the index row of the old value is this entity's.
    "change a unique value",
    "2 get, 1 transact",
    ({ context }) => context.modify(Listed, first, (row) => void (row.name = "changed")),
  ],
  [
    "remove a row with a unique value",
    "2 get, 1 transact",
    saved(async (context) => context.remove((await context.find(Listed, first)) as Listed)),
  ],
  [
    "update the indexed values of a partition",
    (rows) => ({ query: pages(rows), ...writesOf(rows, 3) }),
    ({ context }) =>
      context
        .query(Listed)
        .where({ shop })
        .updateAll((row) => void (row.n += 100_000)),
  ],
  [
    // Each get checks that the index row of a unique value is this entity's.
    "remove a partition of indexed rows",
    (rows) => ({ get: rows, query: pages(rows), ...writesOf(rows, 3) }),
    ({ context }) => context.query(Listed).where({ shop }).removeAll(),
  ],
];

const ofOrders: readonly Budget<Shop>[] = [
  [
    "add a child to a list that is not loaded",
    "1 write",
    saved((context) => context.create(Line, { ...orderKey, no: 500_000, n: 1 })),
  ],
  [
    "add a child to a loaded list",
    (rows) => `${pages(rows + 1)} query, 1 write`,
    saved(async (context) => {
      const order = await context.find(Order, orderKey, { include: "lines" });
      order?.lines.push(new Line({ ...orderKey, no: 500_000, n: 1 }));
    }),
  ],
  [
    "remove an entity with its children",
    (rows) => ({ get: 1, query: pages(rows + 1), ...writesOf(rows + 1) }),
    saved(async (context) => context.removeFamily((await context.find(Order, orderKey)) as Order)),
  ],
];

const ofBooks: readonly Budget<Shop>[] = [
  [
    "change a row of an older version",
    "1 get, 1 write",
    ({ context }) => context.modify(Book, first, (book) => void book.n++),
  ],
  [
    "update rows of an older version",
    (rows) => ({ query: pages(rows), ...writesOf(rows) }),
    ({ context }) =>
      context
        .query(Book)
        .where({ shop })
        .updateAll((book) => void book.n++),
  ],
];

const ofPlaces: readonly Budget<Shop>[] = [
  [
    // The save looks for the row again, reads both keys, moves the row and changes it.
    "change a row under its former key",
    "5 get, 1 transact, 1 write",
    ({ context }) => context.modify(Place, first, (place) => void place.n++),
  ],
];

const sizes = [1, 1100];
describeBudgets(sizes, "items", openItems, ofItems);
describeBudgets(sizes, "indexed rows", openListed, ofListed);
describeBudgets(sizes, "lines of an order", openOrders, ofOrders);
describeBudgets(sizes, "rows of an older version", openBooks, ofBooks);
describeBudgets(sizes, "rows under former keys", openPlaces, ofPlaces);
