import { expect, test } from "vitest";
import { withFaults, writeFaults } from "@partita/testing";
import {
  type Children,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  json,
  openStorage,
  type StoredEntity,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import { modelOf } from "../../src/protocol.ts";
import { add, remove, rename, retype, upgrades } from "../../src/upgrades.ts";

const keys = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: text() } } as const;
const chain = upgrades({ A: int32(), Note: text().optional() }).to(2, rename("A", "B"));
const properties = { B: int32(), Note: text().optional() };
class Order extends defineEntity({ ...keys, version: chain, properties }) {}

async function store(entityClass: EntityClass, ...rows: Partial<StoredEntity>[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [entityClass]);
  for (const [i, row] of rows.entries())
    await storage.write("Orders", {
      type: "insert",
      entity: { PartitionKey: "s", RowKey: String(i), ...row } as StoredEntity,
    });
  return storage;
}
const get = (storage: TableStorage, id = "0") => storage.get("Orders", { partitionKey: "s", rowKey: id });
const seen = { "Seen@odata.type": "Edm.DateTime", Seen: "2013-08-02T17:37:43.9004348Z" } as const;

test("a part of a row never takes the place of the row, be its table declared clean", async () => {
  class Clean extends defineEntity({ ...keys, version: chain.clean(), properties }) {}
  await using storage = await store(Clean, { A: 3, Note: "n", Extra: "keep" });
  const before = await get(storage);

  const parts = new TableContext(storage, { upgrade: "write" })
    .query(Clean)
    .where({ shop: "s" })
    .select("Note");

  await expect(parts.toArray()).rejects.toMatchObject({ code: "upgrade.not-clean" });
  expect(await get(storage)).toEqual(before);
});

test("writes that read nothing are refused where rows may be older, since they would mix versions", async () => {
  await using storage = await store(Order, { SchemaVersion: 3, Cents: 500 }, { A: 3 });
  const context = new TableContext(storage);
  const one = new Order({ shop: "s", id: "0", B: 7 });

  expect(() => context.upsert(one, "merge")).toThrow(
    expect.objectContaining({ code: "entity.version-unknown" }) as Error,
  );
  expect(() => context.attach(one, "*")).toThrow(
    expect.objectContaining({ code: "entity.version-unknown" }) as Error,
  );
  class Clean extends defineEntity({ ...keys, version: chain.clean(), properties }) {}
  context.attach(new Clean({ shop: "s", id: "1", B: 7 }), "*");
});

test("a newer row is not replaced by another instance under its key either", async () => {
  await using storage = await store(Order, { SchemaVersion: 9, B: 1, Extra: "x" });
  const context = new TableContext(storage);
  context.remove((await context.find(Order, { shop: "s", id: "0" })) as Order);
  context.create(Order, { shop: "s", id: "0", B: 2 });

  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ error: { code: "entity.newer-version" } }],
  });
  expect(await get(storage)).toMatchObject({ SchemaVersion: 9, Extra: "x" });
});

test.each(["Kind", "SchemaVersion", "_m", "RowKey", "constructor", "__proto__"])(
  "no version may hold a property %s",
  (name) => {
    const begin = upgrades({ [name]: text(), A: text() }) as unknown as { to: (...args: unknown[]) => never };
    const versions = begin.to(2, remove(name));
    const entity = defineEntity({
      ...keys,
      kind: "K",
      version: versions,
      properties: { A: text() },
    } as never);

    expect(() => modelOf(entity)).toThrow(expect.objectContaining({ code: "model.upgrades" }) as Error);
  },
);

test("what a step changes in place counts, and what it hands on keeps every digit under any name", async () => {
  const steps = upgrades({ Tags: json<string[]>(), Seen: dateTime(), Other: dateTime() })
    .to(2, { Tags: json<string[]>(), At: dateTime(), Other: dateTime() }, (row) => {
      row.Tags.push("x");
      row.Other.setUTCFullYear(2020);
      return { Tags: row.Tags, At: row.Seen, Other: row.Other };
    })
    .to(
      3,
      retype("At", "On", dateTime(), (at: Date) => at),
    );
  class Item extends defineEntity({
    ...keys,
    version: steps,
    properties: { Tags: json<string[]>(), On: dateTime(), Other: dateTime() },
  }) {}
  const other = { "Other@odata.type": "Edm.DateTime", Other: seen.Seen };
  await using storage = await store(Item, { Tags: '["a"]', ...seen, ...other });

  await new TableContext(storage, { upgrade: "write" }).query(Item).where({ shop: "s" }).toArray();

  expect(await get(storage)).toMatchObject({
    Tags: '["a","x"]',
    On: seen.Seen,
    Other: "2020-08-02T17:37:43.900Z",
  });
});

test("steps see declared defaults, and values of the types that a shape allows", async () => {
  const steps = upgrades({ Rating: int32().default(3), N: int32().storedAs("Edm.String") }).to(
    2,
    { Sum: int32() },
    ({ Rating, N }) => ({ Sum: Rating + N }),
  );
  class Item extends defineEntity({ ...keys, version: steps, properties: { Sum: int32() } }) {}
  await using storage = await store(Item, { N: "5" }, { N: 6, Rating: 1 });

  const found = await new TableContext(storage).query(Item).where({ shop: "s" }).toArray();

  expect(found.map(({ Sum }) => Sum)).toEqual([8, 7]);
});

test("not, on a property with a default, finds rows of versions before it", async () => {
  const steps = upgrades({ A: text() }).to(2, add("Stars", int32().default(0), 3));
  class Item extends defineEntity({
    ...keys,
    version: steps,
    properties: { A: text(), Stars: int32().default(0) },
  }) {}
  await using storage = await store(
    Item,
    { A: "a" },
    { A: "b", SchemaVersion: 2, Stars: 5 },
    { A: "c", SchemaVersion: 2 },
  );
  const items = new TableContext(storage).query(Item).where({ shop: "s" });

  expect(await items.where((i) => i.Stars.eq(0).not()).count()).toBe(2);
  expect(await items.where((i) => i.Stars.in([0, 5]).not()).count()).toBe(1);
});

test("children of a parent that is not of the query are no orphans, however ranges meet", async () => {
  class Base extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: { a: text() },
    properties: {},
  }) {}
  class Parent extends defineKind(Base, {
    kind: "P",
    properties: { n: int32() },
    children: { all: () => Child },
  }) {
    declare all?: Children<Child>;
  }
  class Child extends defineKind(Base, { kind: "C", rowKey: { c: text() } }) {}
  await using storage = await store(Base);
  const context = new TableContext(storage);
  context.create(Parent, { shop: "s", a: "a", n: 1 });
  context.create(Child, { shop: "s", a: "a", c: "1" });
  await context.saveChanges();
  const parents = context.query(Parent).where({ shop: "s" });

  for (const query of [
    parents.where((p) => p.n.eq(2).and(p.a.in(["a", "a!"]))),
    parents.where((p) => p.n.eq(2).and(p.a.ge("a").or(p.a.eq("b")))),
  ])
    expect(await query.include((p) => p.all).toArray()).toEqual([]);
});

test("a base with one prefix kind, or with kinds of its own key, still meets rows of unknown kinds", async () => {
  class Base extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: { id: text() },
    properties: {},
    unknownKind: "base",
  }) {}
  class Known extends defineKind(Base, { kind: "Known" }) {}
  await using storage = await store(Base, { RowKey: "x", Kind: "Known" }, { RowKey: "x_1", Kind: "Strange" });
  const context = new TableContext(storage);

  modelOf(Known);
  expect(await context.query(Base).where({ shop: "s" }).count()).toBe(2);
  expect(await context.query(Base).where({ shop: "s", id: "x" }).count()).toBe(2);
  expect(await context.query(Known).where({ shop: "s", id: "x" }).count()).toBe(1);
  class Prefixed extends defineEntity({
    table: "Orders",
    partitionKey: { shop: text() },
    rowKey: {},
    properties: {},
    unknownKind: "base",
  }) {}
  class One extends defineKind(Prefixed, { kind: { name: "U", key: "prefix" }, rowKey: { id: text() } }) {}
  modelOf(One);
  expect([One, await context.query(Prefixed).where({ shop: "s" }).count()]).toEqual([One, 2]);
});

test("kinds told by a predicate are told in counts and parts of rows too", async () => {
  class One extends defineEntity({
    ...keys,
    kind: { name: "One", stored: false, when: (row) => row["Type"] === "one" },
    properties: { A: int32().optional() },
  }) {}
  await using storage = await store(One, { Type: "one", A: 1 }, { Type: "two", A: 2 });
  const query = new TableContext(storage).query(One).where({ shop: "s" });

  expect(await query.count()).toBe(1);
  expect(await query.select("A").merge("noTracking").toArray()).toMatchObject([{ A: 1 }]);
});

test("rows that are skipped use up neither take nor first nor count", async () => {
  const failing = upgrades({ N: text() }).to(
    2,
    retype("N", "M", int32(), (n: string) => {
      if (n === "bad") throw new Error("no number");
      return Number(n);
    }),
  );
  class Item extends defineEntity({ ...keys, version: failing, properties: { M: int32() } }) {}
  await using storage = await store(Item, { N: "bad" }, { N: "1" }, { N: "2" });
  const context = new TableContext(storage, { failedUpgrades: "skip" });
  const items = context.query(Item).where({ shop: "s" });

  expect((await items.first())?.M).toBe(1);
  expect((await items.take(2).toArray()).map(({ M }) => M)).toEqual([1, 2]);
  expect(await items.count()).toBe(2);
  await expect(items.single()).rejects.toMatchObject({ code: "query.several-found" });
  expect(await items.updateAll((item) => void item.M++)).toMatchObject({ written: 2 });
  expect(await get(storage, "1")).toMatchObject({ M: 2 });
});

test("an upgrade at once leaves tracked entities their version, and reading goes on when it cannot be written", async () => {
  await using inner = await store(Order, { A: 1 }, { A: 2 });
  const context = new TableContext(inner, { upgrade: "write" });
  const plain = new TableContext(inner);
  const [mine] = await plain.query(Order).where({ shop: "s" }).toArray();
  (mine as Order).B = 9;
  await plain.query(Order).where({ shop: "s" }).toArray();
  await plain.saveChanges();
  expect(await context.query(Order).where({ shop: "s" }).count()).toBe(2);

  for (const fault of ["throttled", "reset-before", "reset-after", "timeout-after", "refused"] as const) {
    await using storage = await store(Order, { A: 1 });
    const flaky = withFaults(storage, writeFaults(fault));
    const found = await new TableContext(flaky, { upgrade: "write" })
      .query(Order)
      .where({ shop: "s" })
      .toArray();
    expect(found.map(({ B }) => B)).toEqual([1]);
  }
});

test("a row that its upgrade makes too large is read, and left as it is", async () => {
  const big = upgrades({ A: text() }).to(2, { A: text(), B: json<string[]>() }, ({ A }) => ({
    A,
    B: Array.from({ length: 40 }, () => A.slice(0, 700)),
  }));
  class Item extends defineEntity({
    ...keys,
    version: big,
    properties: { A: text(), B: json<string[]>() },
  }) {}
  await using storage = await store(Item, {
    A: "x".repeat(30_000),
    ...Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`P${i}`, "y".repeat(32_000)])),
  });

  const [item] = await new TableContext(storage, { upgrade: "write" })
    .query(Item)
    .where({ shop: "s" })
    .toArray();

  expect(item?.B).toHaveLength(40);
  expect(await get(storage)).not.toHaveProperty("SchemaVersion");
});

test("a part that happens to be all declared properties is completed by find, and then saved", async () => {
  await using storage = await store(Order, { A: 1, Extra: "x" });
  const context = new TableContext(storage);
  const [part] = await context.query(Order).where({ shop: "s" }).select("B", "Note").toArray();
  (part as Order).B = 5;

  await context.find(Order, { shop: "s", id: "0" });
  await context.saveChanges();

  expect(await get(storage)).toMatchObject({ B: 5, Extra: "x", SchemaVersion: 2 });
});

test("a renamed kind in the key is found under its old name", async () => {
  class Unit extends defineEntity({
    ...keys,
    kind: { name: "Unit", key: "prefix", formerly: ["Old"] },
    properties: {},
  }) {}
  await using storage = await store(Unit, { RowKey: "Old_y", Kind: "Old" });

  expect(await new TableContext(storage).find(Unit, { shop: "s", id: "y" })).toBeInstanceOf(Unit);
});
