import { describe, expect, test } from "vitest";
import { buildIndex, verifyIndex } from "@partita/maintenance";
import {
  createTables,
  defineEntity,
  type EntityClass,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { modelOf } from "../../../src/models.ts";
import { constant, padded, verbatim } from "../../../src/keys.ts";
import { add, rename, retype, upgrades } from "../../../src/upgrades.ts";

/* Indexes belong to what releases share: each release finds by its own indexes what another has written. */

const keys = { table: "People", partitionKey: { club: text() }, rowKey: { id: text() } } as const;
const first = { Age: int32(), Mail: text(), Price: text() };
const second = { Years: int32(), Mail: text(), Cents: int32(), Town: text() };
const cents = (price: string): number => Math.round(Number(price) * 100);
const chain = upgrades(first).to(
  2,
  rename("Age", "Years"),
  add("Town", text(), "Bern"),
  retype("Price", "Cents", int32(), cents, { back: (each) => (each / 100).toFixed(2), exact: true }),
);

class Old extends defineEntity({
  ...keys,
  version: upgrades(first),
  properties: first,
  indexes: {
    byAge: { rowKey: { Age: constant("AGE:", padded(3)) } },
    byMail: { rowKey: { Mail: constant("MAIL:", verbatim) }, unique: true },
    byPrice: { rowKey: { Price: constant("PRICE:", verbatim) }, copy: ["Price"] },
  },
}) {}
const indexes = {
  byAge: { rowKey: { Years: constant("AGE:", padded(3)) } },
  byMail: { rowKey: { Mail: constant("MAIL:", verbatim) }, unique: true },
  byTown: { rowKey: { Town: constant("TOWN:", verbatim) }, since: 2 },
} as const;
class New extends defineEntity({
  ...keys,
  version: chain.supports(1, { indexes: Old }),
  properties: second,
  indexes,
}) {}
/** The release after the older one has stopped. */
class Alone extends defineEntity({
  ...keys,
  version: chain,
  properties: second,
  indexes: { byAge: indexes.byAge, byMail: indexes.byMail },
}) {}

const people = async (): Promise<TableStorage> => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Old]);
  return storage;
};
const idsBy = async (
  storage: TableStorage,
  of: EntityClass,
  index: string,
  where: object,
): Promise<string[]> => {
  const query = new TableContext(storage).query(of as never).via(index as never);
  const found = await query.where({ club: "c", ...where } as never).toArray();
  return (found as unknown as { readonly id: string }[]).map(({ id }) => id);
};

describe("with an index of each release", () => {
  test("each finds by a renamed property what the other wrote", async () => {
    const storage = await people();
    const context = new TableContext(storage);
    context.create(Old, { club: "c", id: "1", Age: 30, Mail: "a@x", Price: "1.50" });
    context.create(New, { club: "c", id: "2", Years: 31, Mail: "b@x", Cents: 250, Town: "Rome" });
    await context.saveChanges();

    expect(await idsBy(storage, New, "byAge", { Years: 30 })).toEqual(["1"]);
    expect(await idsBy(storage, Old, "byAge", { Age: 31 })).toEqual(["2"]);

    const mine = (await new TableContext(storage).find(New, { club: "c", id: "1" })) as New;
    expect(mine).toMatchObject({ Years: 30, Cents: 150, Town: "Bern" });
    const other = new TableContext(storage);
    const one = (await other.find(New, { club: "c", id: "1" })) as New;
    one.Years = 40;
    await other.saveChanges();
    expect(await idsBy(storage, Old, "byAge", { Age: 40 })).toEqual(["1"]);
    expect(await idsBy(storage, Old, "byAge", { Age: 30 })).toEqual([]);
    for (const [of, index] of [
      [Old, "byAge"],
      [New, "byAge"],
      [Old, "byMail"],
      [New, "byMail"],
      [Old, "byPrice"],
    ] as const)
      expect((await verifyIndex(storage, of, index)).isClean, `${of.name} ${index}`).toBe(true);
  });

  test("the newer release keeps the rows of an index that only the older one has, on a property of another type now", async () => {
    const storage = await people();
    const context = new TableContext(storage);
    const person = context.create(New, {
      club: "c",
      id: "1",
      Years: 31,
      Mail: "b@x",
      Cents: 250,
      Town: "Rome",
    });
    await context.saveChanges();
    expect(await idsBy(storage, Old, "byPrice", { Price: "2.50" })).toEqual(["1"]);

    person.Cents = 300;
    await context.saveChanges();
    expect(await idsBy(storage, Old, "byPrice", { Price: "2.50" })).toEqual([]);
    expect(await idsBy(storage, Old, "byPrice", { Price: "3.00" })).toEqual(["1"]);

    context.remove(person);
    await context.saveChanges();
    expect((await storage.query("People", {})).entities).toEqual([]);
  });

  test("a unique value is unique for both", async () => {
    const storage = await people();
    const context = new TableContext(storage);
    context.create(Old, { club: "c", id: "1", Age: 30, Mail: "a@x", Price: "1.50" });
    await context.saveChanges();
    context.create(New, { club: "c", id: "2", Years: 31, Mail: "a@x", Cents: 250, Town: "Rome" });

    await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ error: { reason: "unique" } }] });
  });

  test("an index that was added is written, and neither read nor built while the older release is supported", async () => {
    const storage = await people();
    const context = new TableContext(storage);
    context.create(New, { club: "c", id: "2", Years: 31, Mail: "b@x", Cents: 250, Town: "Rome" });
    await context.saveChanges();

    const rows = (await storage.query("People", {})).entities.map(({ RowKey }) => RowKey);
    expect(rows.some((rowKey) => rowKey.startsWith("TOWN:Rome"))).toBe(true);
    const query = new TableContext(storage).query(New).where({ club: "c", Town: "Rome" });
    expect(query.explain().index).toBeUndefined();
    expect(String(query.explain())).toContain("index byTown is read only if every supported release");
    await expect(idsBy(storage, New, "byTown", { Town: "Rome" })).rejects.toMatchObject({
      code: "index.not-built",
    });
    expect((await query.toArray()).map(({ id }) => id)).toEqual(["2"]);
    await expect(buildIndex(storage, New, "byTown")).rejects.toMatchObject({
      code: "model.index-state",
      message: expect.stringContaining("supports version 1") as string,
    });
  });

  test("the definition of an index on a renamed property stays: it needs no build when the older release has stopped", async () => {
    const storage = await people();
    const context = new TableContext(storage);
    context.create(Old, { club: "c", id: "1", Age: 30, Mail: "a@x", Price: "1.50" });
    await context.saveChanges();

    expect(await idsBy(storage, Alone, "byAge", { Years: 30 })).toEqual(["1"]);
  });
});

test("an index of this release must not be mistaken for one that the older release reads", () => {
  class Mistaken extends defineEntity({
    ...keys,
    version: chain.supports(1, { indexes: Old }),
    properties: second,
    indexes: { byPrice: { rowKey: { Cents: constant("PRICE:", padded(9)) }, since: 2 } },
  }) {}
  expect(() => modelOf(Mistaken)).toThrow(
    expect.objectContaining({
      code: "model.supports",
      message: expect.stringContaining("byPrice") as string,
    }) as Error,
  );
});
