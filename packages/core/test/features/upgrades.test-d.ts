import { expectTypeOf, test } from "vitest";
import { defineEntity, int32, int64, text } from "../../src/index.ts";
import { add, join, remove, rename, retype, type ShapeValues, split, upgrades } from "../../src/upgrades.ts";

const chain = upgrades({ Qty: int32(), Name: text(), Rating: text() })
  .to(2, rename("Qty", "Quantity"), add("State", text(), "open"))
  .to(3, remove("Rating"))
  .to(4, { Quantity: int64(), Name: text(), State: text() }, (row) => ({
    ...row,
    Quantity: BigInt(row.Quantity),
  }))
  .to(
    5,
    retype("Quantity", "Amount", int32(), (v: bigint) => Number(v)),
  );

test("the shape follows from step to step", () => {
  expectTypeOf<ShapeValues<typeof chain.shape>>().toEqualTypeOf<{
    Name: string;
    State: string;
    Amount: number;
  }>();
  expectTypeOf(chain.version).toEqualTypeOf<5>();
  const made = upgrades({ Name: text(), Note: text().optional() })
    .to(
      2,
      split("Name", { First: text(), Last: text() }, (name: string) => ({ First: name, Last: name })),
    )
    .to(
      3,
      join(["First", "Last"], "Full", text(), (v: { First: string; Last: string }) => v.First + v.Last),
    );
  expectTypeOf<ShapeValues<typeof made.shape>>().toEqualTypeOf<{ Note: string | undefined; Full: string }>();
});

test("a step that does not fit does not compile", () => {
  const first = upgrades({ Qty: int32() });
  // @ts-expect-error rename: there is no property "Qy" in this version
  first.to(2, rename("Qy", "Quantity"));
  // @ts-expect-error add: "Qty" exists already in this version
  first.to(2, add("Qty", text(), ""));
  // @ts-expect-error 1 is followed by 2
  first.to(3, remove("Qty"));
  // @ts-expect-error remove: there is no property "Qty" in this version any more
  first.to(2, rename("Qty", "Q"), remove("Qty"));
  // @ts-expect-error the value is no number
  add("N", int32(), "0");
  // @ts-expect-error the function gives a number, and the shape says text
  first.to(2, { Qty: text() }, (row) => ({ Qty: row.Qty }));
  const retyped = retype("Qty", "Q", text(), (v: string) => v);
  // @ts-expect-error retype: "Qty" has another type in this version
  first.to(2, retyped);
  const joined = join(["Qty", "Other"], "Q", text(), (v: { Qty: number; Other: string }) => v.Other);
  // @ts-expect-error join: there is no property "Other" in this version
  first.to(2, joined);
});

test("a class must be what its upgrades lead to", () => {
  const keys = { table: "T", partitionKey: { p: text() }, rowKey: { r: text() } } as const;
  defineEntity({ ...keys, properties: { Name: text(), State: text(), Amount: int32() }, version: chain });
  defineEntity({
    ...keys,
    properties: { Name: text(), state: text().named("State"), Amount: int32() },
    version: chain,
  });
  const more = { Name: text(), State: text(), Amount: int32(), More: text() };
  // @ts-expect-error the class declares "More", which no upgrade step adds
  defineEntity({ ...keys, properties: more, version: chain });
  // @ts-expect-error the upgrades keep "Amount", which the class does not declare
  defineEntity({ ...keys, properties: { Name: text(), State: text() }, version: chain });
  // @ts-expect-error the upgrades lead to another type of Amount
  defineEntity({ ...keys, properties: { Name: text(), State: text(), Amount: text() }, version: chain });
  defineEntity({ ...keys, properties: { Any: text() }, version: 3 });
});
