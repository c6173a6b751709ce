// The acceptance cases of owned lists, L19 and L20: reading orders with their lines. The same in all forms,
// with every storage.

import { TableContext } from "@partita/core";
import { warningsDuring } from "../warnings.ts";
import { expect, test } from "vitest";
import type { DomainClasses, OrderEntity } from "./classes.ts";
import { lineOf, numbersOf, orderKey as key } from "./loaded-order.ts";
import { type DomainStore, type OpenDomain, putRow, requestsOf, rowKeysOf, rowOf } from "./store.ts";

/** The RowKey of a comment of 1970. */
const aComment = "7!2534023007999999999";

/** Orders "1" to "5" of a tenant, with three lines each. */
async function fiveOrders(store: DomainStore): Promise<void> {
  for (const id of ["1", "2", "3", "4", "5"]) {
    await putRow(store, id, { Kind: "Order", total: Number(id) }, "five");
    for (const no of ["0001", "0002", "0003"])
      await putRow(store, `${id}!${no}`, { Kind: "Line", sku: `${id}-${no}`, qty: 1 }, "five");
  }
}

const shown = (orders: readonly OrderEntity[]): [string, number[]][] =>
  orders.map(({ id, lines = [] }) => [id, lines.map(({ no }) => no)]);

export function includeCases(open: OpenDomain, classes: DomainClasses): void {
  const { Order } = classes;

  test("L19: take counts parents, each with all of its lines", async () => {
    await using store = await open();
    await fiveOrders(store);

    const orders = await new TableContext(store.storage)
      .query(Order)
      .where({ tenant: "five" })
      .include((o) => o.lines)
      .take(2)
      .toArray();

    expect(shown(orders)).toEqual([
      ["1", [1, 2, 3]],
      ["2", [1, 2, 3]],
    ]);
  });

  test("L19: pages count parents, and no token splits a family", async () => {
    await using store = await open();
    await fiveOrders(store);
    const context = new TableContext(store.storage);
    const query = context
      .query(Order)
      .where({ tenant: "five" })
      .include((o) => o.lines);

    const first = await query.page({ size: 2 });
    const second = await query.page({ size: 2, after: first.next });
    const last = await query.page({ size: 2, after: second.next });

    const all = [first, second, last].map(({ entities }) => shown(entities));
    expect(all).toEqual([
      [
        ["1", [1, 2, 3]],
        ["2", [1, 2, 3]],
      ],
      [
        ["3", [1, 2, 3]],
        ["4", [1, 2, 3]],
      ],
      [["5", [1, 2, 3]]],
    ]);
    expect(last.next).toBeUndefined();
    const pages: OrderEntity[] = [];
    for await (const { entities } of query.pages({ size: 2 })) pages.push(...entities);
    expect(shown(pages)).toEqual(all.flat());
  });

  test("include may be repeated, and stands with select", async () => {
    await using store = await open();
    await putRow(store, aComment, { Kind: "Comment", text: "x" });
    const orders = new TableContext(store.storage).query(Order).where(key);

    const both = await orders
      .include((o) => o.lines)
      .include((o) => o.comments)
      .single();
    const part = await orders
      .mergeOption("noTracking")
      .select("total")
      .include((o) => o.lines)
      .single();

    expect(both.lines).toHaveLength(2);
    expect(both.comments).toHaveLength(1);
    expect(part.total).toBe(0);
    expect(part.lines).toHaveLength(2);
  });

  test("L20: find takes the list along, by one range request in place of a point read", async () => {
    await using store = await open();
    store.reset();

    const order = await new TableContext(store.storage).find(Order, key, { include: "lines" });

    expect(order?.lines?.map(({ no }) => no)).toEqual([1, 2]);
    expect(store.reads).toEqual(["query"]);
  });

  test("L20: find gives nothing where the order is not stored, also where lines are", async () => {
    await using store = await open();
    await putRow(store, "6!0001", { Kind: "Line", sku: "A", qty: 1 });
    const context = new TableContext(store.storage);
    let order: object | undefined = {};

    await warningsDuring(async () => {
      order = await context.find(Order, { tenant: "acme", id: "6" }, { include: "lines" });
    });

    expect(order).toBeUndefined();
    expect(await context.find(Order, { tenant: "acme", id: "none" }, { include: "lines" })).toBeUndefined();
  });

  test("findMany takes the lists along", async () => {
    await using store = await open();
    await fiveOrders(store);
    const keys = ["4", "none", "2"].map((id) => ({ tenant: "five", id }));

    const orders = await new TableContext(store.storage).findMany(Order, keys, { include: "lines" });

    expect(orders.map((order) => order && shown([order])[0])).toEqual([
      ["4", [1, 2, 3]],
      undefined,
      ["2", [1, 2, 3]],
    ]);
  });

  test("modify saves the parent with the changes of its list, and tries again on a conflict", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    let runs = 0;

    const order = await context.modify(
      Order,
      key,
      async (each) => {
        if (++runs === 1) await putRow(store, "7", { total: 5 });
        each.total += 1;
        each.lines = (each.lines ?? []).filter(({ no }) => no !== 1);
        each.lines.push(lineOf(classes, 3));
      },
      { include: "lines" },
    );

    expect(runs).toBe(2);
    expect(numbersOf(order?.lines)).toEqual([2, 3]);
    expect(await rowOf(store, "7")).toMatchObject({ total: 6 });
    expect(await rowKeysOf(store)).toEqual(["7", "7!0002", "7!0003"]);
    expect(requestsOf(store)).toEqual([
      ["merge 7", "delete 7!0001", "insert 7!0003"],
      ["merge 7", "delete 7!0001", "insert 7!0003"],
    ]);
  });
}
