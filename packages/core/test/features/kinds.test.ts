import { expect, test } from "vitest";
import {
  type Children,
  createTables,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { escaped, newestFirst, padded, ulid } from "../../src/keys.ts";

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text() },
}) {}
class Blog extends defineKind(Entry, {
  kind: "Blog",
  properties: { rating: int32().default(0) },
  children: { comments: () => Comment },
}) {}
class Comment extends defineKind(Entry, {
  kind: "Comment",
  rowKey: { id: padded(2) },
  properties: { author: text() },
}) {}

const at = (day: number): Date => new Date(Date.UTC(2008, 9, day));

async function entries(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Entry, Blog, Comment]);
  const context = new TableContext(storage);
  for (const day of [1, 2, 3]) {
    context.create(Blog, { channel: "c", postedOn: at(day), text: `day ${day}`, rating: day });
    for (let id = 0; id < day; id++)
      context.create(Comment, {
        channel: "c",
        postedOn: at(day),
        id,
        text: "x",
        author: id === 0 ? "Ann" : "Bo",
      });
  }
  await context.saveChanges();
  return storage;
}

const noTracking = { mergeOption: "noTracking" } as const;

test("whereKind narrows one kind and leaves the others", async () => {
  await using storage = await entries();
  const context = new TableContext(storage, noTracking);
  const both = context.query([Blog, Comment]).where({ channel: "c" });

  const found = await both.whereKind(Comment, (c) => c.author.eq("Ann")).toArray();
  const narrowed = await both
    .whereKind(Comment, { author: "Bo" })
    .whereKind(Blog, (b) => b.rating.ge(3))
    .toArray();

  expect(found.map((row) => row.constructor)).toEqual([Blog, Comment, Blog, Comment, Blog, Comment]);
  expect(narrowed.map((row) => (row instanceof Blog ? `blog ${row.rating}` : row.author))).toEqual([
    "blog 3",
    "Bo",
    "Bo",
    "Bo",
  ]);
  const through = context.query(Entry).where({ channel: "c" });
  expect(await through.whereKind(Comment, (c) => c.author.eq("Ann")).count()).toBe(6);
  expect(() => context.query(Blog).whereKind(Comment as never, {} as never)).toThrow(
    expect.objectContaining({ code: "query.not-of-query" }) as Error,
  );
});

test("include brings parents with their children in one range, as many as asked for", async () => {
  await using storage = await entries();
  const context = new TableContext(storage);
  const blogs = context
    .query(Blog)
    .where({ channel: "c" })
    .include((b) => b.comments);

  const all = await blogs.toArray();
  const [only] = await blogs.where((b) => b.rating.eq(2)).toArray();

  expect(all.map((blog) => [blog.text, blog.comments.length])).toEqual([
    ["day 3", 3],
    ["day 2", 2],
    ["day 1", 1],
  ]);
  expect(only?.comments.map(({ id }) => id)).toEqual([0, 1]);
  expect(blogs.explain().requests).toHaveLength(1);
  expect((await blogs.take(2).toArray()).map((blog) => blog.text)).toEqual(["day 3", "day 2"]);
  expect(await blogs.count()).toBe(3);
  const point = blogs.where({ postedOn: at(3) });
  expect((await point.single()).comments).toHaveLength(3);
  expect(point.explain().requests).toHaveLength(1);
  expect((await blogs.where((b) => b.postedOn.gt(at(1))).toArray()).map((b) => b.comments.length)).toEqual([
    3, 2,
  ]);
  // Children are entities like others: what is changed in them is saved.
  (all[0] as { comments: Children<Comment> }).comments[0]!.author = "Cy";
  expect((await context.saveChanges()).map(({ operation }) => operation)).toEqual(["merge"]);
});

test("children without a parent are reported", async () => {
  await using storage = await entries();
  const writer = new TableContext(storage);
  writer.remove((await writer.find(Blog, { channel: "c", postedOn: at(2) })) as Blog);
  await writer.saveChanges();
  const context = new TableContext(storage, noTracking);
  const blogs = context.query(Blog).where({ channel: "c" });
  const orphans: object[] = [];

  await expect(blogs.include((b) => b.comments, { onOrphan: "error" }).toArray()).rejects.toMatchObject({
    code: "query.orphan",
    details: { entity: "Comment", rowKey: expect.stringContaining("_00") as string },
  });
  const found = await blogs
    .include((b) => b.comments, { onOrphan: (child) => orphans.push(child) })
    .toArray();
  expect(found).toHaveLength(2);
  expect(orphans).toMatchObject([
    { postedOn: at(2), id: 0 },
    { postedOn: at(2), id: 1 },
  ]);
  // A parent that is there, but not of the query, leaves no orphans.
  expect(
    await blogs
      .where((b) => b.rating.eq(3))
      .include((b) => b.comments, { onOrphan: () => 0 })
      .toArray(),
  ).toHaveLength(1);
  const later = blogs.where((b) => b.postedOn.gt(at(2))).include((b) => b.comments);
  expect(await later.toArray()).toHaveLength(1);
});

test("include takes the place of an earlier one of the same list, and does not go over an index", async () => {
  await using storage = await entries();
  const blogs = new TableContext(storage, noTracking).query(Blog).where({ channel: "c" });

  const twice = await blogs
    .include((b) => b.comments, { select: ["text"] })
    .include((b) => b.comments)
    .toArray();
  expect(twice.map(({ comments }) => comments.map(({ author }) => author))).toEqual([
    ["Ann", "Bo", "Bo"],
    ["Ann", "Bo"],
    ["Ann"],
  ]);
  expect(() => blogs.via("primary").include((b) => b.comments)).toThrow(
    expect.objectContaining({ code: "query.include" }) as Error,
  );
});

test("the shape of a kind has the children of its base, and its own", () => {
  class Base extends defineEntity({
    table: "Families",
    partitionKey: { channel: text() },
    rowKey: { postedOn: newestFirst },
    properties: {},
    children: { notes: (): EntityClass => Comment },
  }) {}
  class Page extends defineKind(Base, { kind: "Page", children: { comments: () => Comment } }) {}

  expect(Page.shape.children).toEqual({
    notes: expect.any(Function) as unknown,
    comments: expect.any(Function) as unknown,
  });
  expect(Page.shape.children.comments()).toBe(Comment);
});

test("children whose keys do not begin with the parent's are refused", async () => {
  class Parent extends defineEntity({
    table: "Families",
    partitionKey: { p: text() },
    rowKey: { a: text() },
    properties: {},
    kind: "Parent",
    children: { others: (): EntityClass<Other> => Other },
  }) {}
  class Other extends defineEntity({
    table: "Families",
    partitionKey: { p: text() },
    rowKey: { b: text(), c: text() },
    properties: {},
    kind: "Other",
  }) {}
  const context = new TableContext(await openStorage("memory:"));

  expect(() => context.query(Parent).include((p) => p.others)).toThrow(
    /RowKey does not begin with the parent's/,
  );
});

test("rows of a kind that no class declares: an error, skipped, or the base", async () => {
  const of = (unknownKind: "error" | "skip" | "base") =>
    class extends defineEntity({
      table: "Open",
      partitionKey: { p: text() },
      rowKey: { at: newestFirst },
      properties: { text: text().optional() },
      unknownKind,
    }) {};
  const row = (Kind: string, more: string, rest: object): StoredEntity => ({
    PartitionKey: "p",
    RowKey: `${newestFirst.encode(at(1))}${more}`,
    Kind,
    text: "x",
    ...rest,
  });
  for (const policy of ["error", "skip", "base"] as const) {
    const Base = of(policy);
    class Known extends defineKind(Base, { kind: "Known", rowKey: { id: padded(1) } }) {}
    await using storage = await openStorage("memory:");
    await createTables(storage, [Base, Known]);
    await storage.write("Open", { type: "insert", entity: row("Known", "_1", {}) });
    await storage.write("Open", { type: "insert", entity: row("Strange", "_zz_9", { other: 5 }) });
    const context = new TableContext(storage);
    const query = context.query(Base).where((b) => b.p.eq("p").and(b.at.le(at(1))));

    const outcome: unknown = await query.toArray().catch((error: { code: string }) => error.code);
    expect(Array.isArray(outcome) ? "rows" : outcome).toBe(policy === "error" ? "kind.unknown" : "rows");
    if (policy === "error") continue;
    const found = await query.toArray();
    expect(found.map((each) => each.constructor)).toEqual(policy === "skip" ? [Known] : [Known, Base]);
    if (policy === "skip") continue;
    // What the base does not declare survives its changes.
    const strange = found[1] as InstanceType<typeof Base>;
    expect(strange).toMatchObject({ p: "p", at: at(1), text: "x" });
    strange.text = undefined;
    await context.saveChanges();
    const key = { partitionKey: "p", rowKey: `${newestFirst.encode(at(1))}_zz_9` };
    const stored = await storage.get("Open", key);
    expect(stored).toMatchObject({ Kind: "Strange", other: 5 });
    expect(stored).not.toHaveProperty("text");
  }
});

test("a kind that was renamed reads its old rows, and leaves them their name", async () => {
  const base = {
    table: "Notes",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { text: text() },
  } as const;
  class Note extends defineEntity({ ...base, kind: "Note" }) {}
  class Status extends defineEntity({ ...base, kind: { name: "Status", formerly: ["Note"] } }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const old = new TableContext(storage);
  old.create(Note, { p: "p", id: "1", text: "old" });
  await old.saveChanges();
  const context = new TableContext(storage);
  context.create(Status, { p: "p", id: "2", text: "new" });
  await context.saveChanges();

  const found = await context.query(Status).where({ p: "p" }).toArray();
  (found[0] as Status).text = "edited";
  await context.saveChanges({ update: "replace" });

  expect(found.map((status) => status.text)).toEqual(["edited", "new"]);
  expect(await storage.get("Notes", { partitionKey: "p", rowKey: "1" })).toMatchObject({
    Kind: "Note",
    text: "edited",
  });
});

test("tables without a kind property are told apart by key prefix, or by a predicate", async () => {
  const base = { table: "Old", partitionKey: { p: text() } } as const;
  class Customer extends defineEntity({
    ...base,
    rowKey: { id: padded(2) },
    properties: { name: text() },
    kind: { name: "C", key: "prefix", stored: false },
  }) {}
  class Order extends defineEntity({
    ...base,
    rowKey: { id: padded(2) },
    properties: { total: int32() },
    kind: { name: "O", key: "prefix", stored: false, formerly: ["Q"] },
  }) {}
  class Total extends defineEntity({
    ...base,
    rowKey: { id: ulid },
    properties: { sum: int32() },
    kind: { name: "Total", stored: false, when: (row) => row["sum"] !== undefined },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Customer, Order, Total]);
  const context = new TableContext(storage);
  context.create(Customer, { p: "p", id: 1, name: "Ann" });
  context.create(Order, { p: "p", id: 1, total: 5 });
  context.create(Total, { p: "p", id: ulid(), sum: 5 });
  await context.saveChanges();
  await storage.write("Old", { type: "insert", entity: { PartitionKey: "p", RowKey: "Q_07", total: 7 } });
  const reader = new TableContext(storage);

  expect(await storage.get("Old", { partitionKey: "p", rowKey: "C_01" })).not.toHaveProperty("Kind");
  const all = await reader.query([Customer, Order, Total]).where({ p: "p" }).toArray();
  expect(all.map((row) => row.constructor.name)).toEqual(["Total", "Customer", "Order", "Order"]);
  const orders = reader.query(Order).where({ p: "p" });
  expect(await orders.count()).toBe(2);
  expect(orders.explain().requests.map(({ keys }) => keys)).toEqual([
    "PartitionKey eq 'p' and RowKey ge 'O_' and RowKey lt 'O`'",
    "PartitionKey eq 'p' and RowKey ge 'Q_' and RowKey lt 'Q`'",
  ]);
  expect((await reader.query(Total).where({ p: "p" }).single()).sum).toBe(5);
  const nothing = () =>
    defineEntity({ ...base, rowKey: { id: text() }, properties: {}, kind: { name: "N", stored: false } });
  await expect(createTables(storage, [nothing()])).rejects.toMatchObject({ code: "model.kind" });
});

test("a base of kinds in the key is one range for each kind", async () => {
  class Place extends defineEntity({
    table: "Places",
    separator: "!",
    partitionKey: { country: text() },
    rowKey: { name: escaped },
    properties: {},
  }) {}
  class Town extends defineKind(Place, { kind: { name: "Town", key: "prefix" } }) {}
  class Village extends defineKind(Place, {
    kind: { name: "Village", key: "prefix" },
    rowKey: { n: padded(1) },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Place, Town, Village]);
  const context = new TableContext(storage);
  context.create(Town, { country: "BR", name: "São Paulo" });
  context.create(Village, { country: "BR", name: "São João", n: 1 });
  context.create(Village, { country: "BR", name: "Rio", n: 1 });
  await context.saveChanges();

  const query = context.query(Place).where((p) => p.country.eq("BR").and(p.name.startsWith("São")));

  expect((await query.toArray()).map((place) => place.constructor)).toEqual([Town, Village]);
  expect(query.explain().requests.map(({ type, client }) => [type, client])).toEqual([
    ["row range scan", undefined],
    ["row range scan", undefined],
  ]);
});
