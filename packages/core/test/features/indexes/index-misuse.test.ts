import { expect, test } from "vitest";
import {
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  json,
  type SaveError,
  TableContext,
  text,
} from "../../../src/index.ts";
import { constant, escaped, padded, verbatim } from "../../../src/keys.ts";
import { modelOf } from "../../../src/models.ts";
import { add, rename, upgrades } from "../../../src/upgrades.ts";
import { storeOf } from "./store.ts";

const own = {
  table: "Things",
  partitionKey: { tenant: text() },
  rowKey: { id: constant("ID:", verbatim) },
  properties: { age: int32().optional(), name: text().optional(), more: json<object>().optional() },
} as const;
const byAge = { rowKey: { age: constant("AGE:", padded(3)) } } as const;

/** What a declaration with these indexes is refused with, on first use. */
function refusal(indexes: object, more: object = {}): { code: string; message: string; details: unknown } {
  class Thing extends defineEntity({ ...own, ...more, indexes } as unknown as typeof own) {}
  try {
    modelOf(Thing as unknown as EntityClass);
  } catch (error) {
    return error as { code: string; message: string; details: unknown };
  }
  throw new Error("expected a failure");
}

test("more than 20 indexes are refused, naming the limit", () => {
  const indexes = Object.fromEntries(
    Array.from({ length: 21 }, (_, i) => [`by${i}`, { rowKey: { age: constant(`A${i}:`, padded(3)) } }]),
  );

  expect(refusal(indexes)).toMatchObject({
    code: "model.index-limit",
    message: expect.stringMatching(/21 indexes.*at most 20.*Remove/s) as string,
  });
});

test("an index of the name of the class's own keys is refused", () => {
  expect(refusal({ primary: byAge })).toMatchObject({
    code: "model.index-twice",
    message: expect.stringMatching(/Thing has an index named "primary".*Choose another name/) as string,
    details: { entity: "Thing", index: "primary" },
  });
});

test("an index without a text of its own is refused, with one to begin it with", () => {
  expect(refusal({ byName: { rowKey: { name: verbatim } } })).toMatchObject({
    code: "model.index-prefix",
    message: expect.stringContaining('constant("BYNAME:", format)') as string,
    details: { index: "byName" },
  });
});

test("prefixes of which one begins with the other are refused: of two indexes, and of an index and the class", () => {
  const overlapping = refusal({ byAge, byName: { rowKey: { name: constant("AGE:X", verbatim) } } });
  const withOwn = refusal({ byName: { rowKey: { name: constant("ID:N", verbatim) } } });

  expect(overlapping).toMatchObject({ code: "model.prefix-overlap", details: { index: "byName" } });
  expect(overlapping.message).toMatch(/byAge.*"AGE:".*byName.*"AGE:X".*Give each its own prefix/);
  expect(withOwn).toMatchObject({ code: "model.prefix-overlap" });
  expect(withOwn.message).toContain("its own RowKey");
});

test("an index that begins as the markers of transactions do is refused", () => {
  for (const beginning of ["~", "~w~", "~w~x"])
    expect(
      refusal({ byName: { rowKey: { name: constant(beginning, verbatim) } } }, { proof: "marker" }),
    ).toMatchObject({ code: "model.prefix-overlap" });
});

test("parts that are no properties, have no parts, or take other values are refused by name", () => {
  expect(refusal({ byAge: { rowKey: {} } })).toMatchObject({ code: "model.index-part" });
  expect(refusal({ byHat: { rowKey: { hat: constant("HAT:", verbatim) } } })).toMatchObject({
    code: "model.index-part",
    message: expect.stringContaining("the part hat, which is not a property") as string,
  });
  expect(refusal({ byName: { rowKey: { name: constant("N:", padded(3)) } } })).toMatchObject({
    code: "model.index-part",
    message: expect.stringMatching(/writes name as .*Choose a format for its type/) as string,
  });
  expect(refusal({ byMore: { rowKey: { more: constant("M:", verbatim) } } })).toMatchObject({
    code: "model.index-part",
  });
});

test("options that no index takes, and copies of what is not stored, are refused", () => {
  expect(refusal({ byAge: { ...byAge, copy: "some" } })).toMatchObject({ code: "model.option" });
  expect(refusal({ byAge: { ...byAge, state: "done" } })).toMatchObject({ code: "model.option" });
  expect(refusal({ byAge: { ...byAge, copy: ["hat"] } })).toMatchObject({
    code: "model.index-copy",
    message: expect.stringContaining("copies hat, which is not a stored property") as string,
  });
});

test("an index over a property that an upgrade makes is refused; over a renamed one it is not", () => {
  const before = { years: int32().optional() };
  const renamed = upgrades(before).to(2, rename("years", "age"));
  const added = upgrades({}).to(2, add("age", int32(), 1));
  const properties = { age: int32().optional() };
  class Renamed extends defineEntity({
    ...own,
    properties,
    version: renamed,
    indexes: { byAge },
  } as unknown as typeof own) {}

  expect(refusal({ byAge }, { properties: { age: int32() }, version: added })).toMatchObject({
    code: "model.index-crosses-upgrade",
    message: expect.stringMatching(/byAge of Thing has the part age.*Upgrade the table/s) as string,
  });
  expect(modelOf(Renamed as unknown as EntityClass).indexes.map(({ name }) => name)).toEqual(["byAge"]);
});

class Thing extends defineEntity({
  ...own,
  indexStates: "declared",
  indexes: {
    byAge,
    byName: { rowKey: { name: constant("NAME:", verbatim) }, state: "building" },
    byOld: { rowKey: { name: constant("OLD:", escaped) }, unique: true, state: "retired" },
  },
}) {}

test("an unknown index is refused with the nearest name, a retired one as retired, a building one with a remedy", async () => {
  await using storage = await storeOf(Thing);
  const query = new TableContext(storage).query(Thing).where({ tenant: "t" });

  await expect(query.via("byAgee" as "byAge").toArray()).rejects.toMatchObject({
    code: "query.unknown-index",
    message: expect.stringMatching(/Did you mean byAge\?.*Known: primary, byAge/) as string,
  });
  await expect(query.via("byOld").toArray()).rejects.toMatchObject({
    code: "query.unknown-index",
    message: expect.stringContaining("is declared as retired") as string,
  });
  await expect(query.via("byName").toArray()).rejects.toMatchObject({
    code: "index.not-built",
    message: expect.stringContaining("partita index build") as string,
  });
});

test("a building index is written and never chosen; a retired one is neither", async () => {
  await using storage = await storeOf(Thing);
  const context = new TableContext(storage);
  context.create(Thing, { tenant: "t", id: "1", name: "n" });
  await context.saveChanges();

  const { entities } = await storage.query("Things", {});

  expect(entities.map(({ RowKey }) => RowKey)).toEqual(["ID:1", "NAME:n_ID:1"]);
  expect(context.query(Thing).where({ tenant: "t", name: "n" }).explain().index).toBeUndefined();
});

test("a value that does not fit its part refuses the save before anything is sent, and names index and property", async () => {
  await using storage = await storeOf(Thing);
  const context = new TableContext(storage);
  context.create(Thing, { tenant: "t", id: "1", age: 1000 });
  context.create(Thing, { tenant: "t", id: "2", name: "a/b" });
  context.create(Thing, { tenant: "t", id: "3", name: "a_b" });
  context.create(Thing, { tenant: "t", id: "4", name: "x".repeat(510) });
  context.create(Thing, { tenant: "t", id: "5", age: 5 });

  const error = (await context.saveChanges().catch((refused: unknown) => refused)) as SaveError;

  expect(error.code).toBe("save.invalid");
  const messages = error.results.map(({ error: each }) => each?.message ?? "");
  expect(messages[0]).toMatch(/^Thing\.byAge\.age/);
  expect(messages[1]).toMatch(/^Thing\.byName\.name/);
  expect(messages[2]).toMatch(/^Thing\.byName\.name.*separator/);
  expect(messages[3]).toMatch(/Thing\.byName/);
  expect(messages.join("")).not.toMatch(/1000|a\/b|a_b|xxx/);
  expect((await storage.query("Things", {})).entities).toEqual([]);
});

test("a key that begins as rows of an index do is refused", async () => {
  class Open extends defineEntity({ ...own, rowKey: { id: text() }, indexes: { byAge } }) {}
  await using storage = await storeOf(Open);
  const context = new TableContext(storage);

  expect(() => context.create(Open, { tenant: "t", id: "AGE:1" })).toThrow(
    expect.objectContaining({ code: "key.reserved" }) as Error,
  );
  await expect(context.find(Open, { tenant: "t", id: "AGE:1" })).rejects.toMatchObject({
    code: "key.reserved",
  });
});

test("an entity that fits no transaction together with its copies is refused before sending, naming the indexes", async () => {
  const copies = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`by${i}`, { rowKey: { age: constant(`A${i}:`, padded(3)) } }]),
  );
  const properties = Object.fromEntries(
    Array.from({ length: 15 }, (_, i) => [`text${i}`, text().optional()]),
  );
  class Large extends defineEntity({
    ...own,
    properties: { age: int32().optional(), ...properties },
    indexes: copies,
  } as unknown as typeof own) {}
  await using storage = await storeOf(Large as unknown as EntityClass);
  const context = new TableContext(storage);
  const texts = Object.fromEntries(Object.keys(properties).map((name) => [name, "x".repeat(30_000)]));
  context.add(
    new (Large as never as new (values: object) => object)({ tenant: "t", id: "1", age: 1, ...texts }),
  );

  const error = (await context.saveChanges().catch((refused: unknown) => refused)) as SaveError;

  expect(error.results[0]?.error).toMatchObject({
    code: "batch.entity-too-large",
    message: expect.stringMatching(/by0, by1.*Let an index copy fewer properties/) as string,
  });
});

test("kinds take part in the indexes of their base", () => {
  class Base extends defineEntity({ ...own, table: "Kinds", indexes: { byAge } }) {}
  class Kind extends defineKind(Base, { kind: "Kind" }) {}

  expect(modelOf(Kind).indexes.map(({ name }) => name)).toEqual(["byAge"]);
});
