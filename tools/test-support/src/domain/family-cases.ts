// The acceptance cases of owned lists, L14 to L18 and L21 to L25: orders together with their lines. The same
// in all forms, with every storage.

import { fromPlain, TableContext } from "@partita/core";
import { expect, test } from "vitest";
import type { DomainClasses, OrderEntity } from "./classes.ts";
import { found, lineIn, lineOf, loaded, numbersOf, orderKey as key, storedLines } from "./loaded-order.ts";
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
} from "./store.ts";

/** The RowKey of a comment of 1970. */
const aComment = "7!2534023007999999999";

export function familyCases(open: OpenDomain, classes: DomainClasses): void {
  const { Order, Line, Comment, TwiceOrder } = classes;
  const order250 = (context: TableContext): OrderEntity =>
    context.create(Order, {
      tenant: "acme",
      id: "8",
      lines: Array.from({ length: 250 }, (_, i) => ({ no: i + 1, sku: "A" })),
    });

  test("L14: a family that does not fit one transaction is stored parent first", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    order250(context);
    const seen: string[][] = [];
    store.beforeWrite = async () =>
      void seen.push((await rowKeysOf(store)).filter((each) => each.startsWith("8")));

    const results = await context.saveChanges();

    const requests = requestsOf(store);
    expect(requests.map(({ length }) => length)).toEqual([100, 100, 51]);
    expect(requests[0]).toContain("insert 8");
    expect(results).toHaveLength(251);
    for (const keys of seen.filter(({ length }) => length > 0)) expect(keys).toContain("8");
    expect(await rowKeysOf(store)).toHaveLength(254);
  });

  test("L14: a large family is removed parent last", async () => {
    await using store = await open();
    const writer = new TableContext(store.inner);
    order250(writer);
    await writer.saveChanges();
    const context = new TableContext(store.storage);
    const order = await context
      .query(Order)
      .where({ tenant: "acme", id: "8" })
      .include((o) => o.lines)
      .single();
    const seen: string[][] = [];
    store.beforeWrite = async () =>
      void seen.push((await rowKeysOf(store)).filter((each) => each.startsWith("8")));

    context.remove(order);
    await context.saveChanges();

    expect(requestsOf(store)).toHaveLength(3);
    expect(requestsOf(store).at(-1)).toContain("delete 8");
    for (const keys of seen) expect(keys).toContain("8");
    expect(await rowKeysOf(store)).toEqual(["7", "7!0001", "7!0002"]);
  });

  test("L14: an atomic save of it is refused before anything is sent", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    order250(context);

    const error = await failureOf(context.saveChanges({ batch: "atomic" }));

    expect(error.code).toBe("save.not-atomic");
    expect(store.sent).toEqual([]);
  });

  test("L14: where the parent is refused, none of its members is sent", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    order250(context);
    await putRow(store, "8", { Kind: "Order", total: 1 });

    const error = await failureOf(context.saveChanges());

    expect(error.results).toHaveLength(251);
    expect(error.results.every(({ outcome }) => outcome === "rejected")).toBe(true);
    expect(requestsOf(store)).toHaveLength(1);
    expect((await rowKeysOf(store)).filter((each) => each.startsWith("8"))).toEqual(["8"]);
  });

  test("L15: remove takes the loaded members along, in one transaction", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;

    context.remove(order);

    expect(context.pendingChanges().map(({ state }) => state)).toEqual(["deleted", "deleted", "deleted"]);
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["delete 7", "delete 7!0001", "delete 7!0002"]]);
    expect(await rowKeysOf(store)).toEqual([]);
  });

  test("L16: remove of a parent whose list was not loaded names removeFamily, which reads it", async () => {
    await using at = await found(open, classes);
    const { store, context, order } = at;

    expect(() => context.remove(order)).toThrow(
      expect.objectContaining({
        code: "entity.list-not-loaded",
        message: expect.stringContaining("removeFamily") as string,
      }) as Error,
    );

    expect(context.entry(order).state).toBe("unchanged");
    expect(context.pendingChanges()).toEqual([]);
    await context.removeFamily(order);
    await context.saveChanges();
    expect(await rowKeysOf(store)).toEqual([]);
  });

  test("L17: two lists of one class are refused", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    expect(() => context.create(TwiceOrder, { tenant: "acme", id: "1" })).toThrow(
      expect.objectContaining({
        code: "model.children",
        message: expect.stringMatching(/lines.*extras|extras.*lines/s) as string,
      }) as Error,
    );
  });

  test("L18: a view removes nothing, and what is pushed into one is reported", async () => {
    await using store = await open();
    await putRow(store, aComment, { Kind: "Comment", text: "x" });
    const context = new TableContext(store.storage);
    const order = await context
      .query(Order)
      .where(key)
      .include((o) => o.comments)
      .single();
    expect(order.comments).toHaveLength(1);

    order.comments.shift();
    expect(await context.saveChanges()).toEqual([]);
    order.comments.push(make(Comment, { ...key, at: new Date(1000), text: "y" }));

    expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "entity.children-not-added" });
    expect(store.sent).toEqual([]);
    const lenient = new TableContext(store.storage, { undeclared: "ignore" });
    const other = await lenient
      .query(Order)
      .where(key)
      .include((o) => o.comments)
      .single();
    other.comments.push(make(Comment, { ...key, at: new Date(1000), text: "y" }));
    expect(await lenient.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
  });

  test("L21: an upserted parent upserts its members and removes none", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    store.reset();

    const order = make(Order, { ...key, total: 2, lines: [lineOf(classes, 2), lineOf(classes, 3)] });
    context.upsert(order, "merge");
    await context.saveChanges();

    expect(requestsOf(store)).toEqual([["upsert-merge 7", "upsert-merge 7!0002", "upsert-merge 7!0003"]]);
    expect(await storedLines(store, classes)).toEqual([1, 2, 3]);
  });

  test("L22: attach takes no lists", async () => {
    await using store = await open();
    const { "odata.etag": etag = "" } = (await rowOf(store, "7")) ?? {};
    const filled = make(Order, { ...key, lines: [lineOf(classes, 1)] });
    const context = new TableContext(store.storage);

    expect(() => context.attach(filled, etag as string)).toThrow(
      expect.objectContaining({ code: "entity.list-not-loaded" }) as Error,
    );
    expect(context.size).toBe(0);

    for (const lines of [[], undefined]) {
      const own = new TableContext(store.storage);
      expect(own.entry(own.attach(make(Order, { ...key, lines }), etag as string)).state).toBe("unchanged");
    }
  });

  test("L23: members of plain data have the key parts of their parent", () => {
    const plain = { Kind: "Order", tenant: "acme", id: "8", lines: [{ Kind: "Line", no: 1, sku: "A" }] };

    const order = fromPlain(Order, plain) as OrderEntity;

    expect(order.lines).toHaveLength(1);
    expect(order.lines?.[0]).toBeInstanceOf(Line);
    expect(order.lines?.[0]).toMatchObject({ tenant: "acme", id: "8", no: 1, sku: "A" });
    const bare = fromPlain(Order, { tenant: "acme", id: "8", lines: [{ no: 1, sku: "A" }] }) as OrderEntity;
    expect(bare.lines?.[0]).toMatchObject({ tenant: "acme", id: "8", no: 1 });
  });

  test("L23: other key parts of a parent are refused", () => {
    const wrong = { tenant: "acme", id: "8", lines: [{ no: 1, sku: "A", id: "9" }] };

    expect(() => fromPlain(Order, wrong)).toThrow(
      expect.objectContaining({
        code: "plain.invalid-value",
        message: expect.stringContaining("lines[0].id") as string,
      }) as Error,
    );
  });

  test("L24: discard brings the list back, and leaves edits of members alone", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const line = lineOf(classes, 3);
    lineIn(order, 2).qty = 5;
    order.lines.shift();
    order.lines.push(line);
    context.pendingChanges();

    context.discard(order);

    expect(numbersOf(order.lines)).toEqual([1, 2]);
    expect(context.entry(line).state).toBe("detached");
    expect(context.pendingChanges().map(({ entity }) => entity)).toEqual([lineIn(order, 2)]);
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["merge 7!0002"]]);
  });

  test("L24: nothing is sent where no member was edited", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    order.lines.shift();
    const line = context.createIn(order, "lines", { no: 3, sku: "C" });

    context.discard(order);

    expect(context.entry(line).state).toBe("detached");
    expect(await context.saveChanges()).toEqual([]);
    expect(store.sent).toEqual([]);
  });

  test("L25: two programs may add to one list at once, unless one of them touches the parent", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const { "odata.etag": etag } = (await rowOf(store, "7")) ?? {};
    await putRow(store, "7", { total: 9 });

    order.lines.push(lineOf(classes, 3));
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([["insert 7!0003"]]);

    order.lines.push(lineOf(classes, 4));
    context.touch(order);
    const error = await failureOf(context.saveChanges());
    const refused = error.results.find(({ entity }) => entity === order);

    expect(sentFor(store, "7")).toMatchObject({ type: "merge", etag });
    expect(refused?.error).toMatchObject({ code: "conflict.etag" });
    expect(refused?.subject).toContain('("acme", "7")');
    expect(await rowKeysOf(store)).toEqual(["7", "7!0001", "7!0002", "7!0003"]);
  });

  test("L25: a touched parent gets another ETag, in the transaction of its list", async () => {
    await using at = await loaded(open, classes);
    const { store, context, order } = at;
    const before = await rowOf(store, "7");

    order.lines.push(lineOf(classes, 3));
    context.touch(order);
    await context.saveChanges();

    expect(requestsOf(store)).toEqual([["merge 7", "insert 7!0003"]]);
    expect((await rowOf(store, "7"))?.["odata.etag"]).not.toBe(before?.["odata.etag"]);
    expect(await rowOf(store, "7")).toMatchObject({ total: 0 });
  });
}
