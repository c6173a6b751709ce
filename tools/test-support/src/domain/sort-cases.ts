// The acceptance cases Q1, Q2 and the order of T16: queries that sort and filter on the client. The same in
// all forms, with every storage.

import { type Query, QueryError, TableContext } from "@partita/core";
import { expect, test } from "vitest";
import { countedReads } from "../counted-reads.ts";
import type { DomainClasses } from "./classes.ts";
import type { ProductClasses, ProductEntity } from "./product-classes.ts";
import { type DomainStore, type OpenDomain, putRow } from "./store.ts";

const tenant = "acme";

/** Stores products with these values, by SKU. */
export async function putProducts(
  { inner }: DomainStore,
  { Product }: ProductClasses,
  values: Readonly<Record<string, Partial<ProductEntity>>>,
): Promise<void> {
  const context = new TableContext(inner);
  for (const [sku, own] of Object.entries(values)) context.create(Product, { tenant, sku, ...own });
  await context.saveChanges();
}

const skusOf = async (query: Query<ProductEntity>): Promise<string> =>
  (await query.toArray()).map(({ sku }) => sku).join(" ");

/** This many products, with names that sort like their numbers. One in a hundred has an odd total. */
const numbered = (count: number): Record<string, Partial<ProductEntity>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `p${String(i).padStart(5, "0")}`,
      { total: i % 100 === 0 ? 1 : 2 },
    ]),
  );

const isOdd = ({ total = 0 }: ProductEntity): boolean => total % 2 === 1;

/** The code of the error of a read or write that must fail. */
const codeOf = async (failing: Promise<unknown>): Promise<string> => {
  const error: unknown = await failing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return QueryError.is(error)
    ? error.code
    : expect.unreachable(`expected a QueryError, not ${String(error)}`);
};

export function sortCases(open: OpenDomain, classes: ProductClasses): void {
  const { Product } = classes;
  const productsIn = (storage: DomainStore["storage"]): Query<ProductEntity> =>
    new TableContext(storage).query(Product).where({ tenant });
  const fourTotals = { a: { total: 3 }, b: {}, c: { total: 1 }, d: { total: 3 } };

  test("Q1: sortBy orders all that is found, absent values last, and take cuts after it", async () => {
    await using store = await open();
    await putProducts(store, classes, fourTotals);
    const products = productsIn(store.storage);

    expect(await skusOf(products.sortBy("total"))).toBe("c a d b");
    expect(await skusOf(products.sortBy("total", "desc"))).toBe("a d c b");
    expect(await skusOf(products.sortBy("total").take(2))).toBe("c a");
    expect(await skusOf(products.take(2).sortBy("total"))).toBe("c a");
    expect(await skusOf(products.sortBy("sku", "desc"))).toBe("d c b a");
    expect(await products.sortBy("total", "desc").first()).toMatchObject({ sku: "a" });
    expect(await products.where({ total: 1 }).sortBy("total").single()).toMatchObject({ sku: "c" });
    expect(await products.sortBy("total").take(0).toArray()).toEqual([]);
    expect(await products.sortBy("total").take(3).count()).toBe(3);
    expect(await skusOf(products.where({ total: 9 }).sortBy("total"))).toBe("");
  });

  test("Q1: text is in the order of code units, and select reads what is sorted by", async () => {
    await using store = await open();
    await putProducts(store, classes, {
      a: { label: "é" },
      b: { label: "z" },
      c: { label: "Z" },
      d: { label: "\u{1f600}" },
      e: { label: "\uffee" },
    });
    const byLabel = productsIn(store.storage).mergeOption("noTracking").select("total").sortBy("label");

    expect((await byLabel.toArray()).map(({ sku }) => sku).join(" ")).toBe("c b a d e");
  });

  test("Q1: page, pages, removeAll, updateAll and a second order are refused", async () => {
    await using store = await open();
    await putProducts(store, classes, fourTotals);
    const sorted = productsIn(store.storage).sortBy("total");
    store.reset();

    expect(await codeOf(sorted.page({ size: 2 }))).toBe("query.sort");
    expect(await codeOf(sorted.pages({ size: 2 }).next())).toBe("query.sort");
    expect(await codeOf(sorted.removeAll())).toBe("query.sort");
    expect(await codeOf(sorted.take(1).removeAll())).toBe("query.sort");
    expect(await codeOf(sorted.updateAll(() => undefined))).toBe("query.sort");
    expect(() => sorted.sortBy("sku")).toThrow("one order");
    expect(store.reads).toEqual([]);
    expect(await productsIn(store.storage).count()).toBe(4);
  });

  test("Q1: nothing is sorted that nothing bounds", async () => {
    await using store = await open();
    const all = new TableContext(store.storage).query(Product);

    expect(await codeOf(all.sortBy("total").take(1).toArray())).toBe("query.scan-refused");
    expect(await all.scan().sortBy("total").take(1).toArray()).toEqual([]);
  });

  test("Q1: entities that take leaves out are not tracked", async () => {
    await using store = await open();
    await putProducts(store, classes, fourTotals);
    const context = new TableContext(store.storage);

    await context.query(Product).where({ tenant }).sortBy("total").take(2).toArray();

    store.reset();
    await context.findMany(
      Product,
      ["a", "b", "c", "d"].map((sku) => ({ tenant, sku })),
    );
    expect(store.reads).toHaveLength(2);
  });

  test("T16: prices sort by value", async () => {
    await using store = await open();
    await putProducts(store, classes, {
      a: { price: "9.99" },
      b: { price: "10.00" },
      c: { price: "-1.00" },
      d: {},
    });
    const products = productsIn(store.storage);

    const prices = await products.sortBy("price").toArray();
    expect(prices.map(({ price }) => price)).toEqual(["-1.00", "9.99", "10.00", undefined]);
    expect(await skusOf(products.sortBy("price", "desc"))).toBe("b a c d");
  });

  test("Q2: filterInMemory comes before take, and count counts what it lets through", async () => {
    await using store = await open();
    await putProducts(store, classes, numbered(1000));
    const context = new TableContext(store.storage);
    const odd = context.query(Product).where({ tenant }).filterInMemory(isOdd);

    expect(await skusOf(odd.take(3))).toBe("p00000 p00100 p00200");
    expect(await odd.count()).toBe(10);
    expect(odd.explain().requests[0]?.client).toBe("filterInMemory(isOdd)");
    expect(String(odd.explain())).toContain("on the client filterInMemory(isOdd)");
    expect(await odd.toArray()).toHaveLength(10);
    store.reset();
    await context.findMany(
      Product,
      ["p00000", "p00001"].map((sku) => ({ tenant, sku })),
    );
    expect(store.reads).toHaveLength(1);
  });

  test("Q2: filterInMemory works with sortBy, first, single, pages and writes", async () => {
    await using store = await open();
    await putProducts(store, classes, numbered(300));
    const odd = productsIn(store.storage).filterInMemory(isOdd);

    expect(await skusOf(odd.sortBy("sku", "desc").take(2))).toBe("p00200 p00100");
    expect(await odd.first()).toMatchObject({ sku: "p00000" });
    expect(await odd.where({ sku: "p00100" }).single()).toMatchObject({ sku: "p00100" });
    expect(await codeOf(odd.where({ sku: "p00101" }).single())).toBe("query.none-found");
    const first = await odd.page({ size: 2 });
    const second = await odd.page({ size: 2, after: first.next });
    expect([first, second].map(({ entities }) => entities.map(({ sku }) => sku))).toEqual([
      ["p00000", "p00100"],
      ["p00200"],
    ]);
    expect((await odd.filterInMemory(({ sku }) => sku > "p00000").removeAll()).written).toBe(2);
    expect(await productsIn(store.storage).count()).toBe(298);
  });

  test("Q2: a function cannot read what select leaves out, and must answer at once", async () => {
    await using store = await open();
    await putProducts(store, classes, fourTotals);
    const products = productsIn(store.storage);

    expect(await skusOf(products.select("total").filterInMemory(({ total }) => total === 3) as never)).toBe(
      "a d",
    );
    expect(await codeOf(products.filterInMemory(isOdd).select("label").toArray())).toBe(
      "query.filter-of-part",
    );
    expect(await codeOf(products.filterInMemory((async () => false) as never).count())).toBe(
      "query.filter-in-memory",
    );
    expect(() => products.filterInMemory("total" as never)).toThrow("takes a function");
  });
}

export function bigSortCases(open: OpenDomain, classes: ProductClasses): void {
  test("Q1: more than 10,000 entities need take", async () => {
    await using store = await open();
    await putProducts(store, classes, numbered(10_000));
    const sorted = new TableContext(store.storage)
      .query(classes.Product)
      .where({ tenant })
      .mergeOption("noTracking")
      .sortBy("total");

    expect(await sorted.toArray()).toHaveLength(10_000);
    await putProducts(store, classes, { z: {} });
    const error: unknown = await sorted.toArray().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "query.sort-too-many",
      message: expect.stringContaining("take()") as string,
    });
    expect(await skusOf(sorted.take(3))).toBe("p00000 p00100 p00200");
  });
}

export function familySortCases(open: OpenDomain, { Order }: DomainClasses): void {
  test("Q1, Q2: with include, functions see the lists, and parents are sorted and counted", async () => {
    await using store = await open();
    for (const [id, total] of Object.entries({ 1: 5, 2: 7, 3: 6 }))
      await putRow(store, id, { Kind: "Order", total }, "five");
    for (const rowKey of ["1!0001", "1!0002", "2!0001", "3!0001", "3!0002"])
      await putRow(store, rowKey, { Kind: "Line", sku: rowKey, qty: 1 }, "five");
    const { storage } = countedReads(store.storage);
    const orders = new TableContext(storage)
      .query(Order)
      .where({ tenant: "five" })
      .include((o) => o.lines);
    const hasTwoLines = ({ lines = [] }: { lines?: readonly object[] }): boolean => lines.length === 2;
    const long = orders.filterInMemory(hasTwoLines);
    const shown = async (query: typeof orders): Promise<[string, number][]> =>
      (await query.toArray()).map(({ id, lines }) => [id, lines.length]);

    expect(await shown(orders.sortBy("total", "desc").take(2))).toEqual([
      ["2", 1],
      ["3", 2],
    ]);
    expect(await shown(long)).toEqual([
      ["1", 2],
      ["3", 2],
    ]);
    expect(await shown(long.sortBy("total", "desc").take(1))).toEqual([["3", 2]]);
    expect(await long.count()).toBe(2);
    const page = await long.page({ size: 1 });
    expect(page.entities.map(({ id }) => id)).toEqual(["1"]);
    expect((await long.page({ size: 1, after: page.next })).entities.map(({ id }) => id)).toEqual(["3"]);
    expect(await codeOf(long.updateAll(() => undefined))).toBe("query.include");
  });
}
