import { expect, test } from "vitest";
import { defineEntity, defineKind, int32, odata, TableContext, text } from "../../../src/index.ts";
import { constant, padded, verbatim } from "../../../src/keys.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { storeOf } from "./store.ts";

class Animal extends defineEntity({
  table: "Animals",
  partitionKey: { zoo: text() },
  rowKey: { id: text() },
  properties: { age: int32().optional(), chip: text().optional() },
  indexes: {
    byAge: { rowKey: { age: constant("AGE:", padded(3)), id: text() } },
    byChip: { rowKey: { chip: constant("CHIP:", verbatim) }, unique: true },
  },
}) {}
class Cat extends defineKind(Animal, { kind: "Cat" }) {}
class Dog extends defineKind(Animal, { kind: "Dog" }) {}

test("a base class is read via an index within the index's rows, whatever the conditions are", async () => {
  await using storage = await storeOf(Animal);
  const context = new TableContext(storage);
  context.create(Cat, { zoo: "z", id: "tom", age: 4 });
  await context.saveChanges();

  const query = new TableContext(storage).query(Animal).where((a) => a.zoo.eq("z").and(a.id.ge("a")));
  const found = query.via("byAge");

  expect((await found.toArray()).map(({ id }) => id)).toEqual(["tom"]);
  expect(String(found.explain())).toContain("RowKey ge 'AGE:");
});

test("one kind is found via a unique index of its base, and the others are not", async () => {
  await using storage = await storeOf(Animal);
  const context = new TableContext(storage);
  context.create(Cat, { zoo: "z", id: "tom", chip: "c1" });
  context.create(Dog, { zoo: "z", id: "rex", chip: "c2" });
  await context.saveChanges();
  const zoo = { zoo: "z" };
  const idsOf = (animals: readonly Animal[]): string[] => animals.map(({ id }) => id);
  const reader = new TableContext(storage);

  expect(idsOf(await reader.query(Cat).where(zoo).via("byChip").toArray())).toEqual(["tom"]);
  expect(idsOf(await reader.query(Dog).where(zoo).via("byChip").toArray())).toEqual(["rex"]);
  expect(idsOf(await reader.query([Cat, Dog]).where(zoo).via("byChip").toArray())).toEqual(["tom", "rex"]);
});

class Guest extends defineEntity({
  table: "Guests",
  partitionKey: { hotel: text() },
  rowKey: { id: constant("ID:", padded(3)) },
  properties: { room: int32(), floor: int32() },
  indexes: {
    byRoom: { rowKey: { room: constant("ROOM:", padded(3)) }, copy: "none" },
    byFloor: { rowKey: { floor: constant("FLOOR:", padded(2)) }, state: "retired" },
  },
}) {}

test("a retired index is refused as such, and no other name is proposed", async () => {
  await using storage = await storeOf(Guest);
  const guests = new TableContext(storage).query(Guest).where({ hotel: "h" });

  await expect(guests.via("byFloor").toArray()).rejects.toMatchObject({
    code: "query.unknown-index",
    message: expect.stringContaining(
      'The index byFloor of Guest is declared as retired: its rows are no longer written, and no query reads them. Query without via("byFloor"), or remove the state from its declaration and build it again.',
    ) as string,
  });
});

test("the line of a plan over an index names what is checked here, and no kind where a class has none", async () => {
  await using storage = await storeOf(Guest);
  const guests = new TableContext(storage).query(Guest).via("byRoom").where({ hotel: "h", room: 7 });

  expect(String(guests.explain())).toMatch(/· index byRoom, then the rows · [^·]*$/);
  expect(String(guests.where((g) => g.floor.eq(2)).explain())).toMatch(/ · on the client floor eq 2/);
});

test("updateAll via an index changes each entity once, also where the change moves it on in the index", async () => {
  await using storage = await storeOf(Animal);
  const pages = forwardStorage(storage, {
    query: (table, query, options) => storage.query(table, { ...query, top: 2 }, options),
  });
  const context = new TableContext(storage);
  for (const id of ["a", "b", "c", "d", "e", "f", "g"]) context.create(Cat, { zoo: "z", id, age: 4 });
  await context.saveChanges();

  const grown = new TableContext(pages).query(Animal).via("byAge").where({ zoo: "z" });
  const progress = await grown.updateAll((animal) => {
    if (animal.age !== undefined && animal.age < 50) animal.age++;
  });

  const found = await new TableContext(storage).query(Animal).where({ zoo: "z" }).toArray();
  expect(found.map(({ age }) => age)).toEqual([5, 5, 5, 5, 5, 5, 5]);
  expect(progress).toEqual({ read: 7, written: 7, skipped: 0 });
});

test("updateAll of the first so many via an index changes so many", async () => {
  await using storage = await storeOf(Animal);
  const pages = forwardStorage(storage, {
    query: (table, query, options) => storage.query(table, { ...query, top: 2 }, options),
  });
  const context = new TableContext(storage);
  for (const id of ["a", "b", "c", "d", "e", "f", "g"]) context.create(Cat, { zoo: "z", id, age: 4 });
  await context.saveChanges();

  const grown = new TableContext(pages).query(Animal).via("byAge").where({ zoo: "z" }).take(6);
  const { written } = await grown.updateAll((animal) => {
    animal.age = 9;
  });

  expect(written).toBe(6);
});

class Job extends defineEntity({
  table: "Jobs",
  partitionKey: { queue: text() },
  rowKey: { id: constant("JOB:", padded(3)) },
  properties: { rank: int32(), note: text().optional() },
  indexes: {
    byRank: { rowKey: { rank: constant("RANK:", padded(2)) } },
    byRankAlone: { rowKey: { rank: constant("ALONE:", padded(2)) }, copy: ["rank"] },
    byRankKeys: { rowKey: { rank: constant("KEYS:", padded(2)) }, copy: "none" },
  },
}) {}

test("a filter in the service's words is true of the entities' own rows, whichever index finds them", async () => {
  await using storage = await storeOf(Job);
  const context = new TableContext(storage);
  context.create(Job, { queue: "q", id: 1, rank: 1, note: "a" });
  context.create(Job, { queue: "q", id: 2, rank: 1, note: "b" });
  await context.saveChanges();
  const filters = [odata`note eq ${"a"}`, odata`not (note eq ${"b"})`, odata`RowKey lt ${"JOB:002"}`];

  for (const path of ["primary", "byRank", "byRankAlone", "byRankKeys", undefined] as const)
    for (const filter of filters) {
      const found = new TableContext(storage).query(Job).where({ queue: "q", rank: 1 }).filter(filter);
      const entities = await (path === undefined ? found : found.via(path)).toArray();
      expect([path, entities.map(({ id }) => id)]).toEqual([path, [1]]);
    }
});

test.each(["all", "none"] as const)(
  "a row of another program under the prefix of an index is no row of it, copied: %s",
  async (copy) => {
    class Book extends defineEntity({
      table: "Books",
      partitionKey: { shelf: text() },
      rowKey: { id: text() },
      properties: { title: text() },
      indexes: { byTitle: { rowKey: { title: constant("TITLE:", verbatim) }, copy } },
    }) {}
    await using storage = await storeOf(Book);
    const context = new TableContext(storage);
    context.create(Book, { shelf: "s", id: "1", title: "b" });
    await context.saveChanges();
    const entity = { PartitionKey: "s", RowKey: "TITLE:", other: "a" };
    await storage.write("Books", { type: "insert", entity });

    const query = new TableContext(storage).query(Book).where({ shelf: "s" }).via("byTitle");

    expect((await query.toArray()).map(({ id }) => id)).toEqual(["1"]);
    expect((await query.first())?.id).toBe("1");
    expect(await query.count()).toBe(1);
  },
);
