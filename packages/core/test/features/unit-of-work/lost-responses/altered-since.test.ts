// Changes whose responses were lost, and that the program altered, took back or removed since.

import { expect, test } from "vitest";
import type { SaveResult, TableContext } from "../../../../src/index.ts";
import {
  arrive,
  changedBy,
  Claim,
  failure,
  fresh,
  keyOf,
  outcomesOf,
  row,
  saveHeld,
  saveUnanswered,
  Ticket,
  tracked,
} from "../store.ts";

const first = { owner: "first", count: 1 };

const preserve = (context: TableContext): Promise<unknown> =>
  context.query(Ticket).where({ book: "b" }).mergeOption("preserveChanges").toArray();

const noWrite = ({ operations }: { operations: readonly unknown[] }): "refused" | undefined =>
  operations.length > 1 ? "refused" : undefined;

test("an edit that was taken back stays unknown for good, which is reported once; the entity is stale", async () => {
  const { store, context, found: claim } = await tracked(Claim, first);
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  claim.owner = "first";

  const [result] = (await failure(context.saveChanges())).results;

  expect(result).toMatchObject({ entity: claim, outcome: "unknown" });
  expect(result).not.toHaveProperty("lateUntil");
  expect(context.entry(claim)).toMatchObject({ state: "unchanged", inDoubt: false, stale: true });
  expect(await context.saveChanges()).toEqual([]);
});

test("what keeps an earlier write out is stored, its response lost: the next edit is no conflict with it", async () => {
  const { store, context, found: claim } = await tracked(Claim, first);
  claim.owner = "mine";
  await saveHeld(store, context);
  claim.owner = "first";
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : undefined);
  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
  store.plan = undefined;
  expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
  claim.count = 2;

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await arrive(store, "Claims");
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "first", count: 2 });
});

test("an insert in doubt is removed, and another program has changed its row: the removal is a conflict, and stays pending", async () => {
  const { store, context, clock } = await fresh();
  const claim = context.add(new Claim({ ...keyOf(), owner: "mine" }));
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, "Claims");
  context.remove(claim);
  clock.advance(61_000);

  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  expect(context.entry(claim).state).toBe("deleted");
  await context.resolveConflict(claim, "mine");
  await context.saveChanges();
  expect(await row(store, 1, "Claims")).toBeUndefined();
});

test("markers: an edit is stored, overwritten by another program, and read under it: it is committed, and not sent again", async () => {
  const { store, context, found: claim } = await tracked(Ticket, first);
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs" }, 1, "Tickets");
  await preserve(context);
  store.plan = noWrite;

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(claim.owner).toBe("theirs");
  expect(context.entry(claim).state).toBe("unchanged");
});

test("markers: the same, where the program has decided for its own value: it is sent over theirs", async () => {
  const { store, context, found: claim } = await tracked(Ticket, first);
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs" }, 1, "Tickets");
  await context.resolveConflict(claim, "mine");

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(await row(store, 1, "Tickets")).toMatchObject({ owner: "mine" });
});

test.each([
  ["the newer one is refused", { owner: "mine", count: 7 }, {}],
  ["a hook refuses the newer one", { owner: "mine", count: 8 }, { hooks: { saving: refuseEight } }],
] as const)("an edit is found stored where %s: both are reported", async (_, edits, options) => {
  const { store, context, found: claim } = await tracked(Ticket, first, options);
  claim.owner = edits.owner;
  await saveUnanswered(store, context);
  claim.count = edits.count;
  store.plan = noWrite;

  const [result] = (await failure(context.saveChanges())).results as [SaveResult];

  expect(result).toMatchObject({
    entity: claim,
    outcome: "rejected",
    earlier: { outcome: "committed", evidence: "marker", operation: "merge" },
  });
  expect(await row(store, 1, "Tickets")).toMatchObject({ owner: "mine", count: 1 });
});

function refuseEight(entity: object): void {
  if ((entity as Claim).count === 8) throw new Error("Eight is too many.");
}

test("an edit is found stored, and another program has written since: the newer edit is a conflict, and both are reported", async () => {
  const { store, context, found: claim } = await tracked(Ticket, first);
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, "Tickets");
  claim.count = 2;

  const [result] = (await failure(context.saveChanges())).results as [SaveResult];

  expect(result).toMatchObject({ outcome: "rejected", earlier: { outcome: "committed" } });
});

test("explicit tracking: a property that was named for what is found stored is not named any more", async () => {
  const { store, context, found: claim } = await tracked(Claim, first, { tracking: "explicit" });
  claim.count = 2;
  context.update(claim, "count");
  await saveUnanswered(store, context);
  claim.count = 3;

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(await outcomesOf(context.saveChanges())).toEqual([]);
  expect(await row(store, 1, "Claims")).toMatchObject({ count: 2 });
  context.update(claim, "count");
  await context.saveChanges();
  expect(await row(store, 1, "Claims")).toMatchObject({ count: 3 });
});

test("explicit tracking: a property that is named once more while it is in doubt is sent", async () => {
  const { store, context, found: claim } = await tracked(Claim, first, { tracking: "explicit" });
  claim.count = 2;
  context.update(claim, "count");
  await saveUnanswered(store, context);
  claim.count = 3;
  context.update(claim, "count");

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(await row(store, 1, "Claims")).toMatchObject({ count: 3 });
});

test("a removal is in doubt, and a hook gives its key to a new instance, and throws: the removal has one result", async () => {
  const saving = (entity: object): void => {
    if (entity === claim) return;
    context.add(new Claim({ ...keyOf(), owner: "next" }));
    throw new Error("No.");
  };
  const { store, context, found: claim } = await tracked(Claim, first, { hooks: { saving } });
  context.remove(claim);
  await saveHeld(store, context);
  context.add(new Claim(keyOf(2)));
  store.plan = ({ type }) => (type === "get" ? "refused" : undefined);

  const { results } = await failure(context.saveChanges());

  expect(results.filter(({ entity }) => entity === claim)).toHaveLength(1);
});

test("markers: a removal in doubt is given up for what is stored, and then arrives: it is committed, and the entity stale", async () => {
  const { store, context, found: claim } = await tracked(Ticket, first);
  context.remove(claim);
  await saveHeld(store, context);
  await context.resolveConflict(claim, "theirs");
  await arrive(store, "Tickets");

  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  expect(context.entry(claim)).toMatchObject({ state: "unchanged", stale: true });
});

test("markers: an edit in doubt was stored before it was given up for what is stored: the entity is not stale", async () => {
  const { store, context, found: claim } = await tracked(Ticket, first);
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await context.reload(claim);

  expect(await outcomesOf(context.resolveInDoubt())).toEqual(["committed"]);
  expect(context.entry(claim)).toMatchObject({ state: "unchanged", stale: false });
});
