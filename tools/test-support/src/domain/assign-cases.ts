// The acceptance case W6, for values from a client. The same in all forms, with every storage.

import { TableContext } from "@partita/core";
import { expect, test } from "vitest";
import type { DomainClasses, OrderEntity } from "./classes.ts";
import { type OpenDomain, putRow, requestsOf, rowOf } from "./store.ts";

const key = { tenant: "acme", id: "7" } as const;

export function assignCases(open: OpenDomain, { Order }: DomainClasses): void {
  test("W6: null clears what is optional, by one request that replaces the row", async () => {
    await using store = await open();
    await putRow(store, "7", { note: "x", total: 3 });
    const context = new TableContext(store.storage);
    const order = (await context.find(Order, key)) as OrderEntity;
    store.reset();

    context.assign(order, { note: null, total: 4 });
    await context.saveChanges();

    expect(requestsOf(store)).toEqual([["replace 7"]]);
    expect(await rowOf(store, "7")).not.toHaveProperty("note");
    expect(await rowOf(store, "7")).toMatchObject({ total: 4 });
  });
}
