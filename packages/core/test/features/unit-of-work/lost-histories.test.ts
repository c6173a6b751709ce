import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import type { TableContext } from "../../../src/index.ts";
import {
  arrive,
  changedBy,
  contextOf,
  keyOf,
  Note,
  once,
  open,
  outcomesOf,
  read,
  removedBy,
  row,
  saveHeld,
  saveUnanswered,
  seeded,
} from "./store.ts";

// Histories that were once told wrong: a change that was stored, or could still be, was reported as rejected. A change is
// known by what its user asks for, not by the request that it is sent as.

const queryAll = (context: TableContext): Promise<readonly Note[]> =>
  context.query(Note).where({ book: "b" }).mergeOption("preserveChanges").toArray();

test("a write of any version is lost, and a query learns the version: it may still arrive", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const note = context.attach(new Note({ ...keyOf(), title: "note 1" }), "*");
  note.title = "mine";
  await saveHeld(store, context);
  await queryAll(context);
  await changedBy(store, { pages: 9 });

  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
  await arrive(store, "Notes");
  expect(await row(store)).toMatchObject({ title: "mine" });
});

test("an upsert was stored and its row removed: a refused neighbour does not disprove it", async () => {
  const store = await open();
  const context = contextOf(store, { ...once, clock: virtualClock() });
  context.upsert(new Note({ ...keyOf(), title: "mine" }), "replace");
  await saveUnanswered(store, context);
  await removedBy(store);
  expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
    expect.stringMatching(/^unknown/),
  ]);
  await changedBy(store, { title: "theirs" }, 2);
  context.create(Note, { ...keyOf(2), title: "new" });

  const outcomes = await outcomesOf(context.saveChanges());

  expect(outcomes[0]).toMatch(/^unknown/);
  expect(outcomes[1]).toBe("rejected conflict.exists");
});

test("a merge stays unknown, and is saved again as a whole row", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const note = await read(context);
  note.pages = 7;
  await saveUnanswered(store, context);
  await changedBy(store, { pages: 8 });
  expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
    expect.stringMatching(/^unknown/),
  ]);

  expect(await outcomesOf(context.saveChanges({ update: "replace" }))).toEqual(["unknown conflict.etag"]);
});

test.each([0, 61_000])(
  "a late insert lands after its row was read as absent, and another program takes it, %i ms later",
  async (ms) => {
    const store = await open();
    const clock = virtualClock();
    const context = contextOf(store, { ...once, clock });
    context.create(Note, { ...keyOf(), title: "mine" });
    await saveHeld(store, context);
    let hasLanded = false;
    store.plan = async ({ operations }) => {
      if (operations.length === 0 || hasLanded) return undefined;
      hasLanded = true;
      await arrive(store, "Notes");
      await changedBy(store, { title: "theirs" });
      clock.advance(ms);
      return undefined;
    };

    expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
  },
);

test("an insert was stored and its row removed, and another program takes the key: unknown, not rejected", async () => {
  const store = await open();
  const clock = virtualClock();
  const context = contextOf(store, { ...once, clock });
  context.create(Note, { ...keyOf(), title: "mine" });
  await saveUnanswered(store, context);
  await removedBy(store);
  clock.advance(61_000);
  let isTaken = false;
  store.plan = async ({ operations }) => {
    if (operations.length === 0 || isTaken) return undefined;
    isTaken = true;
    await changedBy(store, { title: "theirs" });
    return undefined;
  };

  expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
});

test("many saves that time out, and then a row that answers: it is read once for all of them", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  (await read(context)).pages = 7;
  for (let i = 0; i < 20; i++) await saveHeld(store, context);
  store.reset();

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(store.reads).toEqual(["get"]);
  expect(context.pendingChanges()).toEqual([]);
});

test("a change that is altered since asks for something else, and is rejected", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const note = await read(context);
  note.pages = 7;
  await saveHeld(store, context);
  note.pages = 8;
  await changedBy(store, { pages: 9 });

  expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
  expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
    expect.stringMatching(/^unknown/),
  ]);
  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
});
