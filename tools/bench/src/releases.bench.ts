// A class that supports an older version, compared with the same class without support: reading, and finding,
// changing and saving.
import {
  createTables,
  dateTime,
  defineEntity,
  double,
  int32,
  openStorage,
  TableContext,
  text,
  type TableStorage,
} from "@partita/core";
import { add, rename, retype, upgrades } from "@partita/core/upgrades";
import { compare, repeat } from "./compare.ts";

const shared = {
  title: text(),
  note: text(),
  author: text(),
  stock: int32(),
  weight: double(),
  madeOn: dateTime(),
};
const chain = upgrades({ ...shared, Qty: int32(), Price: text() }).to(
  2,
  rename("Qty", "Quantity"),
  add("State", text(), "open"),
  retype("Price", "Cents", int32(), (price: string) => Math.round(Number(price) * 100), {
    back: (cents) => (cents / 100).toFixed(2),
  }),
);
const declared = {
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { ...shared, Quantity: int32(), State: text(), Cents: int32() },
} as const;
class Alone extends defineEntity({ ...declared, version: chain }) {}
class Supporting extends defineEntity({ ...declared, version: chain.supports(1) }) {}
type Order = typeof Alone | typeof Supporting;

const [total, runs] = [1_000, 300];
const idOf = (i: number): string => String(i).padStart(6, "0");

async function filled(of: Order, storage: TableStorage): Promise<TableStorage> {
  await createTables(storage, [of]);
  const context = new TableContext(storage);
  for (let i = 0; i < total; i++)
    context.create(of, {
      shop: "s",
      id: idOf(i),
      title: `Order ${i}`,
      note: `Note ${i}, as long as notes usually are`,
      author: `author-${i % 100}`,
      stock: i,
      weight: i / 7,
      madeOn: new Date(Date.UTC(2026, 0, 1, 0, 0, i)),
      Quantity: i % 9,
      State: "open",
      Cents: 100 + i,
    });
  await context.saveChanges();
  return storage;
}

async function work(
  of: Order,
): Promise<{ read: () => Promise<void>; save: () => Promise<void>; change: () => Promise<void> }> {
  const storage = await filled(of, await openStorage("memory:"));
  let turn = 0;
  const saving = (change: (order: InstanceType<Order>) => void) => async (): Promise<void> => {
    const context = new TableContext(storage);
    const order = (await context.find(of, { shop: "s", id: idOf(turn++ % total) })) as InstanceType<Order>;
    change(order);
    if ((await context.saveChanges()).length !== 1) throw new Error("Nothing was saved.");
  };
  return {
    read: async () => {
      const found = await new TableContext(storage).query(of).where({ shop: "s" }).toArray();
      if (found.length !== total) throw new Error(`Read ${found.length} rows.`);
    },
    save: saving((order) => void (order.stock += 1)),
    change: saving((order) => void (order.Cents += 1)),
  };
}

const [alone, supporting] = [await work(Alone), await work(Supporting)];
await compare({
  name: "read rows beside an older release",
  title: "Read 1,000 rows of a class that supports an older version, for each row",
  clock: "thread",
  rounds: 21,
  units: total,
  baseline: { name: "the class alone", run: alone.read },
  ours: { name: "with supports(1)", target: { atMost: 1.1 }, run: supporting.read },
});
await compare({
  name: "save beside an older release",
  title: "Find, change and save an entity of a class that supports an older version",
  clock: "thread",
  rounds: 21,
  units: runs,
  baseline: { name: "the class alone", run: repeat(runs, alone.save) },
  ours: [
    {
      name: "with supports(1), a shared property",
      target: { atMost: 1.25 },
      run: repeat(runs, supporting.save),
    },
    {
      name: "with supports(1), one of another type",
      target: { atMost: 1.25 },
      run: repeat(runs, supporting.change),
    },
  ],
});
