import { expectTypeOf, test } from "vitest";
import { defineEntity, type NewOf, text } from "../../../src/index.ts";
import { type Columns, decimal, instant, type OrderedColumn, plainDate } from "../../../src/models.ts";

class Big {
  readonly #text: string;

  constructor(text: string | number) {
    this.#text = String(text);
  }

  toFixed(): string {
    return this.#text;
  }
}

class Price extends defineEntity({
  table: "Prices",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: {
    price: decimal({ scale: 2 }),
    tax: decimal({ scale: 2 }).optional().named("Tax"),
    units: decimal({ scale: 2, as: "units" }).default(0n),
    big: decimal({ scale: 2, as: Big }),
  },
}) {}

test("decimals have the types of their forms", () => {
  expectTypeOf<Price["price"]>().toEqualTypeOf<string>();
  expectTypeOf<Price["tax"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Price["units"]>().toEqualTypeOf<bigint>();
  expectTypeOf<Price["big"]>().toEqualTypeOf<Big>();
  expectTypeOf<NewOf<typeof Price>>().toEqualTypeOf<{
    shop: string;
    sku: string;
    price: string;
    tax?: string | undefined;
    units?: bigint | undefined;
    big: Big;
  }>();
});

test("columns of decimals are ordered, whatever the program has", () => {
  expectTypeOf<Columns<Price>["price"]>().toEqualTypeOf<OrderedColumn<string>>();
  expectTypeOf<Columns<Price>["tax"]>().toEqualTypeOf<OrderedColumn<string>>();
  expectTypeOf<Columns<Price>["units"]>().toEqualTypeOf<OrderedColumn<bigint>>();
  expectTypeOf<Columns<Price>["big"]>().toEqualTypeOf<OrderedColumn<Big>>();
});

test("days and moments are text with ordered columns", () => {
  class Person extends defineEntity({
    table: "People",
    partitionKey: { club: text() },
    rowKey: { id: text() },
    properties: { born: plainDate(), joinedAt: instant().optional() },
  }) {}

  expectTypeOf<Person["born"]>().toEqualTypeOf<string>();
  expectTypeOf<Person["joinedAt"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Columns<Person>["born"]>().toEqualTypeOf<OrderedColumn<string>>();
  expectTypeOf<Columns<Person>["joinedAt"]>().toEqualTypeOf<OrderedColumn<string>>();
});

test("wrong options do not compile", () => {
  // @ts-expect-error a decimal has a scale
  expectTypeOf(decimal({})).not.toBeAny();
  // @ts-expect-error there is no such form
  expectTypeOf(decimal({ scale: 2, as: "text" })).not.toBeAny();
  const rowKey = { r: text() };
  // @ts-expect-error a key part cannot be a decimal
  defineEntity({ table: "P", partitionKey: { p: decimal({ scale: 2 }) }, rowKey, properties: {} });
});
