// Several transactions in doubt at once that have entities in common.

import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import {
  arrive,
  blind,
  changedBy,
  contextOf,
  failure,
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
  valuesIn,
} from "../store.ts";

test("an insert that succeeds says nothing of an earlier one: its row may have been stored, and removed", async () => {
  const store = await open();
  const context = contextOf(store, once);
  context.create(Note, { ...keyOf(1), title: "a" });
  context.create(Note, { ...keyOf(2), title: "b" });
  await saveUnanswered(store, context);
  await removedBy(store, 1);
  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout", "committed"]);
  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
});

test.each(["auto", "none"] as const)(
  "a removal that counts as done says nothing of the transaction it was in, batch: %s",
  async (batch) => {
    const store = await seeded(open, 2);
    const context = contextOf(store, once);
    context.remove(await read(context, 1));
    (await read(context, 2)).title = "B";
    await saveHeld(store, context);
    let isHeld = true;
    store.plan = async ({ operations }) => {
      if (operations.length > 0 && isHeld) {
        isHeld = false;
        await arrive(store, "Notes"); // the first transaction, just before the second request
      }
      return undefined;
    };
    const reported = await outcomesOf(context.saveChanges({ removeMissing: "ignore", batch }));
    expect(await valuesIn(store, 2)).toMatchObject({ title: "B" });
    expect(reported.join()).not.toContain("rejected");
  },
);

test("equal values prove nothing while an entity that was not refused waits for a newer write", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store, once);
  (await read(context, 1)).title = "A";
  (await read(context, 2)).title = "B";
  await changedBy(store, { title: "B" }, 2); // the transaction will be refused
  await saveHeld(store, context); // which nobody learns
  let [writes, reads] = [0, 0];
  store.plan = ({ operations }) => {
    if (operations.length > 0) return ++writes === 1 ? "timeout-after" : undefined;
    return writes === 1 && ++reads === 1 ? "refused" : undefined; // reading back fails
  };
  const reported = await outcomesOf(context.saveChanges({ batch: "none", concurrency: 1 }));
  expect(reported[1]).toMatch(/^unknown/);
});

test("equal values prove nothing while an entity that is not asked about waits for a newer write", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store, once);
  const [a, b] = [await read(context, 1), await read(context, 2)];
  a.title = "A";
  context.update(b, "title");
  await changedBy(store, { pages: 99 }, 2); // the transaction will be refused
  await saveHeld(store, context);
  let isSent = false;
  store.plan = ({ operations }) => {
    if (operations.length > 0) isSent = true;
    return operations.length > 0 ? "timeout-after" : isSent ? "refused" : undefined;
  };
  await failure(context.saveChanges({ only: [a] }));
  store.plan = undefined;
  const results = await context.resolveInDoubt({ only: [b] });
  expect(results).toMatchObject([
    { entity: b, outcome: "unknown" },
    { entity: a, outcome: "committed" },
  ]);
});

test("what was removed after its insert is removed, though another row of the transaction was reloaded", async () => {
  const store = await open();
  const clock = virtualClock();
  const context = contextOf(store, { ...once, clock });
  const a = context.create(Note, { ...keyOf(1), title: "a" });
  const b = context.create(Note, { ...keyOf(2), title: "b" });
  await saveUnanswered(store, context); // both are stored
  await context.reload(b);
  context.remove(a);
  await context.resolveInDoubt({ wait: true });
  await outcomesOf(context.saveChanges());
  expect(await row(store, 1)).toBeUndefined();
});

test("a removal waits for the newest insert that may still arrive", async () => {
  const store = await open();
  const clock = virtualClock();
  const context = contextOf(store, { ...once, clock });
  const a = context.create(Note, { ...keyOf(1), title: "one" });
  await saveHeld(store, context);
  clock.advance(30_000);
  a.title = "two";
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
  await failure(context.saveChanges());
  store.plan = undefined;
  context.remove(a);
  clock.advance(31_000); // the first insert is over, the second one is not
  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
  await arrive(store, "Notes", 1); // the second one
  await outcomesOf(context.saveChanges());
  expect(await row(store, 1)).toBeUndefined();
});

test("resolveInDoubt({ wait }) ends doubts of transactions that overlap", async () => {
  const store = await seeded(open, 2);
  const clock = virtualClock();
  const context = contextOf(store, { ...once, clock });
  const [a, b] = [await read(context, 1), await read(context, 2)];
  a.title = "a1";
  await saveHeld(store, context);
  b.title = "b1";
  store.plan = blind("timeout-before");
  await failure(context.saveChanges({ only: [b] }));
  [a.title, b.title] = ["a2", "b2"];
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
  await failure(context.saveChanges());
  store.plan = undefined;
  await arrive(store, "Notes", 1); // b1
  await context.resolveInDoubt({ wait: true });
  expect([context.entry(a).inDoubt, context.entry(b).inDoubt]).toEqual([false, false]);
});

test("resolveInDoubt({ only }) reports what it finds out of others", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store, once);
  const [a, b] = [await read(context, 1), await read(context, 2)];
  context.remove(a);
  b.title = "B";
  await saveUnanswered(store, context);
  expect(await context.resolveInDoubt({ only: [b] })).toMatchObject([
    { entity: b, outcome: "committed" },
    { entity: a, outcome: "committed", evidence: "gone" },
  ]);
});

test("a lost removal whose key another instance took is reported of the entity that was removed", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store, once);
  const [b, a] = [await read(context, 2), await read(context, 1)];
  b.title = "B";
  context.remove(a);
  await saveHeld(store, context);
  context.create(Note, { ...keyOf(1), title: "new" });
  const results = await context.resolveInDoubt();
  expect(results.find(({ entity }) => entity === a)).toMatchObject({
    subject: 'Note in Notes ("b", "1")',
    operation: "delete",
  });
});
