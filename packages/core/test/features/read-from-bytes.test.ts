import { expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  double,
  int32,
  openStorage,
  type TableStorage,
  TableContext,
  text,
} from "../../src/index.ts";

// Once a few hundred rows of a class were read, pages are read from their bytes: nothing else changes by that.

class Item extends defineEntity({
  table: "Items",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: {
    name: text(),
    price: double(),
    stock: int32().optional(),
    at: dateTime(),
    label: text().default("none"),
  },
}) {}

const count = 300;

async function stored(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Item]);
  const context = new TableContext(storage);
  for (let i = 0; i < count; i++) {
    const item = new Item({
      shop: "s",
      sku: String(i).padStart(4, "0"),
      name: `Item ${i} …`,
      price: i,
      at: new Date(i),
    });
    if (i % 3 === 0) item.stock = i;
    context.add(item);
  }
  await context.saveChanges();
  return storage;
}

/** The same storage, of which nobody gets bytes. */
const parsed = (storage: TableStorage): TableStorage => ({
  ...storage,
  description: storage.description,
  query: (table, query, options) => storage.query(table, query, options),
  get: (table, key, options) => storage.get(table, key, options),
  transact: (table, operations, options) => storage.transact(table, operations, options),
  write: (table, operation, options) => storage.write(table, operation, options),
});

async function streamed(query: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of query) all.push(item);
  return all;
}

test("lists, pages, streams, single rows and changes are as without it", async () => {
  await using storage = await stored();
  const all = (of: TableStorage): Promise<Item[]> =>
    new TableContext(of).query(Item).where({ shop: "s" }).toArray();
  const expected = await all(parsed(storage));
  for (let i = 0; i < 3; i++) expect(await all(storage)).toEqual(expected);
  const context = new TableContext(storage);
  const query = context.query(Item).where({ shop: "s" });
  const [of] = [expected[7] as Item];

  expect(await query.mergeOption("noTracking").toArray()).toEqual(expected);
  expect(await streamed(query)).toEqual(expected);
  expect((await query.page({ size: 10 })).entities).toEqual(expected.slice(0, 10));
  expect(await new TableContext(storage).query(Item).where({ shop: "s", sku: of.sku }).toArray()).toEqual([
    of,
  ]);
  expect(await new TableContext(storage).find(Item, { shop: "s", sku: of.sku })).toEqual(of);
  expect(await query.count()).toBe(count);
});

test("what was read from bytes is changed and saved as anything else", async () => {
  await using storage = await stored();
  const read = (): Promise<Item[]> => new TableContext(storage).query(Item).where({ shop: "s" }).toArray();
  await read();
  await read();
  const context = new TableContext(storage);
  const items = await context.query(Item).where({ shop: "s" }).toArray();
  (items[5] as Item).name = "changed";
  context.remove(items[6] as Item);

  // Nothing else differs from what was read.
  expect(await context.saveChanges()).toHaveLength(2);
  const after = await read();
  expect(after).toHaveLength(count - 1);
  expect(after[5]).toMatchObject({ name: "changed", price: 5 });
});
