// The acceptance cases Q3 and Q5 for a few rows, and the effects of their decisions. The same in all forms,
// with every storage.

import { type Query, TableContext } from "@partita/core";
import { expect, test } from "vitest";
import type { LogClasses } from "./log-classes.ts";
import type { DomainStore, OpenDomain } from "./store.ts";

export function keyOrderCases(open: OpenDomain, { LogEntry, Numbered }: LogClasses): void {
  /** A store with 30 numbered rows in one list, and one in another. */
  async function numbered(): Promise<DomainStore> {
    const store = await open();
    const writer = new TableContext(store.inner);
    for (let n = 1; n <= 30; n++) writer.create(Numbered, { list: "a", n, value: n % 3 });
    writer.create(Numbered, { list: "b", n: 31 });
    await writer.saveChanges();
    store.reset();
    return store;
  }

  const ofList = ({ storage }: DomainStore, list = "a") =>
    new TableContext(storage).query(Numbered).where({ list });

  const numbersOf = (found: readonly { readonly n: number }[]): number[] => found.map(({ n }) => n);

  test("Q3: last(n) gives the last n in key order, reverse() the opposite order", async () => {
    await using store = await numbered();
    const query = ofList(store);

    expect(numbersOf(await query.last(5))).toEqual([26, 27, 28, 29, 30]);
    expect(numbersOf(await query.reverse().take(5).toArray())).toEqual([30, 29, 28, 27, 26]);
    expect((await query.reverse().first())?.n).toBe(30);
    expect(numbersOf(await query.reverse().reverse().take(2).toArray())).toEqual([1, 2]);
    expect(numbersOf(await query.reverse().last(2))).toEqual([2, 1]);
    expect(numbersOf(await query.where((e) => e.value.eq(1)).last(3))).toEqual([22, 25, 28]);
    expect(numbersOf(await query.where((e) => e.n.between(4, 9)).last(2))).toEqual([8, 9]);
    expect(await ofList(store, "none").last(2)).toEqual([]);
  });

  test("Q3: pages in reverse order go on with their tokens", async () => {
    await using store = await numbered();
    const query = ofList(store)
      .where((e) => e.n.ge(17))
      .reverse();

    const first = await query.page({ size: 5 });
    const second = await query.page({ size: 5, after: first.next });
    const third = await query.page({ size: 5, after: second.next });

    expect(numbersOf(first.entities)).toEqual([30, 29, 28, 27, 26]);
    expect(numbersOf(second.entities)).toEqual([25, 24, 23, 22, 21]);
    expect(numbersOf(third.entities)).toEqual([20, 19, 18, 17]);
    expect(third.next).toBeUndefined();
    const foreign = ofList(store)
      .where((e) => e.n.ge(17))
      .page({ size: 5, after: first.next });
    await expect(foreign).rejects.toMatchObject({ code: "query.foreign-token" });
  });

  test("Q3: reverse goes over several partitions, and with projections and conditions", async () => {
    await using store = await numbered();
    const query = new TableContext(store.storage).query(Numbered).where((e) => e.list.in(["a", "b", "c"]));

    const found = await query.select("value").reverse().take(3).toArray();

    expect(found.map(({ list, n, value }) => [list, n, value])).toEqual([
      ["b", 31, 0],
      ["a", 30, 0],
      ["a", 29, 2],
    ]);
    expect(await query.reverse().count()).toBe(31);
    expect(await query.reverse().take(2).removeAll()).toMatchObject({ written: 2 });
    expect(numbersOf(await query.last(1))).toEqual([29]);
  });

  test("Q3: over a service, reverse() needs a number, and explain() says that all is read", async () => {
    await using store = await numbered();
    const query = ofList(store).reverse();

    const { readsToEnd, isInKeyOrder } = query.explain();
    const explained = String(query.explain());
    const found = await query.toArray().then(numbersOf, (error: unknown) => error);

    const isBackwards = store.storage.readsBackwards === true;
    const fromTheEnd = Array.from({ length: 30 }, (_, i) => 30 - i);
    const refused = expect.objectContaining({ code: "query.reverse-unbounded" }) as unknown;
    expect(isInKeyOrder).toBe(false);
    expect(readsToEnd).toBe(!isBackwards);
    expect(explained).toMatch(
      isBackwards ? /in reverse key order$/ : /in reverse key order, read to the end/,
    );
    expect(found).toEqual(isBackwards ? fromTheEnd : refused);
    expect(store.reads).toHaveLength(isBackwards ? 1 : 0);
  });

  test("exists() asks for one row", async () => {
    await using store = await numbered();

    expect(await ofList(store).exists()).toBe(true);
    expect(await ofList(store, "none").exists()).toBe(false);
    expect(
      await ofList(store)
        .where((e) => e.value.eq(2))
        .exists(),
    ).toBe(true);
    expect(store.reads).toHaveLength(3);
  });

  test("Q5: count() is right for key ranges, kinds and conditions", async () => {
    await using store = await numbered();
    const count = async (query: Query<object>): Promise<number> => query.count();

    expect(await count(ofList(store))).toBe(30);
    expect(await count(ofList(store).where((e) => e.n.between(4, 9)))).toBe(6);
    expect(await count(ofList(store).where((e) => e.value.eq(1)))).toBe(10);
    expect(await count(ofList(store).take(7))).toBe(7);
    expect(await count(new TableContext(store.inner).query(Numbered).scan())).toBe(31);
  });

  test("partitions() skips from key to key", async () => {
    await using store = await open();
    const writer = new TableContext(store.inner);
    for (let month = 0; month < 3; month++)
      for (let i = 0; i < 40; i++)
        writer.create(LogEntry, {
          tenant: "acme",
          at: new Date(Date.UTC(2026, month, 1, 0, i)),
          user: `u${i % 2}`,
          text: "x",
        });
    writer.create(LogEntry, { tenant: "beta", at: new Date(0), user: "u0", text: "x" });
    await writer.saveChanges();
    store.reset();
    const context = new TableContext(store.storage);

    const ofTenant: string[] = [];
    const all: string[] = [];
    for await (const key of context.partitions(LogEntry, { tenant: "acme" })) ofTenant.push(key);
    const requests = store.reads.length;
    for await (const key of context.partitions(LogEntry)) all.push(key);

    expect(ofTenant).toEqual(ofTenant.toSorted());
    expect(new Set(ofTenant.map((key) => key.slice(0, "acme!7973_12".length)))).toEqual(
      new Set(["acme!7973_10", "acme!7973_11", "acme!7973_12"]),
    );
    expect(new Set(ofTenant).size).toBe(ofTenant.length);
    expect(requests).toBe(ofTenant.length + 1);
    expect(all).toHaveLength(ofTenant.length + 1);
    expect(all.at(-1)).toMatch(/^beta!8029_12!/);
    expect(context.size).toBe(0);
  });
}
