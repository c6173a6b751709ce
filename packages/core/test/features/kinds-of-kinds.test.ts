import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  fromPlain,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
  toPlain,
} from "../../src/index.ts";
import { constant, padded } from "../../src/keys.ts";

// Kinds below kinds: a capital is a city, and a city is a place.

class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: { id: text() },
  properties: { name: text() },
  indexes: { byName: { rowKey: { name: constant("NAME:", text()) } } },
}) {}
class City extends defineKind(Place, {
  kind: "City",
  properties: { size: int32() },
  etagProperty: "etag",
  timestampProperty: "storedAt",
  indexes: { bySize: { rowKey: { size: constant("SIZE:", padded(8)) } } },
}) {}
class Capital extends defineKind(City, { kind: "Capital", properties: { since: int32() } }) {}
class Lake extends defineKind(Place, { kind: "Lake", properties: { depth: int32() } }) {}

async function places(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Place, City, Capital, Lake]);
  const context = new TableContext(storage);
  context.create(City, { country: "no", id: "b", name: "Bergen", size: 3 });
  context.create(Capital, { country: "no", id: "o", name: "Oslo", size: 7, since: 1814 });
  context.create(Lake, { country: "no", id: "m", name: "Mjøsa", depth: 453 });
  await context.saveChanges();
  return storage;
}

const kindsIn = (found: readonly object[]): string[] => found.map((each) => each.constructor.name);

test("a query finds the entities of its class and of all kinds below it, each as its own class", async () => {
  await using storage = await places();
  const context = new TableContext(storage);

  expect(kindsIn(await context.query(Place).where({ country: "no" }).toArray())).toEqual([
    "City",
    "Lake",
    "Capital",
  ]);
  expect(kindsIn(await context.query(City).where({ country: "no" }).toArray())).toEqual(["City", "Capital"]);
  expect(kindsIn(await context.query(Capital).where({ country: "no" }).toArray())).toEqual(["Capital"]);
  expect(await context.query(City).where({ country: "no" }).count()).toBe(2);
  expect(await context.find(City, { country: "no", id: "o" })).toBeInstanceOf(Capital);
  expect(kindsIn(await context.query([City, Capital]).where({ country: "no" }).toArray())).toEqual([
    "City",
    "Capital",
  ]);
});

test("whereKind narrows a kind and those below it", async () => {
  await using storage = await places();
  const all = new TableContext(storage).query(Place).where({ country: "no" });

  expect(kindsIn(await all.whereKind(City, (city) => city.size.gt(5)).toArray())).toEqual([
    "Lake",
    "Capital",
  ]);
});

test("indexes of a kind cover the kinds below it and no others", async () => {
  await using storage = await places();
  const context = new TableContext(storage);

  expect(kindsIn(await context.query(City).via("bySize").where({ country: "no" }).toArray())).toEqual([
    "City",
    "Capital",
  ]);
  expect(kindsIn(await context.query(Place).via("byName").where({ country: "no" }).toArray())).toEqual([
    "City",
    "Lake",
    "Capital",
  ]);
  const capital = await context.query(Capital).via("bySize").where({ country: "no", size: 7 }).single();
  capital.size = 8;
  await context.saveChanges();
  const reread = new TableContext(storage);
  expect(await reread.query(City).via("bySize").where({ country: "no", size: 8 }).count()).toBe(1);
  expect(await reread.query(City).via("bySize").where({ country: "no", size: 7 }).count()).toBe(0);
});

test("a kind has an ETag and a Timestamp of its own, and so have the kinds below it", async () => {
  await using storage = await places();
  const context = new TableContext(storage);

  const oslo = await context.query(Capital).where({ country: "no" }).single();
  const mjosa = await context.query(Lake).where({ country: "no" }).single();

  expect(oslo.etag).toBe(context.entry(oslo)?.etag);
  expect(oslo.storedAt).toBeInstanceOf(Date);
  expect(mjosa).not.toHaveProperty("etag");
});

test("plain data of a kind below comes back as that kind", async () => {
  await using storage = await places();
  const oslo = await new TableContext(storage).query(Capital).where({ country: "no" }).single();

  expect(fromPlain(City, toPlain(oslo))).toBeInstanceOf(Capital);
});

test("the types of a kind have the members, keys and indexes of all above it", async () => {
  await using storage = await places();
  const context = new TableContext(storage);
  const query = context.query(Capital).where({ country: "no", size: 7, since: 1814 });

  expect(await query.via("byName").count()).toBe(1);
  // @ts-expect-error -- there is no such index
  expect(() => context.query(Capital).via("byDepth").explain()).toThrow(/no index byDepth/);
  // @ts-expect-error -- a capital has no depth
  expect(() => context.query(Capital).where({ depth: 1 })).toThrow(/depth/);
});
