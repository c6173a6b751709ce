import { describe, expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  type EntityClass,
  int32,
  int64,
  openStorage,
  type SaveOptions,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { modelOf } from "../../src/models.ts";
import { add, join, remove, rename, retype, split, upgrades } from "../../src/upgrades.ts";

const keys = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: text() } } as const;
const chain = upgrades({ Qty: int32(), Name: text(), Rating: text() })
  .to(2, rename("Qty", "Quantity"), add("State", text(), "open"))
  .to(3, remove("Rating"))
  .to(4, { Quantity: int64(), Name: text(), State: text() }, (row) => ({
    ...row,
    Quantity: BigInt(row.Quantity),
  }))
  .to(
    5,
    split("Name", { First: text(), Last: text() }, (name: string) => {
      const [First = "", Last = ""] = name.split(" ");
      return { First, Last };
    }),
  );

class First extends defineEntity({
  ...keys,
  version: 1,
  properties: { Qty: int32(), Name: text(), Rating: text() },
}) {}
class Third extends defineEntity({
  ...keys,
  version: upgrades({ Qty: int32(), Name: text(), Rating: text() })
    .to(2, rename("Qty", "Quantity"), add("State", text(), "open"))
    .to(3, remove("Rating")),
  properties: { Quantity: int32(), Name: text(), State: text() },
}) {}
class Order extends defineEntity({
  ...keys,
  version: chain,
  properties: { quantity: int64().named("Quantity"), State: text(), First: text(), Last: text() },
}) {}

const key = (id: string) => ({ partitionKey: "s", rowKey: id });
const rows: readonly StoredEntity[] = [
  // Before versions were stored; with a property nobody knows.
  {
    PartitionKey: "s",
    RowKey: "0",
    Qty: 1,
    Name: "Ann Lee",
    Rating: "A",
    Extra: "kept",
    "Seen@odata.type": "Edm.DateTime",
    Seen: "2013-08-02T17:37:43.9004348Z",
  },
  { PartitionKey: "s", RowKey: "1", SchemaVersion: 1, Qty: 2, Name: "Bo Day", Rating: "B" },
  {
    PartitionKey: "s",
    RowKey: "2",
    SchemaVersion: 2,
    Quantity: 3,
    Name: "Cy Fox",
    Rating: "C",
    State: "done",
  },
  { PartitionKey: "s", RowKey: "3", SchemaVersion: 3, Quantity: 4, Name: "Di Gray", State: "open" },
  {
    PartitionKey: "s",
    RowKey: "4",
    SchemaVersion: 4,
    "Quantity@odata.type": "Edm.Int64",
    Quantity: "5",
    Name: "Ed Hill",
    State: "open",
  },
  {
    PartitionKey: "s",
    RowKey: "5",
    SchemaVersion: 5,
    "Quantity@odata.type": "Edm.Int64",
    Quantity: "6",
    First: "Flo",
    Last: "Ives",
    State: "done",
  },
];

async function store(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Order]);
  for (const entity of rows) await storage.write("Orders", { type: "insert", entity });
  return storage;
}

const of = (context: TableContext) => context.query(Order).where({ shop: "s" });
const requests = async (
  storage: TableStorage,
  work: (context: TableContext) => Promise<unknown>,
): Promise<string[]> => {
  const sent: string[] = [];
  await work(new TableContext(storage, { hooks: { sending: ({ type }) => void sent.push(type) } }));
  return sent;
};

test("rows of every version are read as the present class, in one page", async () => {
  await using storage = await store();

  const found = await of(new TableContext(storage)).toArray();

  expect(
    found.map(({ id, quantity, State, First: first, Last: last }) => [id, quantity, State, first, last]),
  ).toEqual([
    ["0", 1n, "open", "Ann", "Lee"],
    ["1", 2n, "open", "Bo", "Day"],
    ["2", 3n, "done", "Cy", "Fox"],
    ["3", 4n, "open", "Di", "Gray"],
    ["4", 5n, "open", "Ed", "Hill"],
    ["5", 6n, "done", "Flo", "Ives"],
  ]);
});

test("reading changes nothing; the next change stores the whole upgraded row under its ETag, unknown properties included", async () => {
  await using storage = await store();
  const context = new TableContext(storage);
  const [order] = await of(context).toArray();
  expect(context.pendingChanges()).toEqual([]);
  expect(await context.saveChanges()).toEqual([]);
  expect(await storage.get("Orders", key("0"))).toMatchObject({ Qty: 1, Rating: "A" });

  (order as Order).State = "done";
  const [result] = await context.saveChanges();

  expect(result).toMatchObject({ operation: "replace", outcome: "committed" });
  const {
    Timestamp: _t,
    "odata.etag": _e,
    ...stored
  } = (await storage.get("Orders", key("0"))) as StoredEntity;
  expect(stored).toEqual({
    PartitionKey: "s",
    RowKey: "0",
    SchemaVersion: 5,
    "Quantity@odata.type": "Edm.Int64",
    Quantity: "1",
    State: "done",
    First: "Ann",
    Last: "Lee",
    Extra: "kept",
    "Seen@odata.type": "Edm.DateTime",
    Seen: "2013-08-02T17:37:43.9004348Z",
  });
  (order as Order).State = "paid";
  expect((await context.saveChanges())[0]?.operation).toBe("merge");
});

test("an old writer in between is a conflict, and nothing of the upgrade is stored", async () => {
  await using storage = await store();
  const [now, old] = [new TableContext(storage), new TableContext(storage)];
  const order = (await now.find(Order, { shop: "s", id: "1" })) as Order;
  const before = (await old.find(First, { shop: "s", id: "1" })) as First;
  before.Rating = "Z";
  await old.saveChanges();

  order.State = "done";

  await expect(now.saveChanges()).rejects.toMatchObject({
    code: "save.failed",
    results: [{ outcome: "rejected" }],
  });
  expect(await storage.get("Orders", key("1"))).toMatchObject({ SchemaVersion: 1, Qty: 2, Rating: "Z" });
});

test("a newer row is read, and every write to it is refused", async () => {
  await using storage = await store();
  const context = new TableContext(storage);
  const third = (await context.find(Third, { shop: "s", id: "5" }).catch(() => undefined)) as
    | Third
    | undefined;
  // Its quantity is of another type now: an old program cannot read what it does not know.
  expect(third).toBeUndefined();
  class Older extends defineEntity({
    ...keys,
    version: upgrades({ State: text() }).to(2, add("Note", text().optional(), undefined)),
    properties: { State: text(), Note: text().optional() },
  }) {}
  const old = (await context.find(Older, { shop: "s", id: "5" })) as Older;

  const before = await storage.get("Orders", key("5"));
  const writes: readonly [string, () => void, SaveOptions?][] = [
    ["a merge", () => (old.State = "sent")],
    ["a replace", () => (old.State = "back"), { update: "replace" }],
    ["a named property", () => context.update(old, "State")],
    ["a touch", () => context.touch(old)],
    ["a delete", () => context.remove(old)],
  ];
  for (const [name, write, options] of writes) {
    write();
    await expect(context.saveChanges(options), name).rejects.toMatchObject({
      results: [{ error: { code: "entity.newer-version" } }],
    });
    context.discard(old);
  }
  expect(await storage.get("Orders", key("5"))).toEqual(before);
});

test("with upgrade: write, tracked rows are stored at once, under their ETags and together; untracked ones never", async () => {
  await using storage = await store();
  const context = new TableContext(storage, { upgrade: "write" });

  await of(context).mergeOption("noTracking").toArray();
  expect(await storage.get("Orders", key("1"))).toMatchObject({ SchemaVersion: 1 });
  const found = await of(context).toArray();

  const stored = await Promise.all(rows.map(({ RowKey }) => storage.get("Orders", key(RowKey))));
  expect(stored.map((row) => row?.["SchemaVersion"])).toEqual([5, 5, 5, 5, 5, 5]);
  expect(stored[0]).toMatchObject({ Extra: "kept", Seen: "2013-08-02T17:37:43.9004348Z" });
  expect(found.map((order) => context.entry(order).etag)).toEqual(stored.map((row) => row?.["odata.etag"]));
  (found[0] as Order).State = "x";
  expect((await context.saveChanges())[0]?.operation).toBe("merge");
  expect(await requests(storage, (again) => of(again).toArray())).toEqual(["query"]);
});

test("with upgrade: write, a row that was changed in between is read again", async () => {
  await using inner = await store();
  let isChanged = false;
  const storage = Object.assign(Object.create(inner) as TableStorage, {
    query: inner.query.bind(inner),
    get: inner.get.bind(inner),
    write: inner.write.bind(inner),
    transact: async (...args: Parameters<TableStorage["transact"]>) => {
      if (!isChanged) {
        isChanged = true;
        const entity = { PartitionKey: "s", RowKey: "1", Rating: "changed" };
        await inner.write("Orders", { type: "merge", entity, etag: "*" });
        await inner.write("Orders", { type: "delete", key: key("2"), etag: "*" });
      }
      return inner.transact(...args);
    },
  });
  const found = await of(new TableContext(storage, { upgrade: "write" })).toArray();

  expect(found.map(({ id }) => id)).toEqual(["0", "1", "3", "4", "5"]);
  expect(await inner.get("Orders", key("1"))).toMatchObject({ SchemaVersion: 1, Rating: "changed" });
  expect(await inner.get("Orders", key("3"))).toMatchObject({ SchemaVersion: 5 });
});

describe("queries while rows of several versions exist", () => {
  const ids = async (query: AsyncIterable<{ id: string }>): Promise<string> => {
    let found = "";
    for await (const { id } of query) found += id;
    return found;
  };

  test.each<[string, string, (context: TableContext) => AsyncIterable<{ id: string }>]>([
    ["a renamed and retyped property", "234", (c) => of(c).where((o) => o.quantity.between(3n, 5n))],
    ["its opposite", "015", (c) => of(c).where((o) => o.quantity.between(3n, 5n).not())],
    ["an added property, by its value", "0134", (c) => of(c).where({ State: "open" })],
    ["an added property, by another value", "25", (c) => of(c).where({ State: "done" })],
    ["an added property that is not so", "25", (c) => of(c).where((o) => o.State.ne("open"))],
    ["a split property", "4", (c) => of(c).where({ Last: "Hill" })],
    ["a split property in a list", "05", (c) => of(c).where((o) => o.First.in(["Ann", "Flo"]))],
    ["a split property, not", "12345", (c) => of(c).where((o) => o.First.startsWith("A").not())],
    ["what exists", "012345", (c) => of(c).where((o) => o.First.exists())],
    ["alternatives", "05", (c) => of(c).where((o) => o.quantity.eq(1n).or(o.Last.eq("Ives")))],
    ["a part of the row", "012345", (c) => of(c).select("State")],
    ["a part of the row, and a filter on another", "3", (c) => of(c).select("State").where({ First: "Di" })],
  ])("find %s", async (_name, expected, query) => {
    await using storage = await store();

    expect(await ids(query(new TableContext(storage)))).toBe(expected);
    expect(await ids(query(new TableContext(storage, { mergeOption: "noTracking" })))).toBe(expected);
  });

  test("are rewritten where the steps tell how, and checked here, as explain() says", () => {
    const query = new TableContext({ query: () => undefined } as unknown as TableStorage)
      .query(Third)
      .where({ shop: "s" });
    const filters = (asked: typeof query) =>
      asked.explain().requests.map(({ filter, client }) => [filter, client])[0];

    expect(filters(query.where((t) => t.Quantity.ge(3)))).toEqual([
      "Quantity ge 3 or Qty ge 3",
      "Quantity ge 3",
    ]);
    expect(filters(query.where({ State: "open" }))).toEqual([
      "State eq 'open' or not (SchemaVersion ge 2)",
      "State eq 'open'",
    ]);
    expect(filters(query.where({ State: "done" }))).toEqual(["State eq 'done'", "State eq 'done'"]);
    expect(filters(query.where({ Name: "Ann Lee" }))).toEqual(["Name eq 'Ann Lee'", undefined]);
  });

  test("a table that was declared clean is asked for present names only", async () => {
    class Clean extends defineEntity({
      ...keys,
      version: chain.clean(),
      properties: { quantity: int64().named("Quantity"), State: text(), First: text(), Last: text() },
    }) {}
    await using storage = await store();
    const query = new TableContext(storage).query(Clean).where({ shop: "s", Last: "Ives" });

    expect(query.explain().requests[0]).toMatchObject({ filter: "Last eq 'Ives'", client: undefined });
    expect((await query.single()).id).toBe("5");
  });

  test("a part that was read of an older row cannot be saved alone", async () => {
    await using storage = await store();
    const context = new TableContext(storage);
    const [part] = await of(context).where({ id: "1" }).select("State").toArray();

    (part as Order).State = "done";

    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ error: { code: "entity.not-loaded" } }],
    });
    await context.find(Order, { shop: "s", id: "1" });
    await context.saveChanges();
    expect(await storage.get("Orders", key("1"))).toMatchObject({
      SchemaVersion: 5,
      State: "done",
      First: "Bo",
    });
  });
});

test("steps do what they say: remove, retype, join, and a free one that keeps every digit", async () => {
  const steps = upgrades({
    Price: text(),
    First: text(),
    Last: text().optional(),
    Seen: dateTime(),
    Old: text().optional(),
  })
    .to(
      2,
      retype("Price", "Cents", int32(), (price: string) => Math.round(Number(price) * 100)),
    )
    .to(
      3,
      join(
        ["First", "Last"],
        "Name",
        text(),
        (v: { First: string; Last: string | undefined }) => `${v.First} ${v.Last ?? "?"}`,
      ),
    )
    .to(4, { Cents: int32(), Name: text(), Seen: dateTime() }, ({ Cents, Name, Seen }) => ({
      Cents: Cents + 1,
      Name,
      Seen,
    }));
  class Item extends defineEntity({
    ...keys,
    version: steps,
    properties: { Cents: int32(), Name: text(), Seen: dateTime() },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Item]);
  const row = {
    PartitionKey: "s",
    RowKey: "1",
    Price: "1.50",
    First: "Ann",
    Old: "x",
    Other: 1,
    "Seen@odata.type": "Edm.DateTime",
    Seen: "2013-08-02T17:37:43.9004348Z",
  };
  await storage.write("Orders", { type: "insert", entity: row });
  const context = new TableContext(storage);
  const item = (await context.find(Item, { shop: "s", id: "1" })) as Item;

  expect(item).toMatchObject({ Cents: 151, Name: "Ann ?" });
  item.Name = "Bo";
  await context.saveChanges();
  const stored = await storage.get("Orders", key("1"));
  expect(stored).toMatchObject({ SchemaVersion: 4, Cents: 151, Name: "Bo", Other: 1, Seen: row.Seen });
  for (const name of ["Price", "First", "Last", "Old"]) expect(stored).not.toHaveProperty(name);
});

describe("a step that throws", () => {
  const failing = upgrades({ N: text() }).to(
    2,
    retype("N", "M", int32(), (n: string) => {
      if (n === "bad") throw new Error("no number");
      return Number(n);
    }),
  );
  class Item extends defineEntity({ ...keys, version: failing, properties: { M: int32() } }) {}
  const stored = async (): Promise<TableStorage> => {
    const storage = await openStorage("memory:");
    await createTables(storage, [Item]);
    for (const [RowKey, N] of [
      ["1", "1"],
      ["2", "bad"],
      ["3", "3"],
    ] as const)
      await storage.write("Orders", { type: "insert", entity: { PartitionKey: "s", RowKey, N } });
    return storage;
  };
  const items = (context: TableContext) => context.query(Item).where({ shop: "s" });

  test("stops the query, naming entity, version and step, and no value", async () => {
    const context = new TableContext(await stored());
    const error = (await items(context)
      .toArray()
      .catch((e: unknown) => e)) as Error & { details: object };

    expect(error).toMatchObject({
      code: "upgrade.step-failed",
      details: { entity: "Item", rowKey: "2", version: 2, step: 'retype("N", "M")' },
      cause: { message: "no number" },
    });
    expect(error.message).not.toContain("bad");
    expect(error.message).toMatch(
      /retype\("N", "M"\) failed, since it threw Error \(see cause\)\. The row was not changed/,
    );
  });

  test("is skipped, or yields the row, as the context says", async () => {
    const storage = await stored();
    const skipping = new TableContext(storage, { unreadableRows: "skip" });
    const raw = new TableContext(storage, { unreadableRows: "raw" });

    expect((await items(skipping).toArray()).map(({ M }) => M)).toEqual([1, 3]);
    expect(await skipping.find(Item, { shop: "s", id: "2" })).toBeUndefined();
    expect(
      await items(skipping)
        .where((i) => i.M.ge(2))
        .count(),
    ).toBe(1);
    const all = await items(raw).toArray();
    expect(all.map((item) => item instanceof Item)).toEqual([true, false, true]);
    expect(all[1]).toMatchObject({
      table: "Orders",
      rowKey: "2",
      row: { N: "bad" },
      error: { code: "upgrade.step-failed" },
    });
    await new TableContext(storage, { unreadableRows: "skip", upgrade: "write" })
      .query(Item)
      .where({ shop: "s" })
      .toArray();
    expect(await storage.get("Orders", key("2"))).toMatchObject({ N: "bad" });
    expect(await storage.get("Orders", key("3"))).toMatchObject({ M: 3, SchemaVersion: 2 });
  });

  test("a version that is none is no version", async () => {
    const storage = await stored();
    await storage.write("Orders", {
      type: "insert",
      entity: { PartitionKey: "u", RowKey: "1", SchemaVersion: "two" },
    });
    const context = new TableContext(storage);

    await expect(context.query(Item).where({ shop: "u" }).toArray()).rejects.toMatchObject({
      code: "upgrade.version",
    });
  });
});

test.each<[string, () => EntityClass, RegExp]>([
  [
    "a property that no step adds",
    () =>
      defineEntity({
        ...keys,
        version: upgrades({ A: text() }).to(2, remove("A")),
        properties: { B: text() },
      } as never),
    /declares "B", and no step up to version 2 adds it/,
  ],
  [
    "a property that the chain keeps",
    () =>
      defineEntity({
        ...keys,
        version: upgrades({ A: text() }).to(2, add("B", text(), "")),
        properties: { A: text() },
      } as never),
    /does not declare "B", which add\("B"\) to version 2 leaves/,
  ],
  [
    "another type",
    () =>
      defineEntity({
        ...keys,
        version: upgrades({ A: text() }).to(2, rename("A", "B")),
        properties: { B: int32() },
      } as never),
    /declares "B" as Int32, and rename\("A", "B"\) to version 2 makes it Text/,
  ],
])("a class that does not follow from its upgrades is refused: %s", (_name, entity, message) => {
  expect(() => modelOf(entity())).toThrow(message);
});

test("steps that do not fit their version are refused when they are written", () => {
  const begin = upgrades({ A: text(), B: text() }) as unknown as { to: (...args: unknown[]) => unknown };

  expect(() => begin.to(2, rename("X", "Y"))).toThrow(
    /rename\("X", "Y"\) to version 2: there is no property "X"/,
  );
  expect(() => begin.to(2, add("A", text(), ""))).toThrow(/"A" exists already/);
  expect(() => begin.to(3, remove("A"))).toThrow(/must be \.to\(2, …\)/);
  expect(() => begin.to(2, { op: "drop" })).toThrow(/it is not a step/);
});

test("an upgrade step that gives what its version does not hold says so in the error itself", async () => {
  class Part extends defineEntity({
    table: "Parts",
    partitionKey: { shop: text() },
    rowKey: { id: text() },
    properties: { M: int32() },
    version: upgrades({ N: text() }).to(2, { M: int32() }, () => ({ M: "secret" as never })),
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Part]);
  await storage.write("Parts", { type: "insert", entity: { PartitionKey: "s", RowKey: "1", N: "a" } });

  await expect(new TableContext(storage).find(Part, { shop: "s", id: "1" })).rejects.toMatchObject({
    code: "upgrade.step-failed",
    message: expect.stringMatching(
      /its function failed: Part\.value must be a number, but it holds a string/,
    ) as string,
  });
});

test.each<[string, () => unknown, RegExp]>([
  [
    "a version left out",
    // @ts-expect-error 1 is followed by 2
    () => upgrades({ N: text() }).to(3, rename("N", "M")),
    /^\.to\(3, …\) follows version 1, so it must be \.to\(2, …\)/,
  ],
  [
    "versions in falling order",
    () =>
      upgrades({ N: text() })
        .to(2, rename("N", "M"))
        // @ts-expect-error 2 is followed by 3
        .to(2, rename("M", "O")),
    /^\.to\(2, …\) follows version 2, so it must be \.to\(3, …\).*in rising order/,
  ],
  [
    "no version",
    // @ts-expect-error the version is missing
    () => upgrades({ N: text() }).to(rename("N", "M")),
    /^\.to\(an object of Object, …\)/,
  ],
  [
    "steps in a list",
    // @ts-expect-error steps are arguments of their own
    () => upgrades({ N: text() }).to(2, [rename("N", "M")]),
    /an array to version 2.*not in a list/,
  ],
  ["no first shape", () => upgrades(undefined as never), /upgrades\(\{ Qty: int32\(\) \}\)/],
])("upgrades with %s are an error that shows how to write them", (_what, make, says) => {
  expect(make).toThrow(expect.objectContaining({ code: "model.upgrade-step" }) as Error);
  expect(make).toThrow(says);
});
