// The acceptance cases of work that retries, W1 to W5. The same in all forms, with every storage.

import { TableContext, work } from "@partita/core";
import { expect, test } from "vitest";
import type { DomainClasses, OrderEntity } from "./classes.ts";
import { failureOf, type OpenDomain, putRow, requestsOf, rowOf } from "./store.ts";

const key = { tenant: "acme", id: "7" } as const;
const counterKey = { tenant: "acme", id: "c" } as const;

export function workCases(open: OpenDomain, classes: DomainClasses): void {
  const { Order, Counter } = classes;

  test("W1: two runs that read one order both count", async () => {
    await using store = await open();
    const contexts = new Set<TableContext>();
    let begun = 0;
    let bothHaveRead: () => void = () => undefined;
    const reading = new Promise<void>((resolve) => (bothHaveRead = resolve));
    const add = (): Promise<string> =>
      work(store.storage, async (context) => {
        contexts.add(context);
        const order = (await context.find(Order, key)) as OrderEntity;
        if (++begun === 2) bothHaveRead();
        await reading;
        order.total += 1;
        return `saw ${order.total}`;
      });

    const seen = await Promise.all([add(), add()]);

    expect(await rowOf(store, "7")).toMatchObject({ total: 2 });
    expect(begun).toBe(3);
    expect(contexts.size).toBe(3);
    expect(seen.toSorted()).toEqual(["saw 1", "saw 2"]);
  });

  test("its entities are tracked by no context afterwards", async () => {
    await using store = await open();

    const order = (await work(store.storage, (context) => context.find(Order, key))) as OrderEntity;
    order.total = 4;

    const context = new TableContext(store.storage);
    const { "odata.etag": etag } = (await rowOf(store, "7")) ?? {};
    expect(context.entry(context.attach(order, etag as string)).state).toBe("unchanged");
  });

  test("W2: changes of two partitions are refused, unless the batches may be several", async () => {
    await using store = await open();
    await putRow(store, "7", { Kind: "Order", total: 0 }, "beta");
    const change = async (context: TableContext): Promise<void> => {
      for (const tenant of ["acme", "beta"])
        ((await context.find(Order, { tenant, id: "7" })) as OrderEntity).total += 1;
    };
    store.reset();

    expect((await failureOf(work(store.storage, change))).code).toBe("save.not-atomic");
    expect(store.sent).toEqual([]);

    await work(store.storage, change, { batch: "auto" });
    expect(await rowOf(store, "7")).toMatchObject({ total: 1 });
    expect(requestsOf(store)).toEqual([["merge 7"], ["merge 7"]]);
  });

  test("W3: what meets a conflict at each attempt ends with the error of the last one", async () => {
    await using store = await open();
    let runs = 0;
    const attempt = async (context: TableContext): Promise<void> => {
      const order = (await context.find(Order, key)) as OrderEntity;
      order.total += 1;
      await putRow(store, "7", { total: 100 * ++runs });
    };

    const error = await failureOf(work(store.storage, attempt, { attempts: 3 }));

    expect(runs).toBe(3);
    expect(error.code).toBe("save.failed");
    expect(error.results).toMatchObject([{ outcome: "rejected", error: { code: "conflict.etag" } }]);
    expect(error.message).toMatch(/three attempts|3 attempts/);
    expect(await rowOf(store, "7")).toMatchObject({ total: 300 });
  });

  test("W3: what is stored in part ends it, and the error says what", async () => {
    await using store = await open();
    await putRow(store, "7", { Kind: "Order", total: 0 }, "beta");
    let runs = 0;
    const change = async (context: TableContext): Promise<void> => {
      runs++;
      for (const tenant of ["acme", "beta"])
        ((await context.find(Order, { tenant, id: "7" })) as OrderEntity).total += 1;
      await putRow(store, "7", { total: 9 }, "beta");
    };

    const error = await failureOf(work(store.storage, change, { batch: "auto", attempts: 3 }));

    expect(runs).toBe(1);
    expect(error.results.map(({ outcome }) => outcome).toSorted()).toEqual(["committed", "rejected"]);
  });

  test("W4: an error of the function itself ends it, and nothing is sent", async () => {
    await using store = await open();
    store.reset();
    let runs = 0;
    const own = new Error("mine");

    const running = work(store.storage, async (context) => {
      runs++;
      ((await context.find(Order, key)) as OrderEntity).total = 4;
      throw own;
    });

    await expect(running).rejects.toBe(own);
    expect(runs).toBe(1);
    expect(store.sent).toEqual([]);
  });

  test("W4: the function neither saves nor starts other work", async () => {
    await using store = await open();
    store.reset();
    let runs = 0;
    const saving = work(store.storage, async (context) => {
      runs++;
      ((await context.find(Order, key)) as OrderEntity).total = 4;
      await context.saveChanges();
    });
    await expect(saving).rejects.toMatchObject({ code: "context.reentrant-save" });

    const nested = work(store.storage, async () => {
      runs++;
      await work(store.storage, () => undefined);
    });
    await expect(nested).rejects.toMatchObject({ code: "context.reentrant-work" });

    expect(runs).toBe(2);
    expect(store.sent).toEqual([]);
  });

  test("W5: ten contexts count together from nothing", async () => {
    await using store = await open();

    const counted = await Promise.all(
      Array.from({ length: 10 }, () =>
        new TableContext(store.storage).modify(Counter, counterKey, (c) => void c.n++, {
          create: () => ({ n: 0 }),
          attempts: 30,
        }),
      ),
    );

    expect(counted.map((counter) => counter?.n).toSorted((a = 0, b = 0) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    const row = await store.inner.get("Counters", { partitionKey: "acme", rowKey: "c" });
    expect(row).toMatchObject({ n: 10 });
  });

  test("W5: without create, nothing is made", async () => {
    await using store = await open();
    store.reset();

    const counted = await Promise.all(
      Array.from({ length: 10 }, () =>
        new TableContext(store.storage).modify(Counter, counterKey, (c) => void c.n++, { attempts: 30 }),
      ),
    );

    expect(counted).toEqual(Array.from({ length: 10 }, () => undefined));
    expect(store.sent).toEqual([]);
  });
}
