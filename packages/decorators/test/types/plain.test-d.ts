import { type Plain, toPlain } from "@partita/core";
import { inputSchema } from "@partita/json-schema";
import { expectTypeOf, test } from "vitest";
import type { Customer, Everything, Item, Sale } from "../fixtures/plain.ts";
import type { Children } from "@partita/core/models";

test("P1: plain data of a decorated class follows from the types of its members", () => {
  expectTypeOf<Plain<Customer>>().toEqualTypeOf<{
    tenant: string;
    id: string;
    name: string;
    email: string;
    note?: string;
    stars: number;
    // TypeScript sees no options of decorators: it is hidden.
    passwordHash?: string;
    address?: { street: string; city?: string; position?: { north: number; note?: string } };
    settings?: { theme?: string; size?: number };
    createdAt: string;
    updatedAt: string;
    etag?: string;
  }>();
  expectTypeOf(toPlain({} as Customer)).toEqualTypeOf<Plain<Customer>>();
});

test("each type has its form, as far as members show it", () => {
  type Known = Omit<Plain<Everything>, "link">;
  expectTypeOf<Known>().toEqualTypeOf<{
    tenant: string;
    number: number;
    big: string;
    newest: string;
    exact: string;
    made: string;
    guid: string;
    text: string;
    int32: number;
    int64: string;
    double: number;
    bool: boolean;
    time: string;
    ticks: string;
    uuid: string;
    bytes: string;
    json: null | string | number | string[] | { a: null };
    state: "open" | "done";
    price: string;
    units: string;
    amount: string;
    day: string;
    moment: string;
    maybe?: string;
  }>();
});

test("lists may be absent, and members are plain", () => {
  expectTypeOf<Sale["items"]>().toEqualTypeOf<Children<Item> | undefined>();
  expectTypeOf<NonNullable<Plain<Sale>["items"]>[number]>().toEqualTypeOf<{
    tenant: string;
    id: string;
    no: number;
    sku: string;
    qty: number;
  }>();
});

declare const CustomerClass: typeof Customer;

test("input schemas make instances, and take plain data", () => {
  const schema = inputSchema(CustomerClass, { except: ["tenant"] });
  type Types = NonNullable<(typeof schema)["~standard"]["types"]>;
  expectTypeOf<Types["output"]>().toEqualTypeOf<Customer>();
  expectTypeOf<{ tenant: string; name: string }>().toExtend<Types["input"]>();
  // @ts-expect-error -- a misspelt name
  inputSchema(CustomerClass, { only: ["nmae"] });
});
