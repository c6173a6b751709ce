import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  fromPlain,
  openStorage,
  TableContext,
  type TableStorage,
  text,
  toPlain,
} from "../../../src/index.ts";
import { constant, padded64, verbatim } from "../../../src/keys.ts";
import { decimal, modelOf, type TableError } from "../../../src/models.ts";
import { retype, upgrades } from "../../../src/upgrades.ts";
import { refusalCode } from "./refusal-code.ts";

const keys = { partitionKey: { shop: text() }, rowKey: { sku: text() } } as const;

class Product extends defineEntity({
  table: "Products",
  ...keys,
  properties: { price: decimal({ scale: 2 }) },
}) {}

class ProductInUnits extends defineEntity({
  table: "Products",
  ...keys,
  properties: { price: decimal({ scale: 2, as: "units" }) },
}) {}

/** As libraries have it: it prints large and small decimals with an exponent, and rounds in `toFixed`. */
class Amount {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }

  toFixed(): string {
    return this.written.split(".")[0] as string;
  }

  toString(): string {
    return this.written;
  }
}

class ProductInAmounts extends defineEntity({
  table: "Products",
  ...keys,
  properties: { price: decimal({ scale: 2, as: Amount }) },
}) {}

const least = "-92233720368547758.08";
const greatest = "92233720368547758.07";

async function storageWith(...prices: readonly string[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Product]);
  const context = new TableContext(storage);
  for (const price of prices) context.add(new Product({ shop: "s", sku: price, price }));
  await context.saveChanges();
  return storage;
}

/** The error of a save of one product; nothing of it is stored. */
async function errorOf(entity: object): Promise<TableError> {
  const storage = await storageWith();
  const context = new TableContext(storage);
  context.add(entity);
  const error: unknown = await context.saveChanges().catch((reason: unknown) => reason);
  expect(await new TableContext(storage).query(Product).where({ shop: "s" }).count()).toBe(0);
  expect((error as TableError).code).toBe("save.invalid");
  return (error as TableError).cause as TableError;
}

const inShop = (storage: TableStorage) => new TableContext(storage).query(Product).where({ shop: "s" });

test("T13: is stored as Int64 in units, and read with all digits of the scale", async () => {
  const storage = await storageWith("12.5");

  expect(await storage.get("Products", { partitionKey: "s", rowKey: "12.5" })).toMatchObject({
    price: "1250",
    "price@odata.type": "Edm.Int64",
  });
  expect(await inShop(storage).single()).toMatchObject({ price: "12.50" });
});

test.each(["12.5", "12.50", "12.500", "012.50"])(
  "T13: %s is what is stored, and sends nothing",
  async (price) => {
    const context = new TableContext(await storageWith("12.50"));
    const product = await context.query(Product).where({ shop: "s" }).single();

    product.price = price;

    expect(await context.saveChanges()).toEqual([]);
    product.price = "12.51";
    expect(await context.saveChanges()).toHaveLength(1);
  },
);

describe("T14: what is refused", () => {
  test.each(["12.505", ".5", "5.", "1e3", "+1", " 1", "1 ", "", "-", "12,5", "1_0", "٣", "0x10", "NaN"])(
    "the text %j",
    async (price) => {
      const error = await errorOf(new Product({ shop: "s", sku: "x", price }));

      expect(error.code).toBe("edm.malformed");
      expect(error.message).toContain("Product.price");
      expect(error.message).toContain("scale 2");
    },
  );

  test.each([Number.NaN, 12.5, 12, 1250n, true, {}, new Amount("1")])("the value %s", async (price) => {
    const error = await errorOf(new Product({ shop: "s", sku: "x", price: price as never }));

    expect(error.code).toBe("edm.wrong-type");
    expect(error.message).toContain("Product.price");
    expect(error.message).toContain("scale 2");
  });

  test("numbers, at compile time", () => {
    // @ts-expect-error a number is no decimal
    const product = new Product({ shop: "s", sku: "x", price: 12.5 });

    expect(() => toPlain(product)).toThrow("Product.price");
  });
});

test.each([
  [least, least],
  [greatest, greatest],
  ["0", "0.00"],
  ["-0", "0.00"],
  ["-0.01", "-0.01"],
  ["0.1", "0.10"],
  ["100", "100.00"],
  [`${"0".repeat(100_000)}1.${"0".repeat(100_000)}`, "1.00"],
])("T15: what is stored is read back with its digits", async (price, read) => {
  const storage = await storageWith();
  const context = new TableContext(storage);
  context.add(new Product({ shop: "s", sku: "x", price }));
  await context.saveChanges();

  expect((await inShop(storage).single()).price).toBe(read);
});

test.each(["92233720368547758.08", "-92233720368547758.09", "9".repeat(100_000)])(
  "T15: beyond Int64, the error names property and limit, and not the value",
  async (price) => {
    const { code, message } = await errorOf(new Product({ shop: "s", sku: "x", price }));

    expect(code).toBe("edm.out-of-range");
    expect(message).toContain("Product.price");
    expect(message).toContain(`from ${least} to ${greatest}`);
    expect(message.replace(`from ${least} to ${greatest}`, "")).not.toContain(price);
  },
);

describe("T16: conditions", () => {
  const stored = () => storageWith("9.99", "10.00", "-1.00");
  const pricesOf = async (query: { toArray(): Promise<Product[]> }) =>
    (await query.toArray()).map(({ price }) => price).toSorted((a, b) => Number(a) - Number(b));

  test("compare values, not text", async () => {
    const query = inShop(await stored());

    expect(await pricesOf(query.where((p) => p.price.gt("9.99")))).toEqual(["10.00"]);
    expect(await pricesOf(query.where((p) => p.price.ge("9.990")))).toEqual(["9.99", "10.00"]);
    expect(await pricesOf(query.where((p) => p.price.lt("9.99")))).toEqual(["-1.00"]);
    expect(await pricesOf(query.where((p) => p.price.le("9.99")))).toEqual(["-1.00", "9.99"]);
    expect(await pricesOf(query.where((p) => p.price.between("-5", "9.99")))).toEqual(["-1.00", "9.99"]);
    expect(await pricesOf(query.where((p) => p.price.in(["10", "-1.0"])))).toEqual(["-1.00", "10.00"]);
    expect(await pricesOf(query.where((p) => p.price.ne("10")))).toEqual(["-1.00", "9.99"]);
    expect(await pricesOf(query.where({ price: "010.0" }))).toEqual(["10.00"]);
  });

  test("refuse what the property does not take", async () => {
    const query = inShop(await stored());

    // @ts-expect-error a number is no decimal
    expect(refusalCode(() => query.where((p) => p.price.gt(9.99)))).toBe("query.wrong-type");
    expect(refusalCode(() => query.where((p) => p.price.gt("9.999")))).toBe("query.wrong-type");
    expect(refusalCode(() => query.where((p) => p.price.in(["1", "1e3"])))).toBe("query.wrong-type");
    // @ts-expect-error a decimal does not begin with anything
    expect(refusalCode(() => query.where((p) => p.price.startsWith("9") as never))).toBe(
      "query.not-comparable",
    );
  });
});

test("T17: as units, it is a bigint to calculate with", async () => {
  const storage = await storageWith("12.50");
  const context = new TableContext(storage);
  const product = await context.query(ProductInUnits).where({ shop: "s" }).single();
  expect(product.price).toBe(1250n);

  await context.modify(ProductInUnits, { shop: "s", sku: "12.50" }, (each) => {
    each.price += 250n;
  });

  expect(await storage.get("Products", { partitionKey: "s", rowKey: "12.50" })).toMatchObject({
    price: "1500",
  });
  expect(await inShop(storage).single()).toMatchObject({ price: "15.00" });
});

test("as units, conditions take units, and text is refused", async () => {
  const query = new TableContext(await storageWith("9.99", "10.00"))
    .query(ProductInUnits)
    .where({ shop: "s" });

  expect(await query.where((p) => p.price.gt(999n)).count()).toBe(1);
  // @ts-expect-error the property holds a bigint
  expect(() => query.where((p) => p.price.gt("9.99")).explain()).toThrow("ProductInUnits.price");
});

describe("as a class", () => {
  test.each([
    ["12.5", "1250"],
    ["1.25e1", "1250"],
    ["1E+3", "100000"],
    ["-1e-2", "-1"],
    ["0e-400", "0"],
    ["9.223372036854775807e+16", "9223372036854775807"],
  ])("%s is stored as %s units", async (written, units) => {
    const storage = await storageWith();
    const context = new TableContext(storage);
    context.add(new ProductInAmounts({ shop: "s", sku: "x", price: new Amount(written) }));
    await context.saveChanges();

    expect(await storage.get("Products", { partitionKey: "s", rowKey: "x" })).toMatchObject({ price: units });
  });

  test.each(["1e-3", "12.505", "NaN", "Infinity", "12.50 EUR"])("%s is refused", async (written) => {
    const { code } = await errorOf(new ProductInAmounts({ shop: "s", sku: "x", price: new Amount(written) }));

    expect(code).toBe("edm.malformed");
  });

  test("a huge exponent is out of range, and makes no huge number", async () => {
    const { code } = await errorOf(
      new ProductInAmounts({ shop: "s", sku: "x", price: new Amount("1e999999999") }),
    );

    expect(code).toBe("edm.out-of-range");
  });

  test("is read as an instance; an equal one is no change", async () => {
    const context = new TableContext(await storageWith("12.50"));
    const product = await context.query(ProductInAmounts).where({ shop: "s" }).single();
    expect(product.price).toBeInstanceOf(Amount);
    expect(product.price.written).toBe("12.50");

    product.price = new Amount("1.25e1");

    expect(await context.saveChanges()).toEqual([]);
  });

  test("conditions take instances", async () => {
    const query = new TableContext(await storageWith("9.99", "10.00"))
      .query(ProductInAmounts)
      .where({ shop: "s" });

    expect(await query.where((p) => p.price.gt(new Amount("9.99"))).count()).toBe(1);
    expect(await query.where({ price: new Amount("1e1") }).count()).toBe(1);
  });

  test("a class with toFixed alone is taken, and one of another copy", async () => {
    class Fixed {
      readonly #text: string;
      constructor(value: string) {
        this.#text = value;
      }
      toFixed(): string {
        return this.#text;
      }
    }
    class Priced extends defineEntity({
      table: "Products",
      ...keys,
      properties: { price: decimal({ scale: 2, as: Fixed }) },
    }) {}

    expect(toPlain(new Priced({ shop: "s", sku: "x", price: new Fixed("1.5") }))).toMatchObject({
      price: "1.50",
    });
    const other = { toFixed: () => "2.5" } as unknown as Fixed;
    expect(toPlain(new Priced({ shop: "s", sku: "x", price: other }))).toMatchObject({ price: "2.50" });
  });

  test.each([Number, Date, Map, class Empty {}])("%o does not keep decimals", (type) => {
    expect(() => decimal({ scale: 2, as: type as never })).toThrow("preserves every digit");
  });
});

test.each([-1, 19, 1.5, Number.NaN, "2", undefined])("a scale of %s is refused", (scale) => {
  expect(() => decimal({ scale: scale as number })).toThrow("an integer from 0 to 18 as scale");
});

test("unknown options, and other forms, are refused", () => {
  expect(() => decimal({ scale: 2, precision: 3 } as never)).toThrow('no option "precision"');
  expect(() => decimal({ scale: 2, as: "text" } as never)).toThrow('takes "units" or a class');
  expect(() => decimal(undefined as never)).toThrow("as scale");
});

test.each([
  [0, "-12", "-12"],
  [1, "0.5", "0.5"],
  [18, "9.223372036854775807", "9.223372036854775807"],
])("a scale of %i", (scale, given, read) => {
  const { serializer } = decimal({ scale });
  const path = { entity: "E", property: "p" };

  const stored = serializer.encode(given, path);

  expect(serializer.decode(stored, "Edm.Int64", path)).toBe(read);
});

test("plain data has text, whatever the program has", () => {
  const plain = { shop: "s", sku: "x", price: "12.50" };

  expect(toPlain(new Product({ ...plain, price: "12.5" }))).toEqual(plain);
  expect(toPlain(new ProductInUnits({ ...plain, price: 1250n }))).toEqual(plain);
  expect(toPlain(new ProductInAmounts({ ...plain, price: new Amount("1.25e1") }))).toEqual(plain);
  expect(fromPlain(Product, plain).price).toBe("12.50");
  expect(fromPlain(ProductInUnits, plain).price).toBe(1250n);
  expect(fromPlain(ProductInAmounts, plain).price).toEqual(new Amount("12.50"));
});

test.each(["12.505", 12.5, 1250, "1e3", "92233720368547758.08", true])(
  "plain data does not take %j",
  (price) => {
    expect(() => fromPlain(Product, { shop: "s", sku: "x", price: price as string })).toThrow(
      "Product.price takes a decimal of scale 2",
    );
  },
);

test("no key format takes it as text; units have padded64 in indexes", () => {
  const withIndex = (type: typeof decimal, format: unknown, as?: "units") =>
    defineEntity({
      table: "Products",
      ...keys,
      properties: { price: type({ scale: 2, as: as as never }) },
      indexes: { byPrice: { rowKey: { price: constant("PRICE:", format as typeof verbatim) } } },
    } as never);

  expect(() => modelOf(withIndex(decimal, verbatim))).toThrow("price");
  expect(modelOf(withIndex(decimal, padded64(19, { signed: true }), "units")).indexes).toHaveLength(1);
  expect(() =>
    modelOf(
      defineEntity({
        ...keys,
        table: "Products",
        rowKey: { price: decimal({ scale: 2 }) as never },
        properties: {},
      }),
    ),
  ).toThrow("padded64(19");
});

test("alsoReads takes text and Doubles as decimals, and integers as units", async () => {
  class Former extends defineEntity({
    table: "Products",
    ...keys,
    properties: { price: decimal({ scale: 2 }).alsoReads("Edm.String", "Edm.Double") },
  }) {}
  const storage = await storageWith();
  const rows = [
    { price: "1250" },
    { price: 12.5 },
    { price: 1250 },
    { price: "1250", "price@odata.type": "Edm.Int64" },
  ];
  for (const [i, row] of rows.entries())
    await storage.write("Products", {
      type: "insert",
      entity: { PartitionKey: "s", RowKey: String(i), ...row } as never,
    });

  const found = await new TableContext(storage).query(Former).where({ shop: "s" }).toArray();

  expect(found.map(({ price }) => price)).toEqual(["1250.00", "12.50", "12.50", "12.50"]);
});

test("an upgrade makes decimals of numbers, and a class of another scale is refused", async () => {
  const versions = (scale: number) =>
    upgrades({ Price: text() }).to(
      2,
      retype("Price", "Cost", decimal({ scale }), (price: string) => `${price}.5`),
    );
  const classOf = (scale: number) =>
    class Upgraded extends defineEntity({
      table: "Products",
      ...keys,
      properties: { cost: decimal({ scale: 2 }).named("Cost") },
      version: versions(scale),
    }) {};
  const storage = await storageWith();
  await storage.write("Products", {
    type: "insert",
    entity: { PartitionKey: "s", RowKey: "x", Price: "12" },
  });

  const found = await new TableContext(storage).query(classOf(2)).where({ shop: "s" }).single();

  expect(found.cost).toBe("12.50");
  expect(() => modelOf(classOf(3))).toThrow("Decimal of scale 3");
});

test("a default is read for rows that lack it, and compared", async () => {
  class Defaulted extends defineEntity({
    table: "Products",
    ...keys,
    properties: { price: decimal({ scale: 2 }).default("1.5"), tax: decimal({ scale: 4 }).optional() },
  }) {}
  const storage = await storageWith();
  await storage.write("Products", { type: "insert", entity: { PartitionKey: "s", RowKey: "x" } });
  const query = new TableContext(storage).query(Defaulted).where({ shop: "s" });

  expect(new Defaulted({ shop: "s", sku: "y" }).price).toBe("1.5");
  expect(await query.single()).toMatchObject({ price: "1.5" });
  expect(await query.where((p) => p.price.ge("1.50")).count()).toBe(1);
  expect(await query.where((p) => p.tax.exists()).count()).toBe(0);
});
