import { expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  guid,
  int32,
  odata,
  openStorage,
  type Predicate,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { Columns } from "../../src/models.ts";
import { modelOf } from "../../src/models.ts";
import {
  bucket,
  constant,
  escaped,
  month,
  newestFirst,
  padded,
  slices,
  ulid,
  verbatim,
  week,
} from "../../src/keys.ts";

class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), rating: int32().default(0) },
}) {}

const at = (day: string): Date => new Date(`${day}T10:00:00.000Z`);

async function posts(): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Post]);
  const context = new TableContext(storage);
  for (const day of ["2008-08-31", "2008-09-01", "2008-10-01", "2008-10-03"])
    context.create(Post, { channel: "Channel9", postedOn: at(day), text: day });
  await context.saveChanges();
  return new TableContext(storage);
}

test("a month of the date in the key is stored as the guidance has it, and the date read from the RowKey", async () => {
  const context = await posts();

  const post = await context.find(Post, { channel: "Channel9", postedOn: at("2008-10-03") });

  expect(post?.postedOn).toEqual(at("2008-10-03"));
  expect(context.entry(post as Post).key).toEqual({
    partitionKey: "Channel9_7991_03",
    rowKey: newestFirst.encode(at("2008-10-03")),
  });
});

test("a range of dates touches its months only, newest first", async () => {
  const context = await posts();
  const query = context
    .query(Post)
    .where((p) => p.channel.eq("Channel9").and(p.postedOn.between(at("2008-09-01"), at("2008-10-02"))));

  expect((await query.toArray()).map((post) => post.text)).toEqual(["2008-10-01", "2008-09-01"]);
  expect(query.explain().requests.map(({ type, keys }) => [type, keys?.split(" and ")[0]])).toEqual([
    ["row range scan", "PartitionKey eq 'Channel9_7991_03'"],
    ["row range scan", "PartitionKey eq 'Channel9_7991_04'"],
  ]);
});

test("an open end is one range of partitions, and the latest come first", async () => {
  const context = await posts();
  const query = context.query(Post).where({ channel: "Channel9" });

  expect((await query.first())?.text).toBe("2008-10-03");
  expect(query.explain()).toMatchObject({ type: "partition range scan", partitions: undefined });
  expect(query.explain().requests).toHaveLength(1);
});

test("dates that contradict each other need no request", async () => {
  const context = await posts();
  const query = context
    .query(Post)
    .where((p) => [
      p.channel.eq("Channel9"),
      p.postedOn.ge(at("2008-10-01")),
      p.postedOn.lt(at("2008-10-01")),
    ]);

  expect(query.explain().requests).toEqual([]);
  expect(String(query.explain())).toBe("no request · nothing can match");
});

class Reading extends defineEntity({
  table: "Readings",
  partitionKey: { device: bucket(4), takenOn: month },
  rowKey: { device: text(), id: ulid },
  properties: { takenOn: dateTime(), value: int32() },
}) {}

test("a key part may be derived from a stored property, which then cannot change across it", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Reading]);
  const context = new TableContext(storage);
  const id = ulid();
  const reading = context.create(Reading, { device: "d1", id, takenOn: at("2008-10-03"), value: 1 });
  await context.saveChanges();

  reading.takenOn = at("2008-10-04");
  await context.saveChanges();
  reading.takenOn = at("2008-11-04");

  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [
      { error: { code: "entity.key-changed", message: expect.stringContaining("takenOn") as string } },
    ],
  });
  const fresh = new TableContext(storage);
  const found = await fresh.find(Reading, { device: "d1", id, takenOn: at("2008-10-04") });
  expect(found?.takenOn).toEqual(at("2008-10-04"));
});

test("without a condition on its source, a bucketed query reads every bucket, and a whole table only on demand", async () => {
  class Event extends defineEntity({
    table: "Events",
    partitionKey: { device: bucket(8) },
    rowKey: { at: newestFirst, device: text() },
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Event]);
  const context = new TableContext(storage);
  for (let i = 0; i < 40; i++) context.create(Event, { device: `d${i}`, at: new Date(i) });
  await context.saveChanges();
  const all = context.query(Event);
  const latest = all.where((e) => e.at.ge(new Date(30)));

  expect(latest.explain()).toMatchObject({ type: "row range scan", partitions: 8 });
  expect(await latest.count()).toBe(10);
  expect(all.where({ device: "d1" }).explain()).toMatchObject({ type: "partition scan", partitions: 1 });
  await expect(all.toArray()).rejects.toMatchObject({
    code: "query.scan-refused",
    details: { missing: ["device"] },
  });
  expect(await all.scan().count()).toBe(40);
  expect(all.scan().explain()).toMatchObject({ type: "table scan", rating: "worst", partitions: 8 });
});

test("rows on the move from one slicing to another are found under both", async () => {
  const keys = { table: "Moving", rowKey: { at: newestFirst }, properties: {} } as const;
  class Before extends defineEntity({ ...keys, partitionKey: { at: month } }) {}
  class After extends defineEntity({
    ...keys,
    partitionKey: { at: slices({ by: month }, { from: "2008-10", by: [week, month] }) },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Before]);
  const old = new TableContext(storage);
  old.create(Before, { at: at("2008-10-03") });
  await old.saveChanges();
  const context = new TableContext(storage);
  context.create(After, { at: at("2008-10-04") });
  await context.saveChanges();
  const reader = new TableContext(storage);

  expect(reader.entry((await reader.find(After, { at: at("2008-10-03") })) as After).key?.partitionKey).toBe(
    "2008_10",
  );
  expect(reader.entry((await reader.find(After, { at: at("2008-10-04") })) as After).key?.partitionKey).toBe(
    "2008_10_01",
  );
  const both = reader.query(After).where((a) => a.at.between(at("2008-10-01"), at("2008-10-05")));
  expect(await both.count()).toBe(2);
});

test("the road race's keys are described as they are", async () => {
  class Runner extends defineEntity({
    table: "Races",
    separator: "__",
    partitionKey: { race: text(), distance: text() },
    rowKey: { bib: padded(4), name: text(), gender: text(), age: text() },
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await storage.write("Races", {
    type: "insert",
    entity: { PartitionKey: "2011 New York City Marathon__Full", RowKey: "1234__John__M__55" },
  });
  const context = new TableContext(storage);

  const found = await context
    .query(Runner)
    .where((r) => [r.race.eq("2011 New York City Marathon"), r.distance.eq("Full"), r.bib.eq(1234)])
    .single();

  expect(found).toMatchObject({
    race: "2011 New York City Marathon",
    distance: "Full",
    bib: 1234,
    name: "John",
    gender: "M",
    age: "55",
  });
});

test("any text is a key under escaped, and guids are keys as they are", async () => {
  class File extends defineEntity({
    table: "Files",
    partitionKey: { owner: escaped, folder: escaped },
    rowKey: { id: guid() },
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [File]);
  const context = new TableContext(storage);
  const id = "4185404a-5818-48c3-b9be-f217df0dba6f";
  const file = context.create(File, { owner: "a/b", folder: "New York!", id });
  await context.saveChanges();

  expect(context.entry(file).key?.partitionKey).toBe('a.~b!New"20York"21');
  const query = new TableContext(storage)
    .query(File)
    .where((f) => f.owner.eq("a/b").and(f.folder.startsWith("New ")));
  expect((await query.single()).folder).toBe("New York!");
});

test.each([
  ["a derived part alone", { partitionKey: { at: month }, rowKey: { id: text() } }, "model.derived-alone"],
  [
    "slices of several lengths before another part",
    {
      partitionKey: { at: slices({ by: month }, { months: [6], by: week }), tenant: text() },
      rowKey: { at: newestFirst },
    },
    "model.key-order",
  ],
  [
    "an escaped part with another separator",
    { separator: "_", partitionKey: { a: escaped, b: verbatim }, rowKey: { id: text() } },
    "model.separator",
  ],
] as const)("%s is refused", (_name, keys, code) => {
  const entity = defineEntity({ table: "Things", properties: {}, ...keys } as never);

  expect(() => modelOf(entity)).toThrow(expect.objectContaining({ code }) as Error);
});

test("single() takes exactly one", async () => {
  const context = await posts();
  const query = context.query(Post).where({ channel: "Channel9" });

  await expect(query.single()).rejects.toMatchObject({ code: "query.several-found" });
  await expect(query.where((p) => p.text.eq("none")).single()).rejects.toMatchObject({
    code: "query.none-found",
  });
  expect((await query.where((p) => p.text.eq("2008-10-01")).single()).postedOn).toEqual(at("2008-10-01"));
});

test("pages() goes on where a token says", async () => {
  const context = await posts();
  const query = context.query(Post).where({ channel: "Channel9" });

  const pages: string[][] = [];
  let token: string | undefined;
  for await (const { entities, next } of query.pages({ size: 3 })) {
    pages.push(entities.map((post) => post.text));
    token ??= next;
  }
  expect(pages).toEqual([["2008-10-03", "2008-10-01", "2008-09-01"], ["2008-08-31"]]);
  for await (const { entities } of query.pages({ size: 3, ...(token !== undefined && { after: token }) }))
    expect(entities.map((post) => post.text)).toEqual(["2008-08-31"]);
});

test("a raw filter narrows what where() asks for, never the keys, and values cannot break out of it", async () => {
  const context = await posts();
  const query = context.query(Post).where({ channel: "Channel9" });

  const found = await query.filter(odata`text ge ${"2008-10"}`).toArray();
  expect(found.map((post) => post.text)).toEqual(["2008-10-03", "2008-10-01"]);
  const hostile = "zz' or PartitionKey ne '";
  expect(await query.filter(odata`text eq ${hostile}`).toArray()).toEqual([]);
  expect(await query.where((p) => p.text.eq(hostile)).toArray()).toEqual([]);
  const keyed = context.query(Post).filter(odata`PartitionKey eq ${"Channel9_7991_03"}`);
  await expect(keyed.toArray()).rejects.toMatchObject({ code: "query.scan-refused" });
  expect(await keyed.scan().count()).toBe(2);
  expect(() => query.filter("text eq 'x'" as never)).toThrow(/odata/);
  const names = Array.from({ length: 20 }, (_, i) => `text ne '${i}'`).join(" and ");
  const long = query.filter(odata([names] as unknown as TemplateStringsArray));
  expect(long.explain().requests[0]).toMatchObject({ filter: undefined, isChecked: true });
  expect(await long.count()).toBe(4);
  expect(await long.select("rating").count()).toBe(4);
});

test("text that a format never writes is no beginning of a key either", async () => {
  class Guided extends defineEntity({
    table: "Guided",
    separator: "-",
    partitionKey: { p: text() },
    rowKey: { id: guid(), n: text() },
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Guided]);
  const context = new TableContext(storage);
  const id = "4185404a-5818-48c3-b9be-f217df0dba6f";
  context.create(Guided, { p: "a", id, n: "1" });
  await context.saveChanges();
  const query = context.query(Guided).where({ p: "a" });

  expect(await query.where({ id: "4185404a" }).toArray()).toEqual([]);
  expect(await query.where((g) => g.id.in(["4185404a"])).toArray()).toEqual([]);
  expect(await query.where((g) => g.id.startsWith("4185404a")).count()).toBe(1);
  expect(await query.where({ id }).count()).toBe(1);
});

class Spread extends defineEntity({
  table: "Spread",
  partitionKey: { d: bucket(4) },
  rowKey: { at: newestFirst, d: text() },
  properties: { v: int32().optional() },
}) {}

test.each<[string, (e: Columns<Spread>) => Predicate]>([
  ["another than one", (e) => e.d.ne("zz")],
  ["any", (e) => e.d.exists()],
  ["from the empty text on", (e) => e.d.ge("")],
  ["beginning with nothing", (e) => e.d.startsWith("")],
  ["a filter only", (e) => e.v.ge(3)],
])("a condition that narrows no bucket leaves a scan a scan: %s", async (_name, condition) => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Spread]);

  await expect(new TableContext(storage).query(Spread).where(condition).removeAll()).rejects.toMatchObject({
    code: "query.scan-refused",
  });
});

test("a bucket or a constant before a free part is no narrowing", async () => {
  class Posted extends defineEntity({
    table: "Posted",
    partitionKey: { k: constant("POST"), tenant: text() },
    rowKey: { id: text() },
    properties: {},
  }) {}
  const context = new TableContext(await openStorage("memory:"));

  expect(context.query(Reading).explain()).toMatchObject({ type: "table scan", missing: ["takenOn"] });
  expect(context.query(Posted).explain()).toMatchObject({ type: "table scan", missing: ["tenant"] });
  expect(context.query(Posted).where({ tenant: "t" }).explain().type).toBe("partition scan");
});

test("a glued prefix bounds its key, so that index rows may share the partition", async () => {
  const table = { table: "Race", separator: "__", partitionKey: { race: text() }, properties: {} } as const;
  class Bib extends defineEntity({ ...table, rowKey: { bib: constant("BIB:", padded(5)), name: text() } }) {}
  class Age extends defineEntity({
    ...table,
    rowKey: { age: constant("AGE:", padded(3)), bib: padded(5) },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Bib]);
  const writer = new TableContext(storage);
  writer.create(Bib, { race: "NY", bib: 1234, name: "John" });
  writer.create(Age, { race: "NY", age: 55, bib: 1234 });
  await writer.saveChanges();
  const context = new TableContext(storage);

  expect(await context.query(Bib).where({ race: "NY" }).count()).toBe(1);
  expect(
    (
      await context
        .query(Bib)
        .where((b) => [b.race.eq("NY"), b.bib.le(2000)])
        .single()
    ).name,
  ).toBe("John");
  expect(
    (
      await context
        .query(Age)
        .where((a) => [a.race.eq("NY"), a.age.ge(1)])
        .single()
    ).bib,
  ).toBe(1234);
  expect(
    String(
      context
        .query(Age)
        .where((a) => [a.race.eq("NY"), a.age.ge(1)])
        .explain(),
    ),
  ).not.toMatch(/client/);
});

test("a row of another slice than its date says can still be saved", async () => {
  class Off extends defineEntity({
    table: "Off",
    partitionKey: { on: month },
    rowKey: { id: text() },
    properties: { on: dateTime(), v: int32().optional() },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Off]);
  await storage.write("Off", {
    type: "insert",
    entity: {
      PartitionKey: "2008_09",
      RowKey: "1",
      on: "2008-10-01T00:00:00Z",
      "on@odata.type": "Edm.DateTime",
    },
  });
  const context = new TableContext(storage);
  const row = await context.query(Off).scan().single();

  row.v = 2;
  await context.saveChanges();

  expect((await new TableContext(storage).query(Off).scan().single()).v).toBe(2);
});

test("alternatives over a derived source are one partition each", async () => {
  const context = await posts();
  const months = (...names: string[]) =>
    context
      .query(Post)
      .where({ channel: "Channel9" })
      .where((p) => {
        const [first, ...others] = names.map((name) =>
          p.postedOn.between(at(`${name}-01`), at(`${name}-28`)),
        );
        return (first as Predicate).or(...others);
      });

  expect((await months("2008-09", "2008-10").toArray()).map((post) => post.text)).toEqual([
    "2008-10-03",
    "2008-10-01",
    "2008-09-01",
  ]);
  const many = context.query(Post).where((p) => {
    const [first, ...others] = Array.from({ length: 300 }, (_, i) =>
      p.channel.eq(`c${i}`).and(p.postedOn.ge(at("2008-10-01"))),
    );
    return (first as Predicate).or(...others);
  });
  expect(many.explain().requests).toHaveLength(300);
});

test("a point read takes no filter: what is left is checked here, and explained so", async () => {
  const context = await posts();
  const query = context.query(Post).where({ channel: "Channel9", postedOn: at("2008-10-03"), text: "zz" });

  expect(query.explain().requests).toMatchObject([
    { type: "point", filter: undefined, client: "text eq 'zz'", isChecked: true },
  ]);
  expect(await query.toArray()).toEqual([]);
});

test("a long list of dates on a stored property becomes a range", async () => {
  const context = new TableContext(await openStorage("memory:"));
  const dates = Array.from({ length: 9 }, (_, i) => at(`2008-10-0${i + 1}`));
  class Plain extends defineEntity({
    table: "Plain",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { on: dateTime() },
  }) {}
  const plain = context.query(Plain).where((r) => [r.p.eq("p"), r.on.in(dates)]);
  expect(plain.explain().requests[0]?.filter).toBe(
    "on ge datetime'2008-10-01T10:00:00.000Z' and on le datetime'2008-10-09T10:00:00.0009999Z'",
  );
});

test("tokens that go round are an error, and nobody is asked once a signal is aborted", async () => {
  await using inner = await openStorage("memory:");
  await createTables(inner, [Post]);
  let asked = 0;
  const circling = Object.assign(Object.create(inner) as TableStorage, {
    query: () => Promise.resolve({ entities: [], next: ["a", "b", "c"][asked++ % 3] }),
  });
  const query = new TableContext(circling).query(Post).where({ channel: "c" });

  await expect(query.toArray()).rejects.toMatchObject({ code: "query.token-repeated" });
  await expect(query.page({ size: 1 })).rejects.toMatchObject({ code: "query.token-repeated" });
  const signal = AbortSignal.abort();
  asked = 0;
  await expect(query.toArray({ signal })).rejects.toMatchObject({ code: "storage.cancelled" });
  expect(asked).toBe(0);
});

test.each([
  ["a month of a number", { n: month }, { n: int32() }],
  ["a remainder of text", { n: bucket(4, { by: "modulo" }) }, { n: text() }],
  ["a bucket of something optional", { n: bucket(4) }, { n: text().optional() }],
])("%s is refused", (_name, partitionKey, properties) => {
  const entity = defineEntity({ table: "Things", partitionKey, rowKey: { id: text() }, properties } as never);

  expect(() => modelOf(entity)).toThrow(expect.objectContaining({ code: "model.derived-source" }) as Error);
});

test("conditions nested without end are refused by name", async () => {
  const query = new TableContext(await openStorage("memory:")).query(Post);

  expect(() =>
    query.where((p) => {
      let predicate = p.text.eq("x");
      for (let i = 0; i < 20_000; i++) predicate = predicate.not();
      return predicate;
    }),
  ).toThrow(expect.objectContaining({ code: "query.too-deep" }) as Error);
});
