import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import {
  arrive,
  changedBy,
  Claim,
  contextOf,
  keyOf,
  once,
  open,
  outcomesOf,
  row,
  saveHeld,
  saveUnanswered,
} from "./store.ts";

test("a change stays unknown for good, and a save that is invalid for another entity reports it again", async () => {
  const store = await open();
  const context = contextOf(store, { ...once, clock: virtualClock() });
  context.upsert(new Claim({ ...keyOf(), owner: "mine" }), "merge");
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
    expect.stringMatching(/^unknown/),
  ]);
  // An entity that is not fully loaded cannot be replaced: the whole save is refused.
  const partial = context.attach(new Claim({ ...keyOf(2), owner: "x" }), "*");
  partial.owner = "y";

  const outcomes = await outcomesOf(context.saveChanges({ update: "replace" }));

  expect(outcomes.filter((one) => one.startsWith("unknown"))).toHaveLength(1);
});

test("a removal under any version is lost, a query learns the version, and a save is invalid for another entity", async () => {
  const store = await open();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  context.removeByKey(Claim, keyOf(), "*");
  await saveHeld(store, context);
  await context.query(Claim).where({ book: "b" }).mergeOption("preserveChanges").select("owner").toArray();
  const partial = context.attach(new Claim({ ...keyOf(2), owner: "x" }), "*");
  partial.owner = "y";

  const outcomes = await outcomesOf(context.saveChanges({ update: "replace" }));

  expect(outcomes.filter((one) => one.startsWith("unknown"))).toHaveLength(1);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toBeUndefined();
});

test("an upsert is lost, a reload keeps it over the row that is stored, and its transaction is refused", async () => {
  const store = await open();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
  await changedBy(store, { owner: "other", count: 1 }, 2, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const claim = context.upsert(new Claim({ ...keyOf(), owner: "mine", count: 7 }), "replace");
  await saveHeld(store, context);
  await context.reload(claim, { mergeOption: "preserveChanges" });
  context.add(new Claim({ ...keyOf(2), owner: "new" }));

  const outcomes = await outcomesOf(context.saveChanges());

  expect(outcomes).toEqual([expect.stringMatching(/^unknown/), expect.stringMatching(/^rejected/)]);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "mine", count: 7 });
});

test("an upsert is lost, a reload finds no row, and its transaction is refused", async () => {
  const store = await open();
  await changedBy(store, { owner: "other", count: 1 }, 2, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const claim = context.upsert(new Claim({ ...keyOf(), owner: "mine", count: 7 }), "merge");
  await saveHeld(store, context);
  await context.reload(claim, { mergeOption: "preserveChanges" });
  context.add(new Claim({ ...keyOf(2), owner: "new" }));

  const outcomes = await outcomesOf(context.saveChanges());

  expect(outcomes[0]).toMatch(/^unknown/);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "mine" });
});

test("a change that a save finds stored is reported, also where the save is invalid for another entity", async () => {
  const store = await open();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const claim = await context.find(Claim, keyOf());
  claim!.owner = "mine";
  await saveUnanswered(store, context);
  const partial = context.attach(new Claim({ ...keyOf(2), owner: "x" }), "*");
  partial.owner = "y";

  const outcomes = await outcomesOf(context.saveChanges({ update: "replace" }));

  expect(context.entry(claim!).state).toBe("unchanged");
  expect(outcomes).toContain("committed");
});

test("an insert is lost, and another entity takes its key: it does not stay in doubt for ever", async () => {
  const store = await open();
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const claim = context.add(new Claim({ ...keyOf(), owner: "mine" }));
  await saveHeld(store, context);
  context.remove(claim);
  const next = context.add(new Claim({ ...keyOf(), owner: "next" }));
  await arrive(store, "Claims");
  await outcomesOf(context.saveChanges());

  await context.resolveInDoubt({ wait: true });

  expect(context.entry(next).inDoubt).toBe(false);
  expect(await context.resolveInDoubt()).toEqual([]);
});

test("an atomic group is lost, and a save of its own for each entity does not store a part of it", async () => {
  const store = await open();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const claim = (await context.find(Claim, keyOf()))!;
  claim.owner = "mine";
  context.add(new Claim({ ...keyOf(2), owner: "new" }));
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
  await outcomesOf(context.saveChanges({ batch: "atomic" }));
  store.plan = undefined;
  await changedBy(store, { owner: "theirs" }, 2, "Claims");
  store.reset();

  await outcomesOf(context.saveChanges({ batch: "none" }));

  // The insert cannot go: neither can the edit, which may still arrive with it.
  expect(store.sent).toEqual([]);
});
