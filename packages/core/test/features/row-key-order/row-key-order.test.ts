import { warningsDuring } from "@partita/test-support/warnings";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { bucket, constant, month, newestFirst, padded } from "../../../src/keys.ts";
import { countComparisons } from "../../../src/values/filter/filter-node.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { retype, upgrades } from "../../../src/upgrades.ts";
import { Entry, inTurn, ordered, placesOf, storeOf } from "./entries.ts";
import { observed } from "./observed.ts";

const abc = ["a", "b", "c"];

test("entities come in RowKey order, those of one RowKey by their partitions", async () => {
  await using storage = await storeOf([
    ["b", 1],
    ["c", 1],
    ["a", 2],
    ["a", 1],
    ["c", 0],
    ["d", 0],
  ]);

  const found = await ordered(new TableContext(storage), abc).toArray();

  expect(placesOf(found)).toEqual(["c0", "a1", "b1", "c1", "a2"]);
});

class Event extends defineEntity({
  table: "Events",
  partitionKey: { device: bucket(64) },
  rowKey: { at: newestFirst, device: text() },
  properties: { value: int32() },
}) {}

test("the latest ten of 64 buckets cost one page of ten rows of each, 16 at a time, and need no scan()", async () => {
  await using inner = await openStorage("memory:");
  await createTables(inner, [Event]);
  const writer = new TableContext(inner);
  for (let i = 0; i < 1500; i++)
    writer.create(Event, { device: `d${i % 300}`, at: new Date(i * 1000), value: i });
  await writer.saveChanges();
  const seen = observed(inner);
  const latest = new TableContext(seen.storage).query(Event).inRowKeyOrder();

  expect((await latest.take(10).toArray()).map(({ value }) => value)).toEqual(
    Array.from({ length: 10 }, (_, i) => 1499 - i),
  );
  expect(seen.queries).toHaveLength(64);
  expect(new Set(seen.queries.map(({ top }) => top))).toEqual(new Set([10]));
  expect(seen.mostAtOnce).toBe(16);
  expect(latest.take(10).explain()).toMatchObject({
    type: "partition scan",
    rating: "fair",
    partitions: 64,
    isInKeyOrder: false,
    merge: { partitions: 64, requests: 64, isBySlice: false },
  });
  expect(String(latest.take(10).explain())).toMatch(/merged in RowKey order by 64 requests at least$/);
  expect((await latest.page({ size: 3 })).entities).toHaveLength(3);
  expect((await latest.first())?.value).toBe(1499);
  // All rows of all buckets are a table scan, and so are those that a filter has to be found by.
  await expect(latest.toArray()).rejects.toMatchObject({ code: "query.scan-refused" });
  const filtered = latest.where((e) => e.value.lt(5)).take(1);
  await expect(filtered.toArray()).rejects.toMatchObject({ code: "query.scan-refused" });
  expect((await filtered.scan().toArray()).map(({ value }) => value)).toEqual([4]);
});

test("a partition is read on only where the merge needs it", async () => {
  const places = [
    ...Array.from({ length: 40 }, (_, at) => ["a", at] as const),
    ["b", 900],
    ["c", 901],
  ] as const;
  await using inner = await storeOf(places);
  const seen = observed(inner, 8);

  expect(placesOf(await ordered(new TableContext(seen.storage), abc).take(20).toArray())).toEqual(
    Array.from({ length: 20 }, (_, at) => `a${at}`),
  );

  // One page of each, and of the first partition two more: this store returns eight rows at a time.
  expect(seen.queries).toHaveLength(5);
});

test("rows that are checked here are read in pages that double, past what does not match", async () => {
  await using inner = await storeOf(inTurn(["a", "b"], 400));
  const seen = observed(inner);
  const query = ordered(new TableContext(seen.storage), abc).where((e) =>
    e.n.in([...Array(20).keys()].map((i) => 380 + i)),
  );
  expect(query.explain().requests[0]?.isChecked).toBe(true);

  expect(placesOf(await query.take(3).toArray())).toEqual(["a380", "b381", "a382"]);

  // A filter from the least to the greatest value comes with the request; the rest is checked.
  expect(seen.queries.map(({ top }) => top)).toEqual([16, 16, 16]);
});

test("only what is handed over is tracked", async () => {
  await using storage = await storeOf(inTurn(abc, 60));
  const taken = new TableContext(storage);
  await ordered(taken, abc).take(7).toArray();
  expect(taken.size).toBe(7);

  const left = new TableContext(storage);
  let count = 0;
  for await (const entry of ordered(left, abc)) if (++count === 5 && entry.at === 4) break;
  expect(left.size).toBe(5);

  const paged = new TableContext(storage);
  await ordered(paged, abc).page({ size: 4 });
  expect(paged.size).toBe(4);
});

test("a query of one partition is read as any other", async () => {
  await using inner = await storeOf(inTurn(abc, 9));
  const seen = observed(inner);
  const query = ordered(new TableContext(seen.storage), ["b"]);

  expect(placesOf(await query.toArray())).toEqual(["b1", "b4", "b7"]);
  expect(query.explain()).toMatchObject({ merge: undefined, isInKeyOrder: true });
  expect(placesOf((await query.page({ size: 1 })).entities)).toEqual(["b1"]);
});

test("pages go on exactly behind the last row, whatever is written in between", async () => {
  await using storage = await storeOf(inTurn(abc, 30));
  const page = (after?: string) => ordered(new TableContext(storage), abc).page({ size: 7, after });
  const first = await page();
  expect(placesOf(first.entities)).toEqual(["a0", "b1", "c2", "a3", "b4", "c5", "a6"]);

  const writer = new TableContext(storage);
  writer.removeByKey(Entry, { shard: "a", at: 6 }, "*");
  writer.removeByKey(Entry, { shard: "b", at: 10 }, "*");
  // Before the place, behind it, and at its RowKey in an earlier and in a later partition.
  writer.create(Entry, { shard: "b", at: 3 });
  writer.create(Entry, { shard: "c", at: 9 });
  writer.create(Entry, { shard: "c", at: 6 });
  await writer.saveChanges();

  const second = await page(first.next);
  expect(placesOf(second.entities)).toEqual(["c6", "b7", "c8", "a9", "c9", "c11", "a12"]);
  const rest = await ordered(new TableContext(storage), abc).page({ size: 100, after: second.next });
  expect(placesOf(rest.entities)).toEqual(
    placesOf(await ordered(new TableContext(storage), abc).toArray()).slice(14),
  );
  expect(rest.next).toBeUndefined();
});

test("a token is good for the same query in the same order only, and its size is bounded", async () => {
  class Long extends defineEntity({
    table: "Longs",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Long]);
  const context = new TableContext(storage);
  const [p, q] = ["p", "q"].map((letter) => letter + "語".repeat(511)) as [string, string];
  for (const shard of [p, q])
    for (const end of abc) context.create(Long, { p: shard, r: "語".repeat(511) + end });
  await context.saveChanges();
  const plain = context.query(Long).where((l) => l.p.in([p, q]));
  const query = plain.inRowKeyOrder();

  const { next } = await query.page({ size: 3 });
  expect(next?.length).toBeLessThan(5000);
  expect(decodeURIComponent(next as string)).toBe(next);
  expect((await query.page({ size: 9, after: next })).entities).toHaveLength(3);
  for (const other of [
    plain,
    query.take(4),
    context
      .query(Long)
      .where((l) => l.p.in([q, "x"]))
      .inRowKeyOrder(),
  ])
    await expect(other.page({ size: 3, after: next })).rejects.toMatchObject({ code: "query.foreign-token" });
  const { next: ofPlain } = await plain.page({ size: 1 });
  for (const token of [`${next}x`, ofPlain])
    await expect(query.page({ size: 3, after: token })).rejects.toMatchObject({
      code: "query.foreign-token",
    });
});

test("take counts over all pages", async () => {
  await using storage = await storeOf(inTurn(abc, 30));
  const query = ordered(new TableContext(storage), abc).take(8);
  const sizes: number[] = [];
  for await (const { entities } of query.pages({ size: 3 })) sizes.push(entities.length);

  expect(sizes).toEqual([3, 3, 2]);
  expect((await query.take(0).page({ size: 3 })).entities).toEqual([]);
});

test("a filter leaves room for the place of the next page", async () => {
  await using inner = await storeOf(inTurn(abc, 30));
  const seen = observed(inner);
  const query = ordered(new TableContext(seen.storage), abc).where((e) =>
    e.n.in(Array.from({ length: 14 }, (_, i) => 2 * i)),
  );

  const found: string[] = [];
  for await (const { entities } of query.pages({ size: 2 })) found.push(...placesOf(entities));

  expect(found).toEqual(Array.from({ length: 14 }, (_, i) => `${abc[(2 * i) % 3]}${2 * i}`));
  expect(Math.max(...seen.queries.map(({ filter }) => countComparisons(filter)))).toBeLessThanOrEqual(15);
});

test("partitions that are not listed are refused, naming what to compare, before anything is sent", async () => {
  // RowKeys do not sort by the time of the slices.
  class Post extends defineEntity({
    table: "Posts",
    partitionKey: { channel: text(), at: month(newestFirst) },
    rowKey: { id: text(), at: newestFirst },
    properties: {},
  }) {}
  await using inner = await openStorage("memory:");
  await createTables(inner, [Entry, Post]);
  const seen = observed(inner);
  const context = new TableContext(seen.storage);
  const since = context
    .query(Post)
    .where((p) => p.channel.eq("9").and(p.at.ge(new Date(0))))
    .inRowKeyOrder();
  const refused = {
    code: "query.order-unbounded",
    message: expect.stringMatching(/Compare channel, at .* 64 slices/) as string,
  };

  await expect(since.take(1).toArray()).rejects.toMatchObject(refused);
  await expect(since.page({ size: 1 })).rejects.toMatchObject(refused);
  await expect(since.removeAll()).rejects.toMatchObject(refused);
  await expect(context.query(Post).scan().inRowKeyOrder().first()).rejects.toMatchObject(refused);
  await expect(
    ordered(context, abc)
      .where((e) => e.shard.ne("b"))
      .toArray(),
  ).resolves.toEqual([]);
  await expect(
    context
      .query(Entry)
      .where((e) => e.shard.ge("a"))
      .inRowKeyOrder()
      .first(),
  ).rejects.toMatchObject({ code: "query.order-unbounded", details: { properties: ["shard"] } });
  await expect(
    ordered(
      context,
      Array.from({ length: 4097 }, (_, i) => `s${i}`),
    ).first(),
  ).rejects.toMatchObject({ code: "query.order-too-many" });
  expect(seen.queries.filter(({ filter }) => !JSON.stringify(filter).includes('"eq"'))).toEqual([]);
  expect(String(since.explain())).toMatch(/not in RowKey order: no list of partitions to merge$/);
  // A count has no order.
  expect(await since.count()).toBe(0);
  const months = context
    .query(Post)
    .where((p) => p.channel.eq("9").and(p.at.between(new Date("2024-01-01"), new Date("2024-03-05"))));
  expect(months.inRowKeyOrder().explain().merge).toEqual({ partitions: 3, requests: 3, isBySlice: false });
});

test("a store that promises no order is refused", async () => {
  await using inner = await storeOf(inTurn(abc, 3));
  const context = new TableContext(forwardStorage(inner, { isUnordered: true }));

  await expect(ordered(context, abc).toArray()).rejects.toMatchObject({ code: "query.order-not-promised" });
  await expect(ordered(context, ["a"]).first()).rejects.toMatchObject({ code: "query.order-not-promised" });
  expect(ordered(context, abc).explain()).toMatchObject({ merge: undefined, isInKeyOrder: false });
  expect(String(ordered(context, abc).explain())).toMatch(/in no order$/);
});

test("rows of indexes are no part of a merge, and an index has an order of its own", async () => {
  class Runner extends defineEntity({
    table: "Runners",
    partitionKey: { race: text() },
    rowKey: { bib: padded(3) },
    properties: { age: int32() },
    indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) }, copy: "all" } },
  }) {}
  await using inner = await openStorage("memory:");
  await createTables(inner, [Runner]);
  const writer = new TableContext(inner);
  for (let bib = 0; bib < 30; bib++) writer.create(Runner, { race: `r${bib % 3}`, bib, age: 20 + (bib % 7) });
  await writer.saveChanges();
  const seen = observed(inner);
  const query = new TableContext(seen.storage)
    .query(Runner)
    .where((r) => r.race.in(["r0", "r1", "r2"]))
    .inRowKeyOrder();

  expect((await query.toArray()).map(({ bib }) => bib)).toEqual([...Array(30).keys()]);
  const paged: number[] = [];
  for await (const { entities } of query.pages({ size: 7 })) paged.push(...entities.map(({ bib }) => bib));
  expect(paged).toEqual([...Array(30).keys()]);
  // Conditions that fix an index are answered by it elsewhere; its rows have other RowKeys.
  const ofAge = query.where({ age: 21 });
  expect((await ofAge.toArray()).map(({ bib }) => bib)).toEqual([1, 8, 15, 22, 29]);
  expect(ofAge.explain()).toMatchObject({ index: undefined, merge: { partitions: 3 } });
  expect((await ofAge.via("primary").take(1).toArray()).map(({ bib }) => bib)).toEqual([1]);
  await expect(query.via("byAge").toArray()).rejects.toMatchObject({ code: "query.order-of-index" });
});

test("select, merge options and noTracking go for merged rows as for any others", async () => {
  await using storage = await storeOf(inTurn(abc, 9));
  const context = new TableContext(storage);
  const [first] = await ordered(context, abc).select("n").take(1).toArray();
  expect(first).toMatchObject({ shard: "a", at: 0, n: 0 });

  const edited = await context.find(Entry, { shard: "b", at: 1 });
  if (edited !== undefined) edited.n = 70;
  expect((await ordered(context, abc).take(2).toArray())[1]?.n).toBe(70);
  const overwritten = await ordered(context, abc).mergeOption("overwriteChanges").take(2).toArray();
  expect(overwritten[1]).toBe(edited);
  expect(edited?.n).toBe(1);

  const untracked = new TableContext(storage);
  expect(await ordered(untracked, abc).mergeOption("noTracking").take(2).toArray()).toHaveLength(2);
  expect(untracked.size).toBe(0);
});

const keys = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: padded(2) } } as const;
const chain = upgrades({ A: int32() }).to(
  2,
  retype("A", "B", int32(), (value: number) => {
    if (value < 0) throw new Error("unlucky");
    return value;
  }),
);
class Order extends defineEntity({ ...keys, version: chain, properties: { B: int32() } }) {}

async function olderOrders(broken?: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Order]);
  for (let id = 0; id < 12; id++) {
    const entity = {
      PartitionKey: `s${id % 3}`,
      RowKey: String(id).padStart(2, "0"),
      A: id === broken ? -1 : id,
    };
    await storage.write("Orders", { type: "insert", entity: entity as StoredEntity });
  }
  return storage;
}

const orders = (context: TableContext) =>
  context
    .query(Order)
    .where((o) => o.shop.in(["s0", "s1", "s2"]))
    .inRowKeyOrder();

test("older rows are upgraded, and stored anew only once they are handed over", async () => {
  await using storage = await olderOrders();
  expect((await orders(new TableContext(storage)).toArray()).map(({ B }) => B)).toEqual([
    ...Array(12).keys(),
  ]);

  const context = new TableContext(storage, { upgrade: "write" });
  expect((await orders(context).take(4).toArray()).map(({ B }) => B)).toEqual([0, 1, 2, 3]);
  const { entities } = await storage.query("Orders", {});
  const upgraded = entities.filter((row) => "B" in row).map(({ RowKey }) => RowKey);
  expect(upgraded.toSorted()).toEqual(["00", "01", "02", "03"]);
});

test("others take the places of rows that cannot be upgraded and are skipped", async () => {
  await using storage = await olderOrders(2);
  const skipping = new TableContext(storage, { unreadableRows: "skip" });

  expect((await orders(skipping).take(3).toArray()).map(({ id }) => id)).toEqual([0, 1, 3]);
  expect((await orders(skipping).page({ size: 3 })).entities.map(({ id }) => id)).toEqual([0, 1, 3]);
  await expect(orders(new TableContext(storage)).take(3).toArray()).rejects.toMatchObject({
    name: "UpgradeError",
  });
});

class Base extends defineEntity({
  table: "Families",
  partitionKey: { shop: text() },
  rowKey: { a: text() },
  properties: {},
}) {}
class Parent extends defineKind(Base, {
  kind: "P",
  properties: { n: int32() },
  children: { all: () => Child },
}) {}
class Child extends defineKind(Base, { kind: "C", rowKey: { c: text() } }) {}

test("families come in the RowKey order of their parents, each with its own children", async () => {
  await using inner = await openStorage("memory:");
  await createTables(inner, [Base, Parent, Child]);
  const writer = new TableContext(inner);
  for (const [n, [shop, a]] of [
    ["y", "b"],
    ["x", "c"],
    ["x", "a"],
    ["y", "a"],
    ["y", "d"],
  ].entries()) {
    writer.create(Parent, { shop: shop as string, a: a as string, n });
    for (const c of ["1", "2"])
      writer.create(Child, { shop: shop as string, a: a as string, c: `${shop}${c}` });
  }
  await writer.saveChanges();
  const families = (context: TableContext) =>
    context
      .query(Parent)
      .where((p) => p.shop.in(["x", "y"]))
      .inRowKeyOrder()
      .include((p) => p.all);
  const shown = (found: readonly Parent[]): string[] =>
    found.map(({ shop, a, all }) => `${a}${shop}: ${all?.map(({ c }) => c).join(" ")}`);

  expect(shown(await families(new TableContext(inner)).toArray())).toEqual([
    "ax: x1 x2",
    "ay: y1 y2",
    "by: y1 y2",
    "cx: x1 x2",
    "dy: y1 y2",
  ]);
  const context = new TableContext(inner);
  expect(shown(await families(context).take(2).toArray())).toEqual(["ax: x1 x2", "ay: y1 y2"]);
  expect(context.size).toBe(6);
});

test("bulk writes take what comes first in RowKey order", async () => {
  await using storage = await storeOf(inTurn(abc, 30));
  const query = ordered(new TableContext(storage), abc);

  expect(await query.take(7).removeAll()).toMatchObject({ read: 7, written: 7 });
  expect(
    await query.take(2).updateAll((entry) => {
      entry.note = "first";
    }),
  ).toMatchObject({ written: 2 });

  const left = await ordered(new TableContext(storage), abc).toArray();
  expect(placesOf(left.slice(0, 3))).toEqual(["b7", "c8", "a9"]);
  expect(left.filter(({ note }) => note === "first")).toEqual(left.slice(0, 2));
});

test("a failure of one partition ends the query and cancels what is on its way", async () => {
  await using inner = await storeOf(inTurn(abc, 9));
  const cancelled: string[] = [];
  const storage = forwardStorage(inner, {
    query: (table, asked, options) => {
      if (JSON.stringify(asked.filter).includes('"b"')) return Promise.reject(new Error("no such luck"));
      return new Promise((_, reject) => {
        options?.signal?.addEventListener("abort", () => {
          cancelled.push(table);
          reject(new Error("cancelled"));
        });
      });
    },
  });

  await expect(ordered(new TableContext(storage), abc).toArray()).rejects.toThrow("no such luck");
  expect(cancelled).toHaveLength(2);
});

test("a signal that is aborted stops a merge where it is", async () => {
  await using storage = await storeOf(inTurn(abc, 30));
  const stop = new AbortController();
  let count = 0;
  const all = (async () => {
    for await (const _ of ordered(new TableContext(storage), abc).stream({ signal: stop.signal }))
      if (++count === 3) stop.abort();
  })();

  await expect(all).rejects.toMatchObject({ code: "storage.cancelled" });
  expect(count).toBe(3);
  await expect(
    ordered(new TableContext(storage), abc).toArray({ signal: stop.signal }),
  ).rejects.toMatchObject({
    code: "storage.cancelled",
  });
});

test("each request of a merge counts for the budget", async () => {
  await using storage = await storeOf(inTurn(abc, 9));
  const warnings = await warningsDuring(() =>
    ordered(new TableContext(storage, { requestBudget: 2 }), abc)
      .take(1)
      .toArray(),
  );

  expect(warnings.map(({ code }) => code)).toEqual(["PARTITA_REQUEST_BUDGET"]);
});

test("a store that returns a token again ends a merge with an error", async () => {
  await using inner = await storeOf(inTurn(abc, 60));
  const circling = forwardStorage(inner, {
    query: async (table, asked) => {
      const page = await inner.query(table, { ...asked, top: 2 });
      return asked.after === undefined || page.next === undefined ? page : { ...page, next: asked.after };
    },
  });

  await expect(ordered(new TableContext(circling), abc).toArray()).rejects.toMatchObject({
    code: "query.token-repeated",
  });
});

test("whoever stops early has read about one page of all partitions", async () => {
  const shards = Array.from({ length: 20 }, (_, i) => `s${i}`);
  await using inner = await storeOf(inTurn(shards, 4000));
  const seen = observed(inner);
  for await (const _ of ordered(new TableContext(seen.storage), shards)) break;

  expect(seen.queries).toHaveLength(20);
  expect(seen.rows).toBe(1000);
});
