// Histories that were once told wrong: a change that was stored, or could still be, was reported as rejected. A change is
// known by what its user asks for, not by the request that it is sent as.

import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import type { MergeOption, TableContext } from "../../../../src/index.ts";
import {
  arrive,
  blind,
  changedBy,
  Claim,
  contextOf,
  failure,
  fresh,
  keyOf,
  once,
  open,
  outcomesOf,
  removedBy,
  row,
  saveHeld,
  saveUnanswered,
  Ticket,
  Note,
  read,
  seeded,
} from "../store.ts";

const queryAll = (context: TableContext): Promise<readonly Note[]> =>
  context.query(Note).where({ book: "b" }).mergeOption("preserveChanges").toArray();

const queryClaims = (context: TableContext, option: MergeOption): Promise<readonly Claim[]> =>
  context.query(Claim).where({ book: "b" }).mergeOption(option).toArray();

test("a write of any version is lost, and a query learns the version: it may still arrive", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const note = context.attach(new Note({ ...keyOf(), title: "note 1" }), "*");
  note.title = "mine";
  await saveHeld(store, context);
  await queryAll(context);
  await changedBy(store, { pages: 9 });

  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
  await arrive(store, "Notes");
  expect(await row(store)).toMatchObject({ title: "mine" });
});

test("an upsert was stored and its row removed: a refused neighbour does not disprove it", async () => {
  const { store, context } = await fresh();
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
    const { store, context, clock } = await fresh();
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
  const { store, context, clock } = await fresh();
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

  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
});

test("a lost replace also stored an initial value, and is saved again as a merge: it may still arrive", async () => {
  const store = await open();
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const claim = (await context.find(Claim, keyOf())) as Claim;
  claim.owner = "mine";
  store.plan = blind("timeout-before");
  await failure(context.saveChanges({ update: "replace" }));
  store.plan = ({ operations }) => (operations.length > 0 ? "refused" : undefined);

  expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
  store.plan = undefined;
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "mine" });
});

test("with markers, a read of the row under edits leaves their first attempt to be asked about", async () => {
  const store = await open();
  await changedBy(store, { owner: "first", count: 1 }, 1, "Tickets");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const ticket = (await context.find(Ticket, keyOf())) as Ticket;
  ticket.count = 3;
  await changedBy(store, { owner: "second" }, 1, "Tickets");
  await saveHeld(store, context);
  await context.query(Ticket).where({ book: "b" }).mergeOption("preserveChanges").toArray();
  await saveHeld(store, context);

  expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
    expect.stringMatching(/^rejected/),
  ]);
});

test("a save that is refused before it is sent does not say that the change in doubt was rejected", async () => {
  const { store, context } = await fresh();
  const claim = context.upsert(new Claim({ ...keyOf(), owner: "one" }), "merge");
  await context.saveChanges();
  store.reset();
  claim.owner = "mine";
  await saveHeld(store, context);
  expect(context.entry(claim).inDoubt).toBe(true);

  // An upsert by merge does not know the whole row: a replace of it is refused as invalid.
  expect(await outcomesOf(context.saveChanges({ update: "replace" }))).toEqual([
    expect.stringMatching(/^unknown/),
  ]);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "mine" });
});

test("a write of any version is lost, and its entity with it: whoever has the key next notices that it arrives", async () => {
  const { store, context } = await fresh();
  const note = context.attach(new Claim({ ...keyOf() }), "*");
  note.owner = "late";
  await saveHeld(store, context);
  await context.reload(note);
  const claim = context.upsert(new Claim({ ...keyOf(), owner: "mine" }), "replace");
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "late" });
  await context.resolveInDoubt({ wait: true });
  // Lost: nothing is pending, and the entity is as if it were stored.
  expect(context.entry(claim).changedProperties).toEqual(["owner"]);
});

test("a removal of any version is lost, and a query learns the version: it may still arrive", async () => {
  const store = await open();
  await changedBy(store, { owner: "first", count: 1 }, 1, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  context.remove(context.attach(new Claim(keyOf()), "*"));
  await saveHeld(store, context);
  await queryClaims(context, "preserveChanges");
  await changedBy(store, { count: 9 }, 1, "Claims");

  expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toBe(undefined);
});

test("a removal was stored, the row inserted anew and read: not rejected", async () => {
  const store = await open();
  await changedBy(store, { owner: "first", count: 1 }, 1, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  context.remove((await context.find(Claim, keyOf())) as Claim);
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs", count: 2 }, 1, "Claims");
  await queryClaims(context, "preserveChanges");
  await changedBy(store, { count: 9 }, 1, "Claims");

  expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
});

test.each(["overwriteChanges", "discard"])(
  "a lost removal is taken back (%s), and an edit stored: a row that is gone does not end the edit",
  async (how) => {
    const store = await open();
    await changedBy(store, { owner: "first", count: 1 }, 1, "Claims");
    const context = contextOf(store, { ...once, clock: virtualClock() });
    const claim = (await context.find(Claim, keyOf())) as Claim;
    context.remove(claim);
    await saveHeld(store, context);
    if (how === "discard") context.discard(claim);
    else await queryClaims(context, "overwriteChanges");
    claim.owner = "mine";
    const plan = blind("timeout-after");
    let isSent = false;
    store.plan = (request) => {
      if (request.operations.length > 0) isSent = true;
      return isSent ? plan(request) : undefined;
    };
    await failure(context.saveChanges());
    store.plan = undefined;
    expect(await row(store, 1, "Claims")).toMatchObject({ owner: "mine" });
    await removedBy(store, 1, "Claims");

    expect(await outcomesOf(context.saveChanges())).not.toContainEqual(expect.stringMatching(/^rejected/));
  },
);

test.each(["discard", "detach"] as const)(
  "an upsert is given up by %s: whoever has the key next notices that it arrives",
  async (how) => {
    const { store, context } = await fresh();
    const first = new Claim({ ...keyOf(), owner: "late" });
    context.upsert(first, "merge");
    await saveHeld(store, context);
    context[how](first);
    const claim = context.add(new Claim({ ...keyOf(), owner: "mine" }));
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, "Claims");
    expect(await row(store, 1, "Claims")).toMatchObject({ owner: "late" });

    await context.resolveInDoubt({ wait: true });
    expect(context.entry(claim).changedProperties).toEqual(["owner"]);
  },
);

test("an upsert that is given up arrives over what has its key next: a save notices it, too", async () => {
  const { store, context } = await fresh();
  const first = new Claim({ ...keyOf(), owner: "late" });
  context.upsert(first, "merge");
  await saveHeld(store, context);
  context.discard(first);
  context.add(new Claim({ ...keyOf(), owner: "mine" }));
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await arrive(store, "Claims");

  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
});

test.each([
  { landed: false, reported: "rejected storage.not-stored", left: true },
  { landed: true, reported: "committed", left: false },
])(
  "a removal with a marker is lost, and its key added anew (landed: $landed)",
  async ({ landed, reported, left }) => {
    const { store, context } = await fresh();
    const removed = context.create(Ticket, keyOf());
    await context.saveChanges();
    context.remove(removed);
    await (landed ? saveUnanswered(store, context) : saveHeld(store, context));
    const added = context.create(Ticket, { ...keyOf(), owner: "new" });

    const results = await context.resolveInDoubt();
    expect(results.map(({ entity }) => entity)).toEqual([removed]);
    expect(await outcomesOf(Promise.resolve(results))).toEqual([reported]);
    expect((await row(store, 1, "Tickets")) !== undefined).toBe(left);
    expect(context.entry(added).inDoubt).toBe(false);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await row(store, 1, "Tickets")).toMatchObject({ owner: "new" });
  },
);

test("a write of any version is given up: its marker is closed before a newer one is overwritten", async () => {
  const store = await open();
  await changedBy(store, { owner: "first" }, 1, "Tickets");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const ticket = context.attach(new Ticket({ ...keyOf(), owner: "first" }), "*");
  ticket.owner = "given up";
  await saveHeld(store, context);
  context.discard(ticket);
  ticket.owner = "newer";
  await context.saveChanges();

  await arrive(store, "Tickets");

  expect(await row(store, 1, "Tickets")).toMatchObject({ owner: "newer" });
});

test("a change in doubt is part of an atomic save that does not fit one transaction: unknown, not rejected", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  (await read(context)).title = "mine";
  await saveHeld(store, context);
  for (let id = 2; id <= 101; id++) context.create(Note, { ...keyOf(id), title: "new" });

  const outcomes = await outcomesOf(context.saveChanges({ batch: "atomic" }));

  expect(outcomes[0]).toMatch(/^unknown/);
  expect(new Set(outcomes.slice(1))).toEqual(new Set(["rejected storage.not-sent"]));
  await arrive(store, "Notes");
  expect(await row(store)).toMatchObject({ title: "mine" });
});

test("a change whose outcome is never known is not rejected when its neighbour is invalid", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  (await read(context)).title = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { title: "theirs" });
  await context.resolveInDoubt();
  context.create(Note, { ...keyOf(2), title: "x".repeat(40_000) });

  const outcomes = await outcomesOf(context.saveChanges());

  expect(outcomes).toEqual([expect.stringMatching(/^rejected/), expect.stringMatching(/^unknown/)]);
});
