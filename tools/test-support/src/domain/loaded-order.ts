// The order that most cases start with, as read by a context, and its lines.

import { type Children, TableContext } from "@partita/core";
import { expect } from "vitest";
import type { DomainClasses, LineEntity, OrderEntity } from "./classes.ts";
import { type DomainStore, make, type OpenDomain } from "./store.ts";

export const orderKey = { tenant: "acme", id: "7" } as const;

/** An order with a list that `include` has filled. */
export type LoadedOrder = OrderEntity & { lines: Children<LineEntity> };

/** A context that has read the order with its lines, and the store before any write. */
export interface Loaded extends AsyncDisposable {
  readonly store: DomainStore;
  readonly context: TableContext;
  readonly order: LoadedOrder;
}

export async function loaded(open: OpenDomain, { Order }: DomainClasses): Promise<Loaded> {
  const store = await open();
  const context = new TableContext(store.storage);
  const order = await context
    .query(Order)
    .where(orderKey)
    .include((o) => o.lines)
    .single();
  store.reset();
  return { store, context, order, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** The same without reading the list. */
export async function found(
  open: OpenDomain,
  { Order }: DomainClasses,
): Promise<Loaded & { readonly order: OrderEntity }> {
  const store = await open();
  const context = new TableContext(store.storage);
  const order = (await context.find(Order, orderKey)) as LoadedOrder;
  store.reset();
  return { store, context, order, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** The numbers of the lines, read in a new context. */
export async function storedLines({ inner }: DomainStore, { Order }: DomainClasses): Promise<number[]> {
  const order = await new TableContext(inner)
    .query(Order)
    .where(orderKey)
    .include((o) => o.lines)
    .single();
  return order.lines.map(({ no }) => no);
}

export const lineOf = ({ Line }: DomainClasses, no: number, values: object = {}): LineEntity =>
  make(Line, { ...orderKey, no, sku: "C", ...values });

/** The numbers of these lines, in order. */
export const numbersOf = (lines: readonly LineEntity[] = []): number[] =>
  lines.map(({ no }) => no).toSorted((a, b) => a - b);

/** The line with this number in the list. */
export const lineIn = ({ lines }: LoadedOrder, no: number): LineEntity =>
  lines.find((line) => line.no === no) ?? expect.unreachable(`there is no line ${no}`);
