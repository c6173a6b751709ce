import { expect, test } from "vitest";
import { dateTime, defineEntity, int32, json, TableContext, text } from "../../src/index.ts";
import { modelOf } from "../../src/models.ts";
import { add, remove, retype, upgrades } from "../../src/upgrades.ts";
import { get, keys, seen, store } from "./upgraded-orders.ts";

test.each(["Kind", "SchemaVersion", "_row", "RowKey", "constructor", "__proto__"])(
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
  const steps = upgrades({ Rating: int32().default(3), N: int32().alsoReads("Edm.String") }).to(
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
