import {
  binary,
  bool,
  type Converter,
  convert,
  dateTime,
  defineEntity,
  defineKind,
  double,
  enumOf,
  guid,
  int32,
  int64,
  json,
  text,
  Ticks,
} from "@partita/core";
import { escaped, newestFirst, oldestFirst, padded, padded64, ulid } from "@partita/core/keys";
import { createdAt, decimal, embedded, instant, owned, plainDate, updatedAt } from "@partita/core/models";

export class Address {
  street!: string;
  city?: string | undefined;
  position?: Position | undefined;

  label(): string {
    return `${this.street}, ${this.city ?? ""}`;
  }
}

export class Position {
  north!: number;
  note?: string | undefined;
}

export class Settings {
  theme?: string | undefined;
  size?: number | undefined;
}

class Customer extends defineEntity({
  table: "Customers",
  partitionKey: { tenant: escaped },
  rowKey: { id: ulid },
  properties: {
    name: text(),
    email: text(),
    note: text().optional(),
    stars: int32().default(3),
    passwordHash: text().optional().hidden(),
    address: embedded(Address, {
      street: text(),
      city: text().optional(),
      position: embedded(Position, { north: double(), note: text().optional().hidden() }).optional(),
    }).optional(),
    settings: embedded(Settings, { theme: text().optional(), size: int32().optional() }).optional(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  etagProperty: "etag",
}) {}

class SaleRow extends defineEntity({
  table: "Sales",
  separator: "!",
  partitionKey: { tenant: escaped },
  rowKey: { id: escaped },
  properties: {},
}) {}

class Sale extends defineKind(SaleRow, {
  kind: "Sale",
  properties: { note: text().optional() },
  children: { items: owned(() => Item), remarks: () => Remark },
}) {}

class Item extends defineKind(SaleRow, {
  kind: "Item",
  rowKey: { no: padded(4) },
  properties: { sku: text(), qty: int32().default(1) },
}) {}

class Remark extends defineKind(SaleRow, {
  kind: "Remark",
  rowKey: { at: newestFirst },
  properties: { text: text() },
}) {}

/** A class of decimals that preserves its source text. */
export class Amount {
  readonly #text: string;

  constructor(amount: string) {
    this.#text = amount;
  }

  toFixed(): string {
    return this.#text;
  }
}

export const urlText: Converter<URL> = {
  toText: (url) => url.href,
  fromText: (href) => new URL(href),
};

/** A property of each type, and a key part of each format. */
class Everything extends defineEntity({
  table: "Everything",
  separator: "!",
  partitionKey: { tenant: escaped, number: padded(4), big: padded64(19) },
  rowKey: { newest: newestFirst, exact: oldestFirst({ ticks: true }), made: ulid, guid },
  properties: {
    text: text(),
    int32: int32(),
    int64: int64(),
    double: double(),
    bool: bool(),
    time: dateTime(),
    ticks: dateTime({ ticks: true }),
    uuid: guid(),
    bytes: binary(),
    json: json<null | string | number | string[] | { a: null }>(),
    state: enumOf(["open", "done"]),
    link: convert(urlText),
    price: decimal({ scale: 2 }),
    units: decimal({ scale: 0, as: "units" }),
    amount: decimal({ scale: 1, as: Amount }),
    day: plainDate(),
    moment: instant(),
    maybe: text().optional(),
  },
}) {}

/** The classes of the cases of plain data, in one of the three forms. */
export interface PlainClasses {
  readonly Customer: typeof Customer;
  readonly SaleRow: typeof SaleRow;
  readonly Sale: typeof Sale;
  readonly Item: typeof Item;
  readonly Remark: typeof Remark;
  readonly Everything: typeof Everything;
}

/** The form of `defineEntity` and `defineKind`. */
export const definedPlain: PlainClasses = { Customer, SaleRow, Sale, Item, Remark, Everything };

/** Values of Everything at the ends of their types. */
export const ends: { readonly [Name in keyof Everything]?: readonly NonNullable<Everything[Name]>[] } = {
  tenant: ["", "a/b", 'Ø"!'],
  number: [0, 9999],
  big: [0n, 9_223_372_036_854_775_807n],
  newest: [new Date("0001-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59.999Z")],
  exact: [Ticks.parse("0001-01-01T00:00:00.0000001Z"), Ticks.parse("9999-12-31T23:59:59.9999999Z")],
  made: ["00000000000000000000000000", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"],
  guid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  text: ["", "\u0000\u{10ffff}", "x".repeat(32_768)],
  int32: [-2_147_483_648, 0, 2_147_483_647],
  int64: [-9_223_372_036_854_775_808n, 0n, 9_223_372_036_854_775_807n],
  double: [Number.NaN, Infinity, -Infinity, -0, 0, 5e-324, -1.797_693_134_862_315_7e308],
  bool: [true, false],
  time: [new Date("1601-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59.999Z")],
  ticks: [Ticks.parse("1601-01-01T00:00:00Z"), Ticks.parse("9999-12-31T23:59:59.9999999Z")],
  uuid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  bytes: [new Uint8Array(), new Uint8Array([0, 255]), new Uint8Array(65_536).fill(7)],
  json: [null as never, "", 1.5, [], { a: null }],
  state: ["open", "done"],
  link: [new URL("https://partita.example/?a=b#c")],
  price: ["-92233720368547758.08", "0.00", "92233720368547758.07"],
  units: [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
  amount: [new Amount("-922337203685477580.8"), new Amount("0.5")],
  day: ["0001-01-01", "2024-02-29", "9999-12-31"],
  moment: ["1601-01-01T00:00:00.0000000Z", "9999-12-31T23:59:59.9999999Z"],
  maybe: ["", "a"],
};

/** A value for each required property, and none for the optional ones. */
export const usual: NonNullable<ConstructorParameters<typeof Everything>[0]> = {
  tenant: "acme",
  number: 7,
  big: 7n,
  newest: new Date("2026-11-25T10:00:00.123Z"),
  exact: Ticks.parse("2026-11-25T10:00:00.1234567Z"),
  made: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  guid: "4185404a-5818-48c3-b9be-f217df0dba6f",
  text: "a",
  int32: 1,
  int64: 1n,
  double: 1.5,
  bool: true,
  time: new Date("2026-11-25T10:00:00.123Z"),
  ticks: Ticks.parse("2026-11-25T10:00:00.1234567Z"),
  uuid: "4185404a-5818-48c3-b9be-f217df0dba6f",
  bytes: new Uint8Array([1, 2, 3]),
  json: "a",
  state: "open",
  link: new URL("https://partita.example/"),
  price: "12.50",
  units: 12n,
  amount: new Amount("12.5"),
  day: "2026-11-25",
  moment: "2026-11-25T10:00:00.1234567Z",
};
