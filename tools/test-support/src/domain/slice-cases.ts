// The acceptance case Q4: the latest entries of many slices in RowKey order. The same in all forms, with
// every storage.

import { TableContext } from "@partita/core";
import { expect, test } from "vitest";
import type { LogClasses } from "./log-classes.ts";
import type { DomainStore, OpenDomain } from "./store.ts";

const user = (n: number): string => `user-${n}`;

/** This many times of a month, the latest first, an hour apart. */
const momentsOf = (year: number, month: number, count: number): Date[] =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(year, month, 28, 12) - i * 3_600_000));

export function sliceCases(open: OpenDomain, { LogEntry, SpreadEntry }: LogClasses): void {
  const end = new Date(Date.UTC(2026, 11, 31));
  const start = new Date(Date.UTC(2025, 0, 1));

  /** Stores entries of one tenant, and returns the latest 50. */
  async function stored(store: DomainStore, moments: readonly Date[]): Promise<Date[]> {
    const writer = new TableContext(store.inner);
    for (const [n, at] of moments.entries()) {
      writer.create(LogEntry, { tenant: "acme", at, user: user(n), text: "x" });
      writer.create(SpreadEntry, { at, user: user(n), text: "x" });
    }
    writer.create(LogEntry, { tenant: "beta", at: end, user: user(0), text: "of another tenant" });
    await writer.saveChanges();
    store.reset();
    return moments.toSorted((a, b) => b.getTime() - a.getTime()).slice(0, 50);
  }

  /** Every month of two years, with this many entries in the newest. */
  const twoYears = (newest: number): Date[] =>
    Array.from({ length: 24 }, (_, i) => momentsOf(2025, i, i === 23 ? newest : 30)).flat();

  const entries = (store: DomainStore) =>
    new TableContext(store.storage).query(LogEntry).where({ tenant: "acme" }).inRowKeyOrder();

  for (const [newest, closed, openEnded] of [
    [60, 4, 5],
    [30, 8, 9],
  ] as const)
    test(`Q4: the latest 50 of two years cost ${closed} requests with an end, ${openEnded} without`, async () => {
      await using store = await open();
      const latest = await stored(store, twoYears(newest));
      const ended = entries(store)
        .where((e) => e.at.between(start, end))
        .take(50);
      const since = entries(store)
        .where((e) => e.at.ge(start))
        .take(50);

      expect((await ended.toArray()).map(({ at }) => at)).toEqual(latest);
      expect(store.reads).toHaveLength(closed);
      store.reset();
      expect((await since.toArray()).map(({ at }) => at)).toEqual(latest);
      expect(store.reads).toHaveLength(openEnded);
      store.reset();
      expect((await entries(store).take(50).toArray()).map(({ at }) => at)).toEqual(latest);
      expect(store.reads).toHaveLength(openEnded);

      expect(String(ended.explain())).toContain("slice after slice, by 4 requests at least");
      expect(String(since.explain())).toContain("slice after slice, by 5 requests at least");
    });

  test("Q4: after empty slices, one request finds the next one, however many there are", async () => {
    await using store = await open();
    const latest = await stored(store, [...momentsOf(2016, 2, 40), ...momentsOf(2026, 3, 30)]);
    const query = entries(store).where((e) => e.at.between(new Date(Date.UTC(2016, 0)), end));

    expect((await query.take(50).toArray()).map(({ at }) => at)).toEqual(latest);

    // December 2026, the months before it, April, March, the months before it, March of 2016.
    expect(store.reads).toHaveLength(4 + 1 + 4 + 4 + 1 + 4);
    store.reset();
    expect(await query.take(100).toArray()).toHaveLength(70);
    expect(store.reads).toHaveLength(4 + 1 + 4 + 4 + 1 + 4 + 4 + 1);
  });

  test("Q4: what lies in the future is found as well", async () => {
    await using store = await open();
    const future = momentsOf(new Date().getUTCFullYear() + 30, 1, 3);
    const latest = await stored(store, [...future, ...momentsOf(2026, 1, 60)]);

    const found = await entries(store)
      .where((e) => e.at.ge(start))
      .take(50)
      .toArray();

    expect(found.map(({ at }) => at)).toEqual(latest);
    expect(store.reads).toHaveLength(1 + 4 + 4 + 1 + 4);
  });

  test("Q4: with the bucket in front of the month, an open end asks once for each bucket", async () => {
    await using store = await open();
    const latest = await stored(store, twoYears(60));
    const query = new TableContext(store.storage).query(SpreadEntry).inRowKeyOrder().take(50);

    expect((await query.toArray()).map(({ at }) => at)).toEqual(latest);

    expect(store.reads).toHaveLength(4 + 4);
    store.reset();
    const ended = query.where((e) => e.at.le(new Date(Date.UTC(2026, 11, 31))));
    expect((await ended.toArray()).map(({ at }) => at)).toEqual(latest);
    expect(store.reads).toHaveLength(4);
  });

  test("Q4: pages go on in the slice in which the page before ended", async () => {
    await using store = await open();
    const moments = [...momentsOf(2026, 3, 45), ...momentsOf(2026, 1, 20)];
    await stored(store, moments);
    const query = entries(store).where((e) => e.at.between(start, new Date(Date.UTC(2026, 3, 30))));
    const found: Date[] = [];
    const requests: number[] = [];
    let after: string | undefined;
    do {
      store.reset();
      const page = await query.page({ size: 20, after });
      found.push(...page.entities.map(({ at }) => at));
      requests.push(store.reads.length);
      after = page.next;
    } while (after !== undefined);

    expect(found).toEqual(moments);
    // The third page ends April, opens the empty March, finds February and opens it. The last one reads the
    // rest.
    expect(requests).toEqual([4, 4, 4 + 4 + 1 + 4, 4 + 4 + 1]);
  });
}
