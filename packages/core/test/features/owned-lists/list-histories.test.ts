// Histories of owned lists that went wrong once, or that show a rule which no case of the acceptance suite does.

import { definedClasses } from "@partita/test-support/domain/classes";
import { found, lineIn, lineOf, loaded } from "@partita/test-support/domain/loaded-order";
import {
  failureOf,
  openDomain,
  putRow,
  refusalOf,
  requestsOf,
  rowKeysOf,
} from "@partita/test-support/domain/store";
import { expect, test } from "vitest";

const open = (): ReturnType<typeof openDomain> => openDomain("memory:", definedClasses);

test("a new member replaces the row of one that leaves the list in the same save", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;

  order.lines = [lineOf(definedClasses, 1, { sku: "new" }), lineIn(order, 2)];
  await context.saveChanges();

  expect(requestsOf(store)).toEqual([["replace 7!0001"]]);
  expect(await rowKeysOf(store)).toEqual(["7", "7!0001", "7!0002"]);
});

test("a member that a refused save was to replace comes back by discard", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  const line = lineIn(order, 1);
  await putRow(store, "7!0001", { qty: 9 });
  order.lines = [lineOf(definedClasses, 1), lineIn(order, 2)];
  await failureOf(context.saveChanges());

  context.discard(order);

  expect(order.lines).toEqual([line, lineIn(order, 2)]);
  expect(context.pendingChanges()).toEqual([]);
});

test("a member that the list has twice leaves it completely when it is removed", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  const line = lineIn(order, 1);
  order.lines.push(line);

  context.remove(line);
  await context.saveChanges();

  expect(order.lines).toEqual([lineIn(order, 2)]);
  expect(await context.saveChanges()).toEqual([]);
  expect(await rowKeysOf(store)).toEqual(["7", "7!0002"]);
});

test("a call removes a member that was taken out of the list before, and put back", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  const line = lineIn(order, 1);
  order.lines.shift();
  context.pendingChanges();
  order.lines.push(line);

  context.remove(line);
  await context.saveChanges();

  expect(requestsOf(store)).toEqual([["delete 7!0001"]]);
});

test("discard brings a removed parent back with its members, apart from those that calls removed before", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  context.remove(lineIn(order, 1));
  context.remove(order);

  context.discard(order);
  await context.saveChanges();

  expect(requestsOf(store)).toEqual([["delete 7!0001"]]);
});

test.for([
  ["before", true],
  ["only afterwards", false],
] as const)(
  "nothing in place of a list says nothing, where changes are asked for %s",
  async ([, isAsked]) => {
    await using at = await loaded(open, definedClasses);
    const { context, order } = at;
    order.lines.shift();
    const before = isAsked ? context.pendingChanges() : [];

    order.lines = undefined as never;

    expect(before).toHaveLength(isAsked ? 1 : 0);
    expect(context.pendingChanges()).toEqual([]);
  },
);

test("a list does not remove a member that it has never shown", async () => {
  await using at = await found(open, definedClasses);
  const { store, context, order } = at;
  context.createIn(order, "lines", { no: 3, sku: "C" });
  await context.saveChanges();

  order.lines = [lineOf(definedClasses, 4)];
  await context.saveChanges();

  expect(await rowKeysOf(store)).toEqual(["7", "7!0001", "7!0002", "7!0003", "7!0004"]);
});

test("createIn goes by the list as it is now", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  const line = lineIn(order, 1);
  const add = (): unknown => context.createIn(order, "lines", { no: 1, sku: "new" });
  order.lines.shift();
  context.pendingChanges();

  order.lines.push(line);
  expect(add).toThrow(expect.objectContaining({ code: "entity.duplicate-key" }) as Error);
  order.lines.pop();
  add();

  await context.saveChanges();
  expect(requestsOf(store)).toEqual([["replace 7!0001"]]);
});

test("a new member that leaves the list before it is stored is not stored", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  const line = context.createIn(order, "lines", { no: 3, sku: "C" });
  order.lines.push(lineOf(definedClasses, 4));
  expect(context.pendingChanges()).toHaveLength(2);

  order.lines.length = 2;

  expect(context.pendingChanges()).toEqual([]);
  expect(context.entry(line).state).toBe("detached");
  expect(await context.saveChanges()).toEqual([]);
  expect(store.sent).toEqual([]);
});

test("a removal that was refused is taken back by putting the member back", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  const line = lineIn(order, 1);
  await putRow(store, "7!0001", { qty: 9 });
  order.lines.shift();
  await failureOf(context.saveChanges());

  order.lines.push(line);

  expect(await context.saveChanges()).toEqual([]);
  expect(await rowKeysOf(store)).toEqual(["7", "7!0001", "7!0002"]);
});

test("a member that a call has detached is left alone in its list, and outside of it", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  context.detach(lineIn(order, 1));

  expect(await context.saveChanges()).toEqual([]);
  order.lines.shift();
  expect(await context.saveChanges()).toEqual([]);

  expect(store.sent).toEqual([]);
});

test("a list that was refused can be corrected, and saved", async () => {
  await using at = await loaded(open, definedClasses);
  const { store, context, order } = at;
  order.lines.push(lineOf(definedClasses, 3), lineOf(definedClasses, 3));
  expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "entity.duplicate-key" });

  order.lines.pop();

  await context.saveChanges();
  expect(requestsOf(store)).toEqual([["insert 7!0003"]]);
});
