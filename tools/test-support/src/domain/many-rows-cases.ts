// The acceptance cases Q6 and Q7: reads by many keys, and deletes of many rows. The same in all forms, with
// every storage.

import { TableContext } from "@partita/core";
import { expect, test } from "vitest";
import { countedReads, type CountedReads } from "../counted-reads.ts";
import type { ProductClasses } from "./product-classes.ts";
import type { DomainStore, OpenDomain } from "./store.ts";

const tenant = "acme";

export function findManyCases(open: OpenDomain, { Product, Entry }: ProductClasses): void {
  const skus = Array.from({ length: 20 }, (_, i) => `sku-${(i * 7) % 20}`);
  const isMissing = (sku: string): boolean => ["sku-2", "sku-9", "sku-14"].includes(sku);

  async function entriesOf(store: DomainStore, numbers: readonly number[]): Promise<CountedReads> {
    const context = new TableContext(store.inner);
    for (const no of numbers) context.create(Entry, { tenant, no, body: String(no) });
    await context.saveChanges();
    return countedReads(store.inner);
  }
  const found = async (
    { storage }: CountedReads,
    numbers: readonly number[],
  ): Promise<(string | undefined)[]> =>
    (
      await new TableContext(storage).findMany(
        Entry,
        numbers.map((no) => ({ tenant, no })),
      )
    ).map((entry) => entry?.body);

  test("Q6: keys that lie apart are point reads, 16 at once, in the order of the keys", async () => {
    await using store = await open();
    const setting = new TableContext(store.inner);
    for (const sku of skus) if (!isMissing(sku)) setting.create(Product, { tenant, sku });
    await setting.saveChanges();
    const counted = countedReads(store.inner);

    const products = await new TableContext(counted.storage).findMany(
      Product,
      skus.map((sku) => ({ tenant, sku })),
    );

    expect(products.map((product) => product?.sku)).toEqual(
      skus.map((sku) => (isMissing(sku) ? undefined : sku)),
    );
    expect(counted.reads).toHaveLength(20);
    expect(counted.reads.every((read) => "key" in read)).toBe(true);
    expect(counted.mostAtOnce).toBe(16);
  });

  test("Q6: keys that lie side by side are one range, in the order of the keys", async () => {
    await using store = await open();
    const numbers = Array.from({ length: 20 }, (_, i) => 100 + ((i * 7) % 20));
    const missing = [102, 109, 114];
    const counted = await entriesOf(
      store,
      numbers.filter((no) => !missing.includes(no)),
    );

    expect(await found(counted, numbers)).toEqual(
      numbers.map((no) => (missing.includes(no) ? undefined : String(no))),
    );
    expect(counted.reads).toMatchObject([{ rows: 17, query: { top: 40 } }]);
  });

  test("Q6: a range has at most twice the rows asked for, and tracked entities are not read", async () => {
    await using store = await open();
    const counted = await entriesOf(store, [1, 2, 3, 4, 5, 6, 7, 8, 100]);

    expect(await found(counted, [1, 4])).toEqual(["1", "4"]);
    expect(counted.reads).toMatchObject([{ rows: 4 }]);
    counted.reads.length = 0;
    expect(await found(counted, [1, 5])).toEqual(["1", "5"]);
    expect(counted.reads.every((read) => "key" in read)).toBe(true);
    counted.reads.length = 0;
    expect(await found(counted, [8, 100, 7, 8])).toEqual(["8", "100", "7", "8"]);
    expect(counted.reads).toHaveLength(2);

    counted.reads.length = 0;
    const context = new TableContext(counted.storage);
    const first = await context.find(Entry, { tenant, no: 1 });
    const [again, second] = await context.findMany(
      Entry,
      [1, 2].map((no) => ({ tenant, no })),
    );
    expect([again === first, second?.body]).toEqual([true, "2"]);
    expect(counted.reads.every((read) => "key" in read)).toBe(true);
  });

  test("Q6: rows between that no key shows are not read on: the rest are point reads", async () => {
    await using store = await open();
    const counted = await entriesOf(store, [1, 2]);
    for (let i = 0; i < 10; i++)
      await store.inner.write("Entries", {
        type: "insert",
        entity: { PartitionKey: tenant, RowKey: `000001x${i}` },
      });

    expect(await found(counted, [2, 1])).toEqual(["2", "1"]);
    expect(counted.reads).toMatchObject([{ rows: 4 }, { key: { rowKey: "000002" } }]);
  });
}

export function removeCases(open: OpenDomain, { Product }: ProductClasses): void {
  async function fiveThousand(store: DomainStore): Promise<CountedReads> {
    const context = new TableContext(store.inner);
    for (let i = 0; i < 5000; i++)
      context.create(Product, { tenant, sku: String(i), total: i, label: "x".repeat(2000) });
    await context.saveChanges();
    return countedReads(store.inner);
  }

  test("Q7: removing 5,000 rows of 2 KB reads under 1 MB", async () => {
    await using store = await open();
    const counted = await fiveThousand(store);
    const products = new TableContext(counted.storage).query(Product).where({ tenant });

    expect(await products.where((p) => p.total.lt(10)).removeAll()).toMatchObject({ written: 10 });
    expect(await products.removeAll()).toMatchObject({ written: 4990 });

    expect(counted.bytes).toBeLessThan(1_000_000);
    expect(counted.bytes).toBeGreaterThan(100_000);
    expect(await products.count()).toBe(0);
  });

  test("Q7: with a saving hook whole rows are read, and the hook sees them", async () => {
    await using store = await open();
    const setting = new TableContext(store.inner);
    for (const sku of ["a", "b"]) setting.create(Product, { tenant, sku, label: `label of ${sku}` });
    await setting.saveChanges();
    const seen: unknown[] = [];
    const hooks = { saving: (entity: object) => void seen.push({ ...entity }) };

    await new TableContext(store.storage, { hooks }).query(Product).where({ tenant }).removeAll();

    expect(seen).toMatchObject([
      { sku: "a", label: "label of a" },
      { sku: "b", label: "label of b" },
    ]);
  });

  test("Q7: a row that another writer changes meanwhile is removed only if it still matches", async () => {
    await using store = await open();
    const setting = new TableContext(store.inner);
    for (const sku of ["a", "b", "c"]) setting.create(Product, { tenant, sku, total: 1 });
    await setting.saveChanges();
    store.beforeWrite = async () => {
      store.beforeWrite = undefined;
      const change = (RowKey: string, values: object): Promise<unknown> =>
        store.inner.write("Products", {
          type: "upsert-merge",
          entity: { PartitionKey: tenant, RowKey, ...values },
        });
      await change("a", { total: 2 });
      await change("b", { label: "changed" });
    };

    const products = new TableContext(store.storage).query(Product).where({ tenant });
    const progress = await products.where({ total: 1 }).removeAll();

    expect(progress).toEqual({ read: 3, written: 2, skipped: 1 });
    expect((await products.toArray()).map(({ sku }) => sku)).toEqual(["a"]);
  });
}
