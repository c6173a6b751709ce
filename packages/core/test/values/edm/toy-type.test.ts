import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
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
import { storedAs } from "../../../src/model/declaration/property-type.ts";
import { centsSerializer } from "./toy/cents.ts";

const cents = () => storedAs(centsSerializer);

const amountAt = (i: number): string => `${i % 7 === 0 ? "-" : ""}${i}.${String(i % 100).padStart(2, "0")}`;
const sku = (i: number): string => String(i).padStart(3, "0");
/** More rows than are parsed before code is written that reads them from bytes. */
const total = 300;

/** Runtimes that compile no text refuse to construct a function. */
const refusing = new Proxy(Function, {
  construct() {
    throw new EvalError("Code generation from strings disallowed for this context");
  },
});

// What works for every type works for one that only its own file knows.
describe.each(["compiled code", "loops"])("a type in a file of its own, read and written by %s", (codec) => {
  beforeAll(() => {
    if (codec === "loops") vi.stubGlobal("Function", refusing);
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });

  class Price extends defineEntity({
    table: "Prices",
    partitionKey: { shop: text() },
    rowKey: { sku: text() },
    properties: { price: cents(), discount: cents().optional() },
  }) {}

  async function store(): Promise<TableStorage> {
    const storage = await openStorage("memory:");
    await createTables(storage, [Price]);
    const context = new TableContext(storage);
    for (let i = 1; i <= total; i++) {
      const discount = i % 3 === 0 ? { discount: "0.05" } : {};
      context.add(new Price({ shop: "s", sku: sku(i), price: amountAt(i), ...discount }));
    }
    await context.saveChanges();
    return storage;
  }

  const skusOf = (prices: readonly Price[]): string[] => prices.map((price) => price.sku);

  test("is stored as its EDM type", async () => {
    const storage = await store();

    const row = await storage.get("Prices", { partitionKey: "s", rowKey: "007" });

    expect(row).toMatchObject({ "price@odata.type": "Edm.Int64", price: "-707" });
  });

  test.each(["noTracking", "appendOnly"] as const)("is read back, %s", async (mergeOption) => {
    const context = new TableContext(await store());
    const read = () => context.query(Price).where({ shop: "s" }).mergeOption(mergeOption).toArray();
    // Once more, when code reads rows from their bytes.
    await read();
    context.clear();

    const found = await read();

    expect(found.map(({ price }) => price)).toEqual(Array.from({ length: total }, (_, i) => amountAt(i + 1)));
    expect(found.filter(({ discount }) => discount === "0.05")).toHaveLength(total / 3);
  });

  test("is compared by conditions in the order of its stored form", async () => {
    const context = new TableContext(await store());
    const inShop = () => context.query(Price).where({ shop: "s" });

    const less = await inShop()
      .where((p) => p.price.lt("-287.00"))
      .toArray();
    const equal = await inShop()
      .where((p) => p.price.in(["100.00", "9.09"]))
      .toArray();
    const other = await inShop()
      .where((p) => p.discount.exists().and(p.price.ge("298.98")))
      .toArray();

    expect(skusOf(less)).toEqual(["287", "294"]);
    expect(skusOf(equal)).toEqual(["009", "100"]);
    expect(skusOf(other)).toEqual(["300"]);
  });

  test("is saved where it was changed, and only there", async () => {
    const storage = await store();
    const context = new TableContext(storage);
    const price = await context.find(Price, { shop: "s", sku: "010" });
    const other = await context.find(Price, { shop: "s", sku: "011" });

    price!.price = "-0.01";
    other!.price = amountAt(11);
    const results = await context.saveChanges();

    const again = await new TableContext(storage).find(Price, { shop: "s", sku: "010" });
    expect(results).toHaveLength(1);
    expect(again?.price).toBe("-0.01");
  });

  test("refuses other values by name, and takes plain data", async () => {
    const context = new TableContext(await store());
    context.add(new Price({ shop: "s", sku: "x", price: "1.5" }));

    await expect(context.saveChanges()).rejects.toThrow("Price.price");
    expect(fromPlain(Price, toPlain(new Price({ shop: "s", sku: "y", price: "1.50" })))).toMatchObject({
      price: "1.50",
    });
  });
});
