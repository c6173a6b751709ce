import { expect, test } from "vitest";
import { TableContext } from "../../../src/index.ts";
import { findOrder, Line, loadOrder, openNested, Order, Part, storedKeys } from "./nested-classes.ts";

const key = { tenant: "acme", id: "7" } as const;

test("a member that is taken out takes its own members along", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  o.lines.splice(0, 1);
  await c.saveChanges();
  expect(await storedKeys(storage)).toEqual(["7", "7_2", "7_2_a"]);
});

test("a member whose own list is not loaded is not taken out", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await findOrder(c);
  o.lines.splice(0, 1);
  await expect(c.saveChanges()).rejects.toMatchObject({ code: "save.invalid" });
});

test("a member that is put back keeps its own members", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  const [l] = o.lines.splice(0, 1);
  c.pendingChanges();
  o.lines.push(l!);
  await c.saveChanges();
  expect(await storedKeys(storage)).toEqual(["7", "7_1", "7_1_a", "7_2", "7_2_a"]);
});

test("a new member that is taken out leaves no members of its own behind", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  const l = c.createIn(o, "lines", { no: "3" });
  c.createIn(l, "parts", { part: "x" });
  o.lines.splice(o.lines.indexOf(l), 1);
  await c.saveChanges();
  expect(await storedKeys(storage)).toEqual(["7", "7_1", "7_1_a", "7_2", "7_2_a"]);
});

test("what is given up of a new family is the whole family", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = c.create(Order, {
    tenant: "acme",
    id: "8",
    lines: [{ no: "1", parts: [{ part: "x" }] }],
  });
  c.discard(o);
  expect(c.pendingChanges()).toEqual([]);
  const p = c.create(Order, {
    tenant: "acme",
    id: "9",
    lines: [{ no: "1", parts: [{ part: "x" }] }],
  });
  c.detach(p);
  expect.soft(c.pendingChanges()).toEqual([]);
  c.clear({ discard: true });
  const q = c.create(Order, {
    tenant: "acme",
    id: "9",
    lines: [{ no: "1", parts: [{ part: "x" }] }],
  });
  c.remove(q);
  expect.soft(c.pendingChanges()).toEqual([]);
});

test("a family whose removal is discarded is whole again", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  c.remove(o);
  expect(c.pendingChanges()).toHaveLength(5);
  c.discard(o);
  expect(c.pendingChanges()).toEqual([]);
});

test("remove takes what was put into the list until then", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  const w = new TableContext(storage);
  w.create(Line, { ...key, no: "4" });
  await w.saveChanges();
  const l4 = await c.find(Line, { ...key, no: "4" }, { include: "parts" });
  o.lines.push(l4!);
  o.lines.push(c.add(new Line({ ...key, no: "5" })));
  c.remove(o);
  await c.saveChanges();
  expect(await storedKeys(storage)).toEqual([]);
});

test("a save of a new member alone stores its new parents, too", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = c.create(Order, {
    tenant: "acme",
    id: "8",
    lines: [{ no: "1", parts: [{ part: "x" }] }],
  });
  await c.saveChanges({ only: [o.lines?.[0]?.parts?.[0] as Part] });
  expect(await storedKeys(storage)).toContain("8");
});

test("parents are stored first and removed last at any depth", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const line = c.add(new Line({ tenant: "acme", id: "8", no: "1" }));
  const o = c.add(new Order({ tenant: "acme", id: "8" }));
  o.lines = [line];
  line.parts = [new Part({ tenant: "acme", id: "8", no: "1", part: "x" })];
  const order = await c.saveChanges({ batch: "none" });
  expect.soft(order.map((r) => r.entity.constructor.name)).toEqual(["Order", "Line", "Part"]);
  c.clear();
  await c.find(Line, { ...key, no: "1" }, { include: "parts" });
  await c.find(Line, { ...key, no: "2" }, { include: "parts" });
  const l = await loadOrder(c);
  c.remove(l);
  const done = await c.saveChanges({ batch: "none" });
  expect(done.map((r) => r.entity.constructor.name)).toEqual(["Part", "Part", "Line", "Line", "Order"]);
});

test("nothing is made in a removed parent, or assigned to it", async () => {
  await using storage = await openNested();
  const c = new TableContext(storage);
  const o = await loadOrder(c);
  c.remove(o);

  expect(() => c.createIn(o, "lines", { no: "9" })).toThrow(/createIn/);
  expect(() => c.assign(o, { note: "x" })).toThrow(/assign/);

  await c.saveChanges();
  expect(await storedKeys(storage)).toEqual([]);
});

test("a removed parent whose key another one had taken comes back with its members, at every depth", async () => {
  await using storage = await openNested();
  const stored = await storedKeys(storage);
  const context = new TableContext(storage);
  const order = await loadOrder(context);
  context.remove(order);
  const other = context.create(Order, { tenant: "acme", id: "7", lines: [{ no: "1" }, { no: "3" }] });

  context.discard(other);
  context.discard(order);

  expect(context.pendingChanges()).toEqual([]);
  await context.saveChanges();
  expect(await storedKeys(storage)).toEqual(stored);
});

test("a removed parent whose key another one has taken for good does not come back", async () => {
  await using storage = await openNested();
  const context = new TableContext(storage);
  const order = await loadOrder(context);
  context.remove(order);
  const other = context.create(Order, { tenant: "acme", id: "7", lines: [{ no: "1" }] });
  await context.saveChanges();

  expect(() => context.discard(order)).toThrow(/neither read/);
  context.remove(other);
  await context.saveChanges();
  expect(await storedKeys(storage)).toEqual([]);
});
