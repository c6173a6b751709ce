import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  openStorage,
  SaveError,
  TableContext,
  text,
  work,
} from "../../../src/index.ts";
import { decimal } from "../../../src/models.ts";
import { findOrder, Line, loadOrder, openNested, Order, storedKeys } from "./nested-classes.ts";

const key = { tenant: "acme", id: "7" } as const;

test("discard drops what was put into a list that was not loaded", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = (await c.find(Order, key)) as Order;
  o.lines = [new Line({ ...key, no: "9" })];
  c.discard(o);
  expect(c.pendingChanges()).toEqual([]);
});

test("a frozen list is replaced where a member leaves it or is made in it", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  o.lines = Object.freeze([...o.lines]) as never;
  c.remove(o.lines[0]!);
  const r = await c.saveChanges();
  expect(r.map((x) => x.outcome)).toEqual(["committed", "committed"]);
  expect(o.lines.map((l) => l.no)).toEqual(["2"]);
  o.lines = Object.freeze([...o.lines]) as never;
  c.createIn(o, "lines", { no: "6" });
  expect(o.lines.map((l) => l.no)).toEqual(["2", "6"]);
});

test("a removed member that is twice in its list is not stored again", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  o.lines.push(o.lines[0]!);
  c.remove(o.lines[0]!);
  await c.saveChanges();
  await c.saveChanges();
  expect(await storedKeys(storage)).toEqual(["7", "7_2", "7_2_a"]);
});

test("with explicit tracking, reading a list again removes and adds nothing", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage, { tracking: "explicit" });
  const o = await findOrder(c);
  o.lines.splice(0, 1);
  o.lines.push(new Line({ ...key, no: "9" }));
  await c.find(Order, key, { include: "lines" });
  expect(c.pendingChanges()).toEqual([]);
});

test("modify does nothing twice to members and lists", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  let runs = 0;
  await c.modify(Order, key, async (x) => {
    x.total++;
    o.lines[0]!.qty++;
    if (runs++ === 0) {
      const w = new TableContext(storage);
      (await w.find(Order, key))!.note = "theirs";
      await w.saveChanges();
    }
    c.createIn(x, "lines", { no: `n${runs}` });
  });
  expect(runs).toBe(2);
  expect(o.lines.map((l) => l.no)).toEqual(["1", "2", "n2"]);
  const r = await findOrder(new TableContext(storage));
  expect(r.lines.map((l) => [l.no, l.qty])).toEqual([
    ["1", 2],
    ["2", 1],
    ["n2", 1],
  ]);
});

test("work does not run again after the error of another save", async () => {
  await using storage = await openNested();
  let runs = 0;
  await expect(
    work(storage, async () => {
      runs++;
      const other = new TableContext(storage);
      other.create(Order, { ...key });
      await other.saveChanges();
    }),
  ).rejects.toThrow(SaveError);
  expect(runs).toBe(1);
});

test("assign checks members before anything is changed", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  const codeOf = (plain: Record<string, unknown>): unknown => {
    try {
      c.assign(o, { note: "n", ...plain });
      return undefined;
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };
  expect(codeOf({ lines: [{ no: "1" }, { tenant: "beta", no: "9" }] })).toBe("plain.invalid-value");
  expect(codeOf({ lines: [{ no: "1" }, { id: "8", no: "9" }] })).toBe("plain.invalid-value");
  expect(codeOf({ lines: [{ no: "9" }, { no: "9" }] })).toBe("plain.invalid-value");
  expect(codeOf({ lines: [{ qty: 2 }] })).toBe("plain.invalid-value");
  expect(codeOf({ lines: [null] })).toBe("plain.invalid-value");
  expect(codeOf({ lines: [{ no: "9", parts: [{ part: "x", id: "8" }] }] })).toBe("plain.invalid-value");
  expect(codeOf({ nope: null })).toBe("plain.unknown-property");
  expect(c.pendingChanges()).toEqual([]);
  Object.freeze(o.lines[0]);
  expect(() => c.assign(o, { note: "n", lines: [{ no: "1", qty: 8 }] })).toThrow(/read only/);
  expect(c.pendingChanges()).toEqual([]);
});

test("assign takes the lists of a new entity", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = c.create(Order, { tenant: "acme", id: "8", lines: [{ no: "1" }] });
  c.assign(o, { lines: [{ no: "2" }] });
  expect(o.lines?.map((l) => l.no)).toEqual(["2"]);
  await c.saveChanges();
  expect(await storedKeys(storage)).toContain("8_2");
  expect(await storedKeys(storage)).not.toContain("8_1");
});

test("with explicit tracking, assign names what it changes, and refuses lists", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage, { tracking: "explicit" });
  const o = await findOrder(c);

  c.assign(o, { total: 0 });
  expect(c.pendingChanges()).toEqual([]);
  expect(() => c.assign(o, { note: "n", lines: [{ no: "1" }] })).toThrow(/explicit tracking/);
  expect(c.pendingChanges()).toEqual([]);
  c.assign(o, { total: 5, note: "n" });

  const [change] = await c.saveChanges();
  expect(change).toMatchObject({ operation: "merge" });
  expect(await new TableContext(storage).find(Order, key)).toMatchObject({ total: 5, note: "n" });
});

test("a member that was made without a list, and that another program removed, is not shown", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = (await c.find(Order, key)) as Order;
  c.createIn(o, "lines", { no: "3" });
  await c.saveChanges();
  await storage.write("Nested", { type: "delete", key: { partitionKey: "acme", rowKey: "7_3" }, etag: "*" });

  const found = await findOrder(c);

  expect(found.lines.map(({ no }) => no)).toEqual(["1", "2"]);
  expect(c.pendingChanges()).toEqual([]);
});

/** As libraries have it: nothing of it shows in JSON. */
class Amount {
  readonly #written: string;

  constructor(written: string) {
    this.#written = written;
  }

  toString(): string {
    return this.#written;
  }
}

class Price extends defineEntity({
  table: "Prices",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: { price: decimal({ scale: 2, as: Amount }) },
}) {}

test("assign compares values of classes by what is stored", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Price]);
  const c = new TableContext(storage, { tracking: "explicit" });
  const price = c.create(Price, { shop: "s", sku: "x", price: new Amount("1.50") });
  await c.saveChanges();

  c.assign(price, { price: "1.50" }, { except: ["price"] });
  expect(() => c.assign(price, { price: "2.00" }, { except: ["price"] })).toThrow(/may not be set/);
  expect(String(price.price)).toBe("1.50");
  c.assign(price, { price: "2.00" });

  expect(c.pendingChanges()).toMatchObject([{ assigned: ["price"] }]);
});
