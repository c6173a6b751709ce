// An upsert has no condition: an attempt that arrives late overwrites whatever is stored by then.

import { virtualClock, type VirtualClock } from "@partita/testing";
import { describe, expect, test } from "vitest";
import { createTables, defineEntity, defineKind, type TableContext, text } from "../../../../src/index.ts";
import {
  arrive,
  changedBy,
  Claim,
  contextOf,
  keyOf,
  Note,
  open,
  outcomesOf,
  row,
  type Store,
} from "../store.ts";

interface Upserted {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly context: TableContext;
  readonly entity: Note;
}

describe("an attempt that arrives late", () => {
  const begins = { ...keyOf(), title: "t" };
  const stored = async (store: Store): Promise<unknown> => (await row(store))?.["pages"];

  /** An upsert of 1 whose first attempt is held back, while its second one is stored. */
  async function upserted(): Promise<Upserted> {
    const store = await open();
    const clock = virtualClock();
    const context = contextOf(store, { clock });
    const entity = new Note({ ...begins, pages: 1 });
    context.upsert(entity, "replace", { idempotent: true });
    let isFirst = true;
    store.plan = ({ operations }) => {
      if (operations.length === 0 || !isFirst) return undefined;
      isFirst = false;
      return "timeout-before";
    };
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    store.plan = undefined;
    return { store, clock, context, entity };
  }

  /** The same, with 2 stored since. */
  async function edited(): Promise<Upserted> {
    const all = await upserted();
    all.entity.pages = 2;
    expect(await outcomesOf(all.context.saveChanges())).toEqual(["committed"]);
    return all;
  }

  const expected = ["rejected conflict.etag"];

  test("a newer change that a late attempt overwrites is noticed by the next save", async () => {
    const { store, context } = await edited();
    await arrive(store, "Notes");
    expect(await stored(store)).toBe(1);
    expect(context.pendingChanges()).toEqual([]);

    expect(await outcomesOf(context.saveChanges())).toEqual(expected);
    expect(await stored(store)).toBe(1);
  });

  test("resolveInDoubt({ wait }) ends it: what was overwritten is pending", async () => {
    const { store, clock, context, entity } = await edited();
    await arrive(store, "Notes");

    expect(await context.resolveInDoubt({ wait: true })).toEqual([]);
    expect(clock.waits.some((ms) => ms > 50_000)).toBe(true);
    expect(context.pendingChanges().map((change) => change.entity)).toEqual([entity]);
    expect(await outcomesOf(context.saveChanges())).toEqual(expected);
  });

  test("a removed row that a late attempt stores again is noticed by the next save", async () => {
    const { store, context, entity } = await upserted();
    context.remove(entity);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, "Notes");
    expect(await stored(store)).toBe(1);

    expect(await outcomesOf(context.saveChanges())).toEqual(expected);
    expect(await stored(store)).toBe(1);
  });

  test("a late attempt that changes nothing is no loss, and a conflict with the next change", async () => {
    const { store, context, entity } = await upserted();
    await arrive(store, "Notes");
    expect(await outcomesOf(context.saveChanges())).toEqual([]);
    entity.pages = 2;

    expect(await outcomesOf(context.saveChanges())).toEqual(expected);
  });

  test("what somebody else wrote since is not overwritten", async () => {
    const { store, context } = await edited();
    await arrive(store, "Notes");
    await store.inner.write("Notes", {
      type: "upsert-replace",
      entity: { PartitionKey: "b", RowKey: "1", title: "theirs", pages: 9 },
    });

    expect(await outcomesOf(context.saveChanges())).toEqual([]);
    expect(await stored(store)).toBe(9);
  });

  test("an upsert in doubt that was read over may still arrive", async () => {
    const store = await open();
    const context = contextOf(store, { clock: virtualClock(), retry: { attempts: 1, delayMs: 0 } });
    const entity = new Note({ ...begins, pages: 1 });
    await store.inner.write("Notes", {
      type: "insert",
      entity: { PartitionKey: "b", RowKey: "1", title: "theirs", pages: 5 },
    });
    context.upsert(entity, "replace");
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
    store.plan = undefined;
    await context.reload(entity);
    entity.pages = 6;
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, "Notes");
    expect(await stored(store)).toBe(1);

    expect(await outcomesOf(context.saveChanges())).toEqual(expected);
    expect(await stored(store)).toBe(1);
  });

  test("once no attempt can arrive any more, nothing is read for it", async () => {
    const { store, clock, context, entity } = await edited();
    clock.advance(61_000);
    expect(await outcomesOf(context.saveChanges())).toEqual([]);
    store.reset();
    entity.pages = 3;
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(store.reads).toEqual([]);
  });
});

/** An upsert whose first attempt is held back, while its second one is stored. */
async function lateUpsert<Entity extends object>(
  store: Store,
  context: TableContext,
  entity: Entity,
  mode: "merge" | "replace" = "replace",
): Promise<Entity> {
  context.upsert(entity, mode, { idempotent: true });
  let isFirst = true;
  store.plan = ({ operations }) => {
    if (operations.length === 0 || !isFirst) return undefined;
    isFirst = false;
    return "timeout-before";
  };
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  store.plan = undefined;
  return entity;
}

test("an update of any version stores no row: one that is there again after its removal is somebody else's", async () => {
  const store = await open();
  const stored = { PartitionKey: "b", RowKey: "1", title: "t", pages: 1 };
  await store.inner.write("Notes", { type: "insert", entity: stored });
  const context = contextOf(store);
  const entity = new Note({ ...keyOf(), title: "t", pages: 1 });
  context.attach(entity, "*");
  context.update(entity);
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : undefined);
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  store.plan = undefined;
  context.remove(entity);
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await store.inner.write("Notes", { type: "insert", entity: { ...stored, other: true } });

  expect(await outcomesOf(context.saveChanges())).toEqual([]);
  expect(context.size).toBe(0);
  expect(await row(store)).toMatchObject({ other: true });
});

test("hooks do not see an unchanged entity whose upsert is late", async () => {
  const store = await open();
  const seen: string[] = [];
  const context = contextOf(store, {
    clock: virtualClock(),
    hooks: { saving: (_entity, state) => void seen.push(state) },
  });
  await lateUpsert(store, context, new Claim({ ...keyOf(), count: 1 }));
  expect(await outcomesOf(context.saveChanges())).toEqual([]);

  expect(seen).toEqual(["upsert"]);
});

describe("a removed row that a late attempt stores again", () => {
  /** It was removed, and is there again. */
  async function backAgain<Entity extends Note | Claim>(
    entity: Entity,
  ): Promise<{ readonly store: Store; readonly context: TableContext; readonly entity: Entity }> {
    const store = await open();
    const context = contextOf(store, { clock: virtualClock() });
    await lateUpsert(store, context, entity);
    context.remove(entity);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, entity instanceof Note ? "Notes" : "Claims");
    return { store, context, entity };
  }
  const note = (): Note => new Note({ ...keyOf(), title: "t", pages: 1 });

  test("is not removed by a second save, either, where somebody else may have stored it", async () => {
    const { store, context } = await backAgain(note());

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    expect(await row(store)).toBeDefined();
  });

  test.each(["discard", "detach"] as const)("stays there once %s() says so", async (giveUp) => {
    const { store, context, entity } = await backAgain(note());
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    context[giveUp](entity);

    expect(await outcomesOf(context.saveChanges())).toEqual([]);
    expect(await row(store)).toBeDefined();
  });

  test("is forgotten by clear()", async () => {
    const { context } = await backAgain(note());
    context.clear();

    expect(await outcomesOf(context.saveChanges())).toEqual([]);
  });

  test("does not take the place of its instance, which was added under another key", async () => {
    const { store, context, entity } = await backAgain(new Claim({ ...keyOf(), count: 1 }));
    (entity as { id: string }).id = "2";
    context.add(entity);

    expect(await outcomesOf(context.saveChanges({ batch: "none" }))).toEqual([
      "committed",
      "rejected conflict.etag",
    ]);
    expect(await row(store, 1, "Claims")).toBeDefined();
    expect(await row(store, 2, "Claims")).toBeDefined();
  });

  test("is pending, but not of a save that names others", async () => {
    const { context } = await backAgain(new Claim({ ...keyOf(), count: 1 }));
    const other = context.create(Note, { ...keyOf(9), title: "other" });

    const results = await context.saveChanges({ only: [other] });
    expect(results.map((result) => result.entity)).toEqual([other]);
    expect(context.pendingChanges().map(({ state }) => state)).toEqual(["deleted"]);
  });
});

describe("what is stored again", () => {
  const virtual = (store: Store): TableContext => contextOf(store, { clock: virtualClock() });

  /** Refused once, since somebody else may have written the same; then its owner says that it is to be stored. */
  async function storeAgain(context: TableContext, entity: object): Promise<readonly string[]> {
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    await context.resolveConflict(entity, "mine");
    return outcomesOf(context.saveChanges());
  }

  test("is without what was cleared since", async () => {
    const store = await open();
    const context = virtual(store);
    const claim = await lateUpsert(store, context, new Claim({ ...keyOf(), owner: "a", count: 1 }));
    claim.owner = undefined;
    await context.saveChanges();
    await arrive(store, "Claims");

    expect(await storeAgain(context, claim)).toEqual(["committed"]);
    expect((await row(store, 1, "Claims"))?.["owner"]).toBeUndefined();
  });

  test("is of the class that took the key since", async () => {
    class Base extends defineEntity({
      table: "Kinds",
      partitionKey: { book: text() },
      rowKey: { id: text() },
      properties: {},
    }) {}
    class Red extends defineKind(Base, { kind: "Red", properties: { red: text() } }) {}
    class Blue extends defineKind(Base, { kind: "Blue", properties: { blue: text() } }) {}
    const store = await open();
    await createTables(store.inner, [Red, Blue]);
    const context = virtual(store);
    const red = await lateUpsert(store, context, new Red({ ...keyOf(), red: "r" }));
    context.remove(red);
    const blue = context.create(Blue, { ...keyOf(), blue: "b" });
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, "Kinds");

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    expect(context.pendingChanges().map(({ entity }) => entity)).toEqual([blue]);
  });

  test("takes the place of what a late attempt stored, where a new instance has the key", async () => {
    const store = await open();
    const context = virtual(store);
    const claim = await lateUpsert(store, context, new Claim({ ...keyOf(), owner: "a", count: 1 }));
    context.remove(claim);
    const newer = context.create(Claim, { ...keyOf(), owner: "b", count: 5 });
    await arrive(store, "Claims");

    expect(await storeAgain(context, newer)).toEqual(["committed"]);
    expect(await row(store, 1, "Claims")).toMatchObject({ owner: "b", count: 5 });
  });

  test("of a part is a merge", async () => {
    const store = await open();
    const context = virtual(store);
    const claim = await lateUpsert(store, context, new Claim({ ...keyOf(), count: 1 }), "merge");
    claim.count = 2;
    await context.saveChanges();
    await arrive(store, "Claims");

    expect(await storeAgain(context, claim)).toEqual(["committed"]);
    expect((await row(store, 1, "Claims"))?.["count"]).toBe(2);
  });

  test("leaves out edits that nobody named, where changes are named", async () => {
    const store = await open();
    const context = contextOf(store, { clock: virtualClock(), tracking: "explicit" });
    const claim = await lateUpsert(store, context, new Claim({ ...keyOf(), owner: "a", count: 1 }));
    claim.count = 2;
    context.update(claim, "count");
    await context.saveChanges();
    claim.owner = "draft";
    await arrive(store, "Claims");

    expect(await storeAgain(context, claim)).toEqual(["committed"]);
    expect(await row(store, 1, "Claims")).toMatchObject({ owner: "a", count: 2 });
  });

  test("does not overwrite what somebody else wrote before a late merge", async () => {
    const store = await open();
    const context = virtual(store);
    const claim = await lateUpsert(store, context, new Claim({ ...keyOf(), count: 1 }), "merge");
    await changedBy(store, { owner: "a" }, 1, "Claims");
    await context.reload(claim);
    claim.count = 2;
    await context.saveChanges();
    await changedBy(store, { owner: "b" }, 1, "Claims");
    await arrive(store, "Claims");

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    expect((await row(store, 1, "Claims"))?.["owner"]).toBe("b");
  });
});

test("a part of a row with equal values is no reason to overwrite the rest of it", async () => {
  const store = await open();
  const context = contextOf(store, { clock: virtualClock() });
  const note = await lateUpsert(store, context, new Note({ ...keyOf(), title: "t", pages: 1 }), "merge");
  note.weight = 5;
  await context.saveChanges();
  await changedBy(store, { hidden: true });
  note.hidden = false;

  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  expect((await row(store))?.["hidden"]).toBe(true);
});

test("discard() ends the conflict of what was overwritten", async () => {
  const store = await open();
  const context = contextOf(store, { clock: virtualClock() });
  const note = await lateUpsert(store, context, new Note({ ...keyOf(), title: "t", pages: 1 }));
  note.pages = 2;
  await context.saveChanges();
  await arrive(store, "Notes");
  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  context.discard(note);

  expect(await outcomesOf(context.saveChanges())).toEqual([]);
  expect(context.entry(note).stale).toBe(true);
});

test("a discarded change of any version does not come back", async () => {
  const store = await open();
  const context = contextOf(store, { clock: virtualClock(), retry: { attempts: 1, delayMs: 0 } });
  await changedBy(store, { title: "t", pages: 5 });
  const note = new Note({ ...keyOf(), title: "t", pages: 5 });
  context.attach(note, "*");
  note.pages = 6;
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : "refused");
  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
  store.plan = undefined;
  context.discard(note);

  expect(await outcomesOf(context.saveChanges())).toEqual([]);
  expect((await row(store))?.["pages"]).toBe(6);
});

test("a part that still is as the entity has it was not overwritten, though somebody else wrote the row since", async () => {
  const store = await open();
  await store.inner.write("Notes", {
    type: "insert",
    entity: { PartitionKey: "b", RowKey: "1", title: "t", pages: 1 },
  });
  const context = contextOf(store, { clock: virtualClock(), retry: { attempts: 1, delayMs: 0 } });
  const note = context.attach(new Note({ ...keyOf(), title: "t", pages: 1 }), "*");
  note.pages = 2;
  store.plan = ({ operations }) => (operations.length > 0 ? "error-after" : undefined);
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  store.plan = undefined;
  await store.inner.write("Notes", {
    type: "upsert-merge",
    entity: { PartitionKey: "b", RowKey: "1", title: "theirs" },
  });

  expect(await outcomesOf(context.saveChanges())).toEqual([]);
});
