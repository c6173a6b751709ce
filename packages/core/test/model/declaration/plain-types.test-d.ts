import { expectTypeOf, test } from "vitest";
import {
  binary,
  bool,
  type Children,
  convert,
  dateTime,
  defineEntity,
  defineKind,
  double,
  enumOf,
  fromPlain,
  guid,
  int32,
  int64,
  json,
  owned,
  type Plain,
  text,
  toPlain,
} from "../../../src/index.ts";
import { month, newestFirst, padded, padded64, ulid } from "../../../src/keys.ts";
import {
  createdAt,
  decimal,
  embedded,
  instant,
  plainDate,
  type PlainEntity,
  updatedAt,
} from "../../../src/models.ts";

class Address {
  street!: string;
  city?: string;

  label(): string {
    return this.street;
  }
}

class Settings {
  theme?: string;
  size?: number;
}

class Customer extends defineEntity({
  table: "Customers",
  partitionKey: { tenant: text() },
  rowKey: { id: ulid },
  properties: {
    name: text(),
    email: text(),
    address: embedded(Address, { street: text(), city: text().optional() }).optional(),
    settings: embedded(Settings, { theme: text().optional(), size: int32().optional() }).optional(),
    passwordHash: text().hidden(),
    recovery: double().optional().hidden(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
}) {
  label(): string {
    return this.name;
  }
}

test("P1: plain data has the names of the class, and no methods or hidden properties", () => {
  expectTypeOf<Plain<Customer>>().toEqualTypeOf<{
    tenant: string;
    id: string;
    name: string;
    email: string;
    address?: { street: string; city?: string };
    settings?: { theme?: string; size?: number };
    createdAt: string;
    updatedAt: string;
  }>();
  expectTypeOf(
    toPlain(new Customer({ tenant: "acme", name: "Ann", email: "a@b.no", passwordHash: "x" })),
  ).toEqualTypeOf<Plain<Customer>>();
});

class Everything extends defineEntity({
  table: "Everything",
  partitionKey: { at: month(newestFirst), n: padded64(5) },
  rowKey: { at: newestFirst, no: padded(4) },
  properties: {
    int64: int64(),
    double: double(),
    maybe: double().optional(),
    bool: bool().default(true),
    when: dateTime(),
    ticks: dateTime({ ticks: true }),
    guid: guid(),
    bytes: binary(),
    json: json<{ tags: string[] | null }>(),
    nothing: json<string | null>().optional(),
    state: enumOf(["open", "done"]),
    link: convert({ toText: (url: URL) => url.href, fromText: (url) => new URL(url) }),
    price: decimal({ scale: 2, as: "units" }),
    day: plainDate(),
    moment: instant(),
  },
  etagProperty: "etag",
  timestampProperty: "storedAt",
}) {}

test("each type has its form in plain data", () => {
  type Double = number | "NaN" | "Infinity" | "-Infinity" | "-0.0";
  expectTypeOf<Plain<Everything>>().toEqualTypeOf<{
    at: string;
    n: string;
    no: number;
    int64: string;
    double: Double;
    maybe?: Double;
    bool: boolean;
    when: string;
    ticks: string;
    guid: string;
    bytes: string;
    json: { tags: string[] | null };
    nothing?: string | null;
    state: "open" | "done";
    link: string;
    price: string;
    day: string;
    moment: string;
    etag?: string;
    storedAt?: string;
  }>();
});

class Row extends defineEntity({
  table: "Orders",
  kindProperty: "Type",
  kind: "Row",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: {},
}) {}
class Line extends defineKind(Row, {
  kind: { name: "Line" },
  rowKey: { no: padded(4) },
  properties: { qty: int32().default(1) },
}) {}
class Order extends defineKind(Row, {
  kind: "Order",
  properties: { note: text().optional() },
  children: { lines: owned(() => Line) },
}) {}

test("kinds are their names, and lists may be absent", () => {
  expectTypeOf<Plain<Row>>().toEqualTypeOf<{ Type: "Row"; tenant: string; id: string }>();
  type PlainLine = { Type: "Line"; tenant: string; id: string; no: number; qty: number };
  expectTypeOf<Plain<Line>>().toEqualTypeOf<PlainLine>();
  expectTypeOf<Plain<Order>>().toEqualTypeOf<{
    Type: "Order";
    tenant: string;
    id: string;
    note?: string;
    lines?: PlainLine[];
  }>();
  expectTypeOf<Order["lines"]>().toEqualTypeOf<Children<Line> | undefined>();
});

test("fromPlain takes what toPlain returns, and less", () => {
  const order = new Order({ tenant: "acme", id: "7" });
  fromPlain(Order, toPlain(order));
  fromPlain(Order, { tenant: "acme", id: "8", lines: [{ no: 1 }] });
  fromPlain(Order, JSON.parse("{}"));
  // @ts-expect-error -- optional properties are absent, not null
  fromPlain(Order, { tenant: "acme", id: "8", note: null });
  // @ts-expect-error -- a misspelt name
  fromPlain(Order, { tenant: "acme", id: "8", nott: "x" });
  // @ts-expect-error -- times are text
  fromPlain(Customer, { createdAt: new Date() });
  // @ts-expect-error -- hidden
  fromPlain(Customer, { passwordHash: "x" });
});

test("an entity of any class has any names", () => {
  expectTypeOf(toPlain({} as object)).toEqualTypeOf<PlainEntity>();
});

test("a part of a key cannot be hidden", () => {
  defineEntity({
    table: "Customers",
    partitionKey: { tenant: text() },
    // @ts-expect-error -- without its key, an entity is none
    rowKey: { id: text().hidden() },
    properties: {},
  });
});
