// The acceptance cases of owned lists, L1 to L13: comparing a list in a save. The same in all forms, with
// every storage.

import { TableContext } from "@partita/core";
import { expect, test } from "vitest";
import type { DomainClasses, LineEntity } from "./classes.ts";
import { found, lineIn, lineOf, loaded, orderKey as key, storedLines } from "./loaded-order.ts";
import {
  failureOf,
  make,
  type OpenDomain,
  putRow,
  refusalOf,
  requestsOf,
  rowKeysOf,
  rowOf,
  sentFor,
  writtenBy,
} from "./store.ts";

export function listCases(open: OpenDomain, classes: DomainClasses): void {
  const { Order, Line, Comment, EagerOrder } = classes;

  test("L1: an order is created with its lines, in one transaction", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const order = context.create(Order, {
      tenant: "acme",
      id: "8",
      lines: [
        { no: 1, sku: "A" },
        { no: 2, sku: "B" },
      ],
    });

    expect(order.lines).toHaveLength(2);
    for (const line of order.lines ?? []) {
      expect(line).toBeInstanceOf(Line);
      expect(line).toMatchObject({ tenant: "acme", id: "8" });
    }
    expect(order.lines?.map(({ no, sku, qty }) => [no, sku, qty])).toEqual([
      [1, "A", 1],
      [2, "B", 1],
    ]);
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 8", "insert 8!0001", "insert 8!0002"]]);
    expect(await rowOf(store, "8!0002")).toMatchObject({ Kind: "Line", sku: "B", qty: 1 });
  });

  test("L2: createIn makes a member with the key parts of its parent, which is not written", async () => {
    await using at = await found(open, classes);
    const { store, context, order } = at;

    const line = context.createIn(order, "lines", { no: 3, sku: "C" });

    expect(line).toBeInstanceOf(Line);
    expect(line).toMatchObject({ tenant: "acme", id: "7", no: 3, sku: "C", qty: 1 });
    expect(context.entry(line).state).toBe("added");
    expect(context.entry(line).key).toEqual({ partitionKey: "acme", rowKey: "7!0003" });
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 7!0003"]]);
  });

  test("L2: a member that has its whole key is pushed, and sends the same", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    order.lines.push(lineOf(classes, 3));

    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 7!0003"]]);
    expect(context.entry(lineIn(order, 3)).state).toBe("unchanged");
  });

  test("L2: createIn puts the member into a list that was loaded", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    const line = context.createIn(order, "lines", { no: 3, sku: "C" });

    expect(order.lines).toContain(line);
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 7!0003"]]);
  });

  test("L3: a member that is spliced out is removed under the ETag that was read", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const { "odata.etag": etag } = (await rowOf(store, "7!0001")) ?? {};

    order.lines.splice(0, 1);

    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["delete 7!0001"]]);
    expect(sentFor(store, "7!0001")).toMatchObject({ etag });
    expect(await rowKeysOf(store)).toEqual(["7", "7!0002"]);
  });

  test("L4: a list that is replaced by a filtered one sends the same", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const { "odata.etag": etag } = (await rowOf(store, "7!0001")) ?? {};

    order.lines = order.lines.filter((l) => l.no !== 1);

    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["delete 7!0001"]]);
    expect(sentFor(store, "7!0001")).toMatchObject({ etag });
  });

  test("L5: parent, changed, removed and added members are one transaction of four", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const line = lineOf(classes, 3);

    order.lines.shift();
    order.lines.push(line);
    lineIn(order, 2).qty = 5;
    order.note = "n";

    const pending = context.pendingChanges().map(({ entity, state, subject, assigned }) => ({
      key: /"([^"]*)"\)$/.exec(subject)?.[1],
      state,
      assigned,
      isLine: entity instanceof Line,
    }));
    expect(pending.toSorted((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1))).toEqual([
      { key: "7", state: "modified", assigned: ["note"], isLine: false },
      { key: "7!0001", state: "deleted", assigned: [], isLine: true },
      { key: "7!0002", state: "modified", assigned: ["qty"], isLine: true },
      { key: "7!0003", state: "added", assigned: [], isLine: true },
    ]);
    expect(store.sent).toEqual([]);
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["merge 7", "delete 7!0001", "merge 7!0002", "insert 7!0003"]]);
    expect(writtenBy(sentFor(store, "7"))).toEqual(["note"]);
    expect(writtenBy(sentFor(store, "7!0002"))).toEqual(["qty"]);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("L6: a list that was not loaded only adds", async () => {
    await using at = await found(open, classes);
    const { store, context, order } = at;

    order.lines = [lineOf(classes, 3)];

    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 7!0003"]]);
    expect(await storedLines(store, classes)).toEqual([1, 2, 3]);
  });

  test("L7: an empty list that was not loaded says nothing", async () => {
    await using at = await found(open, classes);
    const { store, context, order } = at;

    order.lines = [];

    expect(await context.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
    expect(context.entry(order).notLoaded).toContain("lines");
  });

  test("L7: nor does one that a field initializer makes", async () => {
    await using store = await open();
    const rows = [
      { PartitionKey: "acme", RowKey: "7", Kind: "Order" },
      { PartitionKey: "acme", RowKey: "7!0001", Kind: "Line", sku: "A" },
    ];
    for (const entity of rows) await store.inner.write("EagerOrders", { type: "insert", entity });
    const context = new TableContext(store.storage);

    const order = await context.find(EagerOrder, key);

    expect(order?.lines).toEqual([]);
    expect(await context.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
    expect(context.entry(order as object).notLoaded).toContain("lines");
  });

  const nothings = [
    ["undefined", undefined],
    ["null", null],
  ] as const;
  test.for(nothings)("L7: %s in place of a loaded list removes nothing", async ([, nothing]) => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    expect(context.entry(order).notLoaded).not.toContain("lines");

    (order as { lines: unknown }).lines = nothing;

    expect(await context.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
  });

  test("L8: what another context has stored stays", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    await putRow(store, "7!0003", { Kind: "Line", sku: "C", qty: 1 });

    order.lines.shift();

    await context.saveChanges();
    expect(await storedLines(store, classes)).toEqual([2, 3]);
  });

  test("L9: a member that another context has changed is not removed, and nothing is stored beside it", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const line = lineIn(order, 1);
    await putRow(store, "7!0001", { qty: 9 });

    order.lines.shift();
    order.note = "n";
    const error = await failureOf(context.saveChanges());

    const conflict = error.results.find(({ entity }) => entity === line);
    expect(conflict).toMatchObject({ outcome: "rejected", error: { code: "conflict.etag" } });
    expect(conflict?.error?.message).toContain("7!0001");
    expect(conflict?.error?.message).toMatch(/lines of Order/);
    expect(error.results.every(({ outcome }) => outcome === "rejected")).toBe(true);
    expect(await rowOf(store, "7")).not.toHaveProperty("note");
    expect(await rowKeysOf(store)).toEqual(["7", "7!0001", "7!0002"]);

    await context.resolveConflict(line, "mine");
    await context.saveChanges();
    expect(await rowKeysOf(store)).toEqual(["7", "7!0002"]);
    expect(await rowOf(store, "7")).toMatchObject({ note: "n" });
    expect(order.lines).not.toContain(line);
  });

  test("L10: a member that is put back at another place sends nothing", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    const [line] = order.lines.splice(0, 1);
    order.lines.push(line as LineEntity);

    expect(context.pendingChanges()).toEqual([]);
    expect(await context.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
  });

  test("L11: a member that is pushed twice is stored once", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const line = lineOf(classes, 3);

    order.lines.push(line, line);

    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 7!0003"]]);
    expect(await context.saveChanges()).toEqual([]);
  });

  test("L11: two new members of one key are refused", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    order.lines.push(lineOf(classes, 3), lineOf(classes, 3, { sku: "D" }));

    expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "entity.duplicate-key" });
    expect(store.sent).toEqual([]);
  });

  test("L11: a new member of the key of one that the list has is refused", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    order.lines.push(lineOf(classes, 1));

    expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "entity.duplicate-key" });
    expect(store.sent).toEqual([]);
  });

  const strangers: readonly (readonly [string, () => unknown])[] = [
    ["null", () => null],
    ["a hole", () => undefined],
    ["a Comment", () => make(Comment, { ...key, at: new Date(0), text: "x" })],
    ["a plain object", () => ({ ...key, no: 3, sku: "C" })],
  ];
  test.for(strangers)("L12: %s is no member", async ([name, strange]) => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    if (name === "a hole") order.lines.length = 3;
    else order.lines.push(strange() as never);

    const { code, message } = await refusalOf(context.saveChanges());
    expect(code).toBe("entity.not-a-member");
    expect(message).toMatch(/lines\[2\]|lines.*\b2\b/);
    expect(store.sent).toEqual([]);
  });

  test("a member of another parent is refused", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    order.lines.push(lineOf(classes, 3, { id: "9" }));

    expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "entity.key-changed" });
    expect(store.sent).toEqual([]);
  });

  test("L13: the order of a list is not stored", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    order.lines.reverse();

    expect(await context.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
    expect(await storedLines(store, classes)).toEqual([1, 2]);
  });
}
