// Changes whose responses were lost, among others: in saves of other entities, of other programs, and of newer edits.

import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  type SaveError,
  type SaveOptions,
  TableContext,
  text,
} from "../../../../src/index.ts";
import { verifyIndex } from "@partita/maintenance";
import { constant, padded } from "../../../../src/keys.ts";
import { fixed } from "../../../../src/rest.ts";
import { forwardStorage } from "../../../../src/storage/forward-storage.ts";
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
  openStore,
  outcomesOf,
  proofs,
  removedBy,
  row,
  saveHeld,
  saveUnanswered,
  type Store,
  Ticket,
  tracked,
} from "../store.ts";

class Item extends defineEntity({
  table: "Items",
  separator: "!",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { owner: text().optional(), age: int32().optional() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)), id: text() } } },
}) {}

/** The next write is applied or held, and its response lost; reads fail from then on, so that nothing is found out. */
const losesNextWrite = (store: Store, fault: "timeout-after" | "timeout-before", minOperations = 1): void => {
  let isSent = false;
  store.plan = ({ operations }) => {
    if (operations.length >= minOperations) isSent = true;
    if (!isSent) return undefined;
    return operations.length > 0 ? fault : "refused";
  };
};

test.each(proofs)(
  "(%#) an edit is proved stored, and another program wrote since: the next edit is a conflict",
  async (kind, table) => {
    const {
      store,
      context,
      found: claim,
    } = await tracked(kind as typeof Claim, { owner: "first", count: 1 });
    claim.owner = "mine";
    await saveUnanswered(store, context);
    await changedBy(store, { count: 9 }, 1, table);
    claim.count = 5;

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    expect(await row(store, 1, table)).toMatchObject({ count: 9 });
  },
);

test.each(proofs)("(%#) the same, where the entity is removed since", async (kind, table) => {
  const { store, context, found: claim } = await tracked(kind as typeof Claim, { owner: "first", count: 1 });
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, table);
  context.remove(claim);

  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  expect(await row(store, 1, table)).toMatchObject({ count: 9 });
});

test.each(proofs)("(%#) the same, where a new instance takes the key", async (kind, table) => {
  const { store, context, found: claim } = await tracked(kind as typeof Claim, { owner: "first", count: 1 });
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, table);
  context.remove(claim);
  context.add(new kind({ ...keyOf(), owner: "second" }) as Claim);
  await context.saveChanges().catch(() => undefined);

  expect(await row(store, 1, table)).toMatchObject({ count: 9 });
});

test("one member of a transaction is resolved, and another one has a newer attempt", async () => {
  const { store, context, clock, found: edited } = await tracked(Claim, { owner: "first" });
  edited.owner = "mine";
  const added = context.add(new Claim({ ...keyOf(2), owner: "one" }));
  await saveHeld(store, context);
  clock.advance(30_000);
  losesNextWrite(store, "timeout-before");
  await failure(context.saveChanges({ only: [added] }));
  store.plan = undefined;
  context.remove(added);
  clock.advance(40_000);

  const error: unknown = await context.saveChanges({ only: [edited] }).catch((thrown: unknown) => thrown);
  expect((error as Error | undefined)?.name).not.toBe("TypeError");
});

test("an older removal of a member that is not asked about does not end its newer edit", async () => {
  const { store, context, found: other } = await tracked(Claim, { owner: "first" });
  await changedBy(store, { owner: "first" }, 2, "Claims");
  const claim = (await context.find(Claim, keyOf(2))) as Claim;
  other.owner = "mine";
  context.remove(claim);
  await saveHeld(store, context);
  await context.reload(claim); // the removal is taken back
  claim.owner = "mine";
  losesNextWrite(store, "timeout-after");
  await failure(context.saveChanges({ only: [claim] }));
  store.plan = undefined;
  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "mine" });
  await removedBy(store, 2, "Claims");
  await changedBy(store, { count: 7 }, 1, "Claims");
  await failure(context.saveChanges({ only: [other] }));

  const results = await outcomesOf(context.saveChanges({ only: [claim] }));
  expect(results).toEqual([expect.stringMatching(/^unknown/)]);
});

test("an insert that is disproved, and removed: the equal row of another program stays", async () => {
  const { store, context, clock } = await fresh();
  await changedBy(store, { owner: "first" }, 1, "Claims");
  ((await context.find(Claim, keyOf())) as Claim).owner = "mine";
  const added = context.add(new Claim({ ...keyOf(2), owner: "one" }));
  await saveHeld(store, context);
  clock.advance(61_000); // row 1 has its version still: nothing was applied, nor will be
  await changedBy(store, { owner: "one", count: 0 }, 2, "Claims");
  context.remove(added);
  await context.saveChanges();

  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "one" });
});

test("a successor that was stored in a transaction is not rejected while the upsert before it is open", async () => {
  const { store, context, found: mate } = await tracked(Claim, { owner: "first" });
  const former = context.upsert(new Claim({ ...keyOf(2), owner: "former" }), "replace");
  await saveHeld(store, context, { only: [former] });
  context.remove(former);
  const successor = context.add(new Claim({ ...keyOf(2), owner: "successor" }));
  mate.owner = "mine";
  losesNextWrite(store, "timeout-after", 2);
  await failure(context.saveChanges());
  store.plan = undefined;
  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "successor" });
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  await changedBy(store, { owner: "theirs" }, 2, "Claims");

  const { results } = await failure(context.saveChanges());
  const own = results.find(({ entity }) => entity === successor);
  expect(own?.outcome).toBe("unknown");
});

test.each(["hook", "validator", "not loaded"])(
  "nothing more can be found out of an edit that was stored; a save refused before sending (%s) does not reject it",
  async (how) => {
    const store = await open();
    await changedBy(store, { owner: "first", count: 1 }, 1, "Claims");
    let isRefused = false;
    const context = contextOf(store, {
      ...once,
      clock: virtualClock(),
      ...(how === "hook" && {
        hooks: {
          saving: () => {
            if (isRefused) throw new Error("no");
          },
        },
      }),
      ...(how === "validator" && {
        validate: () => (isRefused ? [{ property: "owner", message: "no" }] : []),
      }),
    });
    const query = context.query(Claim).where(keyOf());
    const [claim] = (await (how === "not loaded" ? query.select("owner") : query).toArray()) as [Claim];
    claim.owner = "mine";
    await saveUnanswered(store, context);
    await changedBy(store, { owner: "theirs" }, 1, "Claims");
    expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
      expect.stringMatching(/^unknown/),
    ]);
    isRefused = true;

    expect(await outcomesOf(context.saveChanges(how === "not loaded" ? { update: "replace" } : {}))).toEqual([
      expect.stringMatching(/^unknown/),
    ]);
  },
);

test("an upsert in one transaction with an edit is lost; the upsert is saved again alone, committed; the late transaction overwrites it, which is found", async () => {
  const { store, context } = await fresh();
  await changedBy(store, { owner: "first" }, 1, "Claims");
  ((await context.find(Claim, keyOf())) as Claim).owner = "mine";
  const claim = context.upsert(new Claim({ ...keyOf(2), owner: "one" }), "replace", { idempotent: true });
  await saveHeld(store, context);
  claim.owner = "two";
  expect(await outcomesOf(context.saveChanges({ only: [claim] }))).toEqual(["committed"]);
  await arrive(store, "Claims");
  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "one" });

  await context.resolveInDoubt({ wait: true });
  expect(context.entry(claim).changedProperties).toEqual(["owner"]);
});

test.each(proofs)(
  "(%#) the same where the upsert is discarded and its key upserted anew",
  async (kind, table) => {
    const { store, context } = await fresh();
    await changedBy(store, { owner: "first" }, 1, table);
    ((await context.find(kind as typeof Claim, keyOf())) as Claim).owner = "mine";
    const first = context.upsert(new kind({ ...keyOf(2), owner: "one" }) as Claim, "replace");
    await saveHeld(store, context);
    context.discard(first);
    const claim = context.upsert(new kind({ ...keyOf(2), owner: "two" }) as Claim, "replace");
    expect(await outcomesOf(context.saveChanges({ only: [claim] }))).toEqual(["committed"]);
    await arrive(store, table);
    // A marker is closed before the newer write is sent, so that the late one is refused.
    const isOverwritten = kind === Claim;
    expect(await row(store, 2, table)).toMatchObject({ owner: isOverwritten ? "one" : "two" });

    await context.resolveInDoubt({ wait: true });
    expect(context.entry(claim).changedProperties).toEqual(isOverwritten ? ["owner"] : []);
  },
);

test("marker: the marker of a discarded upsert cannot be closed for a moment; it arrives over what was committed since, which is found", async () => {
  const { store, context } = await fresh();
  const first = context.upsert(new Ticket({ ...keyOf(), owner: "late" }), "replace");
  await saveHeld(store, context);
  context.discard(first);
  const ticket = context.add(new Ticket({ ...keyOf(), owner: "mine" }));
  let requests = 0;
  store.plan = () => (requests++ === 0 ? "refused" : undefined);
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await arrive(store, "Tickets");
  expect(await row(store, 1, "Tickets")).toMatchObject({ owner: "late" });

  await context.resolveInDoubt({ wait: true });
  expect(context.entry(ticket).changedProperties).toEqual(["owner"]);
});

test.each(proofs)(
  "(%#) a lost write of any version is discarded after an earlier conflict: it arrives over what was committed since, which is found",
  async (kind, table) => {
    const { store, context } = await fresh();
    const claim = context.attach(new kind({ ...keyOf() }) as Claim, "*");
    claim.owner = "late";
    await failure(context.saveChanges()); // conflict.missing
    store.reset();
    await changedBy(store, { owner: "theirs" }, 1, table);
    await saveHeld(store, context);
    context.discard(claim);
    claim.owner = "mine";
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, table);
    const isOverwritten = kind === Claim;
    expect(await row(store, 1, table)).toMatchObject({ owner: isOverwritten ? "late" : "mine" });

    await context.resolveInDoubt({ wait: true });
    expect(context.entry(claim).changedProperties).toEqual(isOverwritten ? ["owner"] : []);
  },
);

test("marker: the machine sleeps between two tries, so its marker may be swept: it is not sent again", async () => {
  const store = await open();
  const clock = virtualClock();
  const context = contextOf(store, { retry: fixed(3, 0), clock });
  context.add(new Ticket({ ...keyOf(), owner: "job" }));
  let writes = 0;
  store.plan = ({ operations }) => {
    if (operations.length === 0 || ++writes > 1) return undefined;
    clock.advance(2 * 3_600_000);
    return "timeout-after";
  };

  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
  expect(store.sent.filter((operations) => operations.length > 1)).toHaveLength(1);
});

test("an insert is sent twice and committed, then removed, committed: the first request arrives, and what it overwrote is found", async () => {
  const store = await open();
  const context = contextOf(store, { retry: fixed(3, 0), clock: virtualClock() });
  const added = context.add(new Claim({ ...keyOf(), owner: "one" }));
  const upserted = context.upsert(new Claim({ ...keyOf(2), owner: "one" }), "replace");
  let writes = 0;
  store.plan = ({ operations }) => (operations.length > 0 && writes++ === 0 ? "timeout-before" : undefined);
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed", "committed"]);
  context.remove(added);
  upserted.owner = "two";
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed", "committed"]);
  await arrive(store, "Claims");
  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "one" });

  await context.resolveInDoubt({ wait: true });
  expect(context.entry(upserted).changedProperties).toEqual(["owner"]);
});

test("nothing more can be found out of an atomic group; one member is saved by only: the group is split", async () => {
  const { store, context } = await fresh();
  const one = context.add(new Claim({ ...keyOf(1), owner: "one" }));
  context.add(new Claim({ ...keyOf(2), owner: "one" }));
  await saveHeld(store, context, { batch: "atomic" });
  await context.resolveInDoubt({ wait: true });
  await context.saveChanges({ only: [one] }).catch(() => undefined);

  // While the group is open, the same save is blocked.
  expect([await row(store, 1, "Claims"), await row(store, 2, "Claims")]).toEqual([undefined, undefined]);
});

test("a change stays unknown for good, and a save that is invalid for another entity reports it again", async () => {
  const { store, context } = await fresh();
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
  const { store, context } = await fresh();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
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
  const { store, context } = await fresh();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
  await changedBy(store, { owner: "other", count: 1 }, 2, "Claims");
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
  const { store, context } = await fresh();
  await changedBy(store, { owner: "other", count: 1 }, 2, "Claims");
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
  const { store, context } = await fresh();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
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
  const { store, context } = await fresh();
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
  const { store, context } = await fresh();
  await changedBy(store, { owner: "theirs", count: 1 }, 1, "Claims");
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

test("indexes: an edit that moved its index row is proved stored, and a new instance replaces the entity: no index row stays", async () => {
  const store = await openStore("memory:", [Item]);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const first = context.add(new Item({ ...keyOf(), owner: "first", age: 1 }));
  await context.saveChanges();
  first.age = 2;
  await saveUnanswered(store, context);
  context.remove(first);
  context.add(new Item({ ...keyOf(), owner: "second", age: 3 }));
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed", "committed"]);

  expect(await verifyIndex(store.inner, Item, "byAge")).toMatchObject({ extra: 0, isClean: true }); // extra: 1, AGE:002!1
});

test("nothing more can be found out of an atomic group; one member cannot be read: the other one is not sent", async () => {
  const store = await openStore("memory:", [Item]);
  const clock = virtualClock();
  const context = contextOf(store, { ...once, clock });
  context.add(new Item({ ...keyOf(1), owner: "one" }));
  context.upsert(new Item({ ...keyOf(2), owner: "two" }), "replace");
  losesNextWrite(store, "timeout-before");
  await failure(context.saveChanges({ batch: "atomic" }));
  store.plan = undefined;
  await context.resolveInDoubt({ wait: true });
  store.plan = ({ type }) => (type === "get" ? "refused" : undefined);
  const outcomes = await outcomesOf(context.saveChanges());

  expect(await row(store, 1, "Items")).toBe(undefined);
  expect(outcomes).not.toContainEqual(expect.stringMatching(/^rejected/));
});

test("an atomic group that is edited while in doubt, and passes 4 MiB, is refused", async () => {
  const { store, context, clock } = await fresh();
  const names = "abcdefghijklmno".split("");
  class Big extends defineEntity({
    table: "Bigs",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: Object.fromEntries(names.map((name) => [name, text()])),
  }) {}
  await createTables(store.inner, [Big]);
  const textsOf = (length: number): object =>
    Object.fromEntries(names.map((name) => [name, "x".repeat(length)]));
  const all = Array.from({ length: 10 }, (_, id) =>
    context.add(new Big({ ...keyOf(id), ...textsOf(15_000) } as never)),
  );
  await saveHeld(store, context, { batch: "atomic" });
  clock.advance(61_000);
  for (const one of all) Object.assign(one, textsOf(31_000));
  let writes = 0;
  store.plan = ({ operations }) => (operations.length > 0 && ++writes === 2 ? "refused" : undefined);
  await context.saveChanges().catch(() => undefined);

  const { entities } = await store.inner.query("Bigs", {});
  expect([0, 10]).toContain(entities.length);
});

test("what is found out of another member while a refusal is looked into is reported, too", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first" });
  claim.owner = "mine";
  const added = context.add(new Claim({ ...keyOf(2), owner: "one" }));
  await saveHeld(store, context);
  let isSent = false;
  store.plan = async ({ operations }) => {
    if (operations.length > 0 && !isSent) {
      isSent = true;
      await arrive(store, "Claims");
    }
    return undefined;
  };
  const results = [
    ...(await context.saveChanges({ only: [claim] })),
    ...(await context.resolveInDoubt()),
    ...(await context.saveChanges()),
  ];

  expect(context.entry(added).inDoubt).toBe(false);
  expect(results.map(({ entity }) => entity)).toContain(added);
});

test.each(proofs)("(%#) an edit proved stored keeps what was read since", async (kind, table) => {
  const { store, context, found: claim } = await tracked(kind as typeof Claim, { owner: "first", count: 1 });
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { count: 8 }, 1, table);
  await context
    .query(kind as typeof Claim)
    .where({ book: "b" })
    .mergeOption("preserveChanges")
    .toArray();
  expect(claim.count).toBe(8);
  await changedBy(store, { count: 9 }, 1, table);
  store.reset();
  await context.saveChanges().catch(() => undefined);

  expect(await row(store, 1, table)).toMatchObject({ owner: "mine", count: 9 });
});

test.each(proofs)(
  "(%#) the same with a projection, of which the rest was read since",
  async (kind, table) => {
    const { store, context } = await fresh();
    await changedBy(store, { owner: "first", count: 1 }, 1, table);
    const [claim] = (await context
      .query(kind as typeof Claim)
      .where({ book: "b" })
      .select("owner")
      .toArray()) as unknown as [Claim];
    claim.owner = "mine";
    await saveUnanswered(store, context);
    await context
      .query(kind as typeof Claim)
      .where({ book: "b" })
      .mergeOption("preserveChanges")
      .toArray();
    await changedBy(store, { count: 9 }, 1, table);
    await context.saveChanges().catch(() => undefined);

    expect(await row(store, 1, table)).toMatchObject({ count: 9 });
  },
);

test("marker: an edit is given up by reload, and proved later: what was read is no edit", async () => {
  const { store, context, found: ticket } = await tracked(Ticket, { owner: "first" });
  ticket.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs" }, 1, "Tickets");
  await context.reload(ticket);
  expect(ticket.owner).toBe("theirs");
  await changedBy(store, { owner: "newer" }, 1, "Tickets");
  await context.saveChanges().catch(() => undefined);

  expect(await row(store, 1, "Tickets")).toMatchObject({ owner: "newer" });
});

test("an idempotent upsert arrives late over a newer one, whose response comes when the first is over: it is pending again", async () => {
  const store = await open();
  const clock = virtualClock();
  let isSlow = false;
  const storage = forwardStorage(store.storage, {
    async write(...request) {
      const result = await store.storage.write(...request);
      if (!isSlow) return result;
      clock.advance(8_000);
      await arrive(store, "Claims"); // 58 seconds after it was sent
      clock.advance(5_000); // the response takes 13 seconds
      return result;
    },
  });
  const context = new TableContext(storage, { ...once, clock });
  const claim = context.upsert(new Claim({ ...keyOf(), owner: "one" }), "replace", { idempotent: true });
  await saveHeld(store, context);
  clock.advance(50_000);
  claim.owner = "two";
  isSlow = true;
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  isSlow = false;
  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "one" });

  await context.resolveInDoubt({ wait: true });
  expect(context.entry(claim).changedProperties).toEqual(["owner"]);
});

test("a lost transaction arrives just before it is sent again: both members are committed", async () => {
  const { store, context } = await fresh();
  await changedBy(store, { owner: "first" }, 1, "Claims");
  ((await context.find(Claim, keyOf())) as Claim).owner = "mine";
  context.add(new Claim({ ...keyOf(2), owner: "one" }));
  await saveHeld(store, context);
  let isSent = false;
  store.plan = async ({ operations }) => {
    if (operations.length > 0 && !isSent) {
      isSent = true;
      await arrive(store, "Claims");
    }
    return undefined;
  };
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed", "committed"]);
});

/** A write that was stored, its response lost; others write, it is read by preserveChanges, and others are first once more. */
async function refusedAfterRead(
  store: Store,
  context: TableContext,
  options: SaveOptions = {},
): Promise<string[]> {
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  await context.query(Claim).where({ book: "b" }).mergeOption("preserveChanges").toArray();
  await changedBy(store, { owner: "newer" }, 1, "Claims");
  return outcomesOf(context.saveChanges(options));
}

test("an edit of two properties was stored; one of them is found stored by a read, so that less is sent", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first", count: 1 });
  claim.owner = "mine";
  claim.count = 2;
  await saveUnanswered(store, context);

  expect(await refusedAfterRead(store, context)).toEqual(["unknown conflict.etag"]);
});

test.each(["merge", "replace"] as const)(
  "the same of an upsert by %s whose edits are kept over a newer row",
  async (mode) => {
    const { store, context, clock } = await fresh();
    const claim = context.upsert(new Claim({ ...keyOf(), owner: "mine", count: 2 }), mode);
    await saveUnanswered(store, context);
    await changedBy(store, { owner: "theirs" }, 1, "Claims");
    await context.resolveConflict(claim, "mine");
    await changedBy(store, { owner: "newer" }, 1, "Claims");
    clock.advance(61_000);

    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
  },
);

test.each(["replace", "merge"] as const)(
  "the same of a whole row (%s), in which a read refreshed another property",
  async (update) => {
    const { store, context, found: claim } = await tracked(Claim, { owner: "first", count: 1 });
    // A cleared property is sent as a whole row, too.
    claim.owner = update === "replace" ? "mine" : undefined;
    store.plan = blind("timeout-after");
    await failure(context.saveChanges({ update }));
    store.plan = undefined;
    await changedBy(store, { count: 9 }, 1, "Claims");

    expect(await refusedAfterRead(store, context, { update })).toEqual(["unknown conflict.etag"]);
  },
);

test.each(proofs)(
  "(%#) a removal of any version finds no row, committed; the key is added anew, committed; the removal arrives late: it is pending again",
  async (kind, table) => {
    const { store, context } = await fresh();
    context.removeByKey(kind as typeof Claim, keyOf(), "*");
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
    await context.saveChanges().catch(() => undefined); // committed, gone; by marker: unknown
    store.plan = undefined;
    await context.resolveInDoubt();
    const entity = context.find(kind as typeof Claim, keyOf());
    expect(await entity).toBe(undefined);
    for (const { entity: left } of context.pendingChanges()) context.detach(left);
    const claim = context.add(new kind({ ...keyOf(), owner: "mine" }) as Claim);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await arrive(store, table);

    await context.resolveInDoubt({ wait: true });
    const isThere = (await row(store, 1, table)) !== undefined;
    expect(isThere || context.entry(claim).state !== "unchanged").toBe(true); // content: gone, and nothing is pending
  },
);

test("nothing more can be found out of an insert that was stored: remove() keeps the removal", async () => {
  const { store, context } = await fresh();
  const claim = context.add(new Claim({ ...keyOf(), owner: "mine" }));
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, "Claims");
  expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual([
    expect.stringMatching(/^unknown/),
  ]);
  context.remove(claim);
  const outcomes = await outcomesOf(context.saveChanges());

  expect(await row(store, 1, "Claims")).toMatchObject({ owner: "mine" });
  expect(outcomes).not.toEqual([]);
});

test("removed while its insert is under way, which is then unknown for good: the removal stays", async () => {
  const { store, context } = await fresh();
  await changedBy(store, { owner: "first" }, 1, "Claims");
  ((await context.find(Claim, keyOf())) as Claim).owner = "mine";
  const added = context.add(new Claim({ ...keyOf(2), owner: "mine" }));
  let isRemoved = false;
  store.plan = async ({ operations }) => {
    if (operations.length > 0) {
      context.remove(added);
      isRemoved = true;
      return "timeout-after";
    }
    if (isRemoved) await changedBy(store, { owner: "theirs" }, 1, "Claims"); // before it is read back
    return undefined;
  };
  expect(await outcomesOf(context.saveChanges())).toEqual([
    expect.stringMatching(/^unknown/),
    expect.stringMatching(/^unknown/),
  ]);
  store.plan = undefined;

  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "mine" });
  expect(context.entry(added).state).toBe("deleted");
});

test("what keeps an earlier write out is refused, since others were first: no change is left", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first" });
  claim.owner = "mine";
  await saveHeld(store, context);
  await context.reload(claim); // given up; it may still arrive
  let isSent = false;
  store.plan = async ({ operations }) => {
    if (operations.length > 0 && !isSent) {
      isSent = true;
      await changedBy(store, { owner: "theirs" }, 1, "Claims");
    }
    return undefined;
  };
  await context.saveChanges().catch(() => undefined);

  expect(context.entry(claim).changedProperties).toEqual([]);
  expect(await outcomesOf(context.saveChanges())).toEqual([]);
});

/** The first held request arrives just before the next write. */
function arrivesBeforeNextWrite(store: Store, table = "Claims", index = 0): void {
  let isSent = false;
  store.plan = async ({ operations }) => {
    if (operations.length > 0 && !isSent) {
      isSent = true;
      await arrive(store, table, index);
    }
    return undefined;
  };
}
const entitiesOf = async (save: Promise<readonly { entity: object }[]>) =>
  (await save.catch((error: unknown) => (error as SaveError).results ?? Promise.reject(error))).map(
    ({ entity }) => entity,
  );

test("an edit in doubt is undone, and stored late: the entity is not committed with another value than its row", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first", count: 1 });
  claim.count = 2;
  await saveHeld(store, context);
  claim.count = 1;
  arrivesBeforeNextWrite(store);
  const outcomes = await outcomesOf(context.saveChanges());
  const count = (await row(store, 1, "Claims"))?.["count"];
  expect(outcomes[0] === "committed" && count !== claim.count).toBe(false);
});

test("marker: an edit is proved while its row cannot be read: it is committed", async () => {
  const { store, context, found: claim } = await tracked(Ticket, { owner: "first", count: 1 });
  claim.owner = "mine";
  await saveHeld(store, context);
  await context.query(Ticket).where({ book: "b" }).mergeOption("preserveChanges").toArray();
  await arrive(store, "Tickets");
  let reads = 0;
  store.plan = ({ operations }) => {
    if (operations.length === 0) {
      reads++;
      return reads === 2 ? "refused" : undefined;
    }
    return undefined;
  };
  const outcomes = await outcomesOf(context.saveChanges());
  expect(outcomes).toEqual(["committed"]);
});

test("marker, whole rows: what was read since is not written over another program's newer value", async () => {
  const { store, context, found: claim } = await tracked(Ticket, { owner: "first", count: 1 });
  claim.owner = "mine";
  store.plan = blind("timeout-after");
  await failure(context.saveChanges({ update: "replace" }));
  store.plan = undefined;
  await changedBy(store, { count: 9 }, 1, "Tickets");
  await context.query(Ticket).where({ book: "b" }).mergeOption("preserveChanges").toArray();
  await changedBy(store, { count: 1 }, 1, "Tickets");
  claim.owner = "later";
  await outcomesOf(context.saveChanges());
  expect(await row(store, 1, "Tickets")).toMatchObject({ count: 1 });
});

test.each(proofs)(
  "(%#) projection: removed after a lost edit, another program's version is deleted",
  async (kind, table) => {
    const { store, context } = await fresh();
    await changedBy(store, { owner: "first", count: 1 }, 1, table);
    const [claim] = (await context
      .query(kind as typeof Claim)
      .where({ book: "b" })
      .select("owner")
      .toArray()) as unknown as [Claim];
    claim.owner = "mine";
    await saveUnanswered(store, context);
    await changedBy(store, { count: 9 }, 1, table);
    context.remove(claim);
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  },
);

test.each(["plain", "explicit"] as const)(
  "(%s): closed attempts: one that stored more is dropped for one that sent less",
  async () => {
    const { store, context, clock, found: claim } = await tracked(Claim, { owner: "first", count: 1 });
    claim.owner = "mine";
    claim.count = 2;
    await saveUnanswered(store, context);
    await changedBy(store, { owner: "theirs" }, 1, "Claims");
    clock.advance(61_000);
    await context.resolveInDoubt();
    claim.count = 1;
    await saveUnanswered(store, context);
    clock.advance(61_000);
    await context.resolveInDoubt();
    claim.count = 2;
    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
  },
);

test("a new instance takes the key of a member of an atomic group, and is saved by only: no TypeError", async () => {
  const { store, context, clock } = await fresh();
  const a = context.add(new Claim({ ...keyOf(1), owner: "a" }));
  context.add(new Claim({ ...keyOf(2), owner: "b" }));
  await saveHeld(store, context, { batch: "atomic" });
  clock.advance(61_000);
  await context.resolveInDoubt();
  context.remove(a);
  const anew = context.add(new Claim({ ...keyOf(1), owner: "anew" }));
  const error: unknown = await context.saveChanges({ only: [anew] }).catch((thrown: unknown) => thrown);
  expect((error as Error | undefined)?.name).not.toBe("TypeError");
});

test("a blocked upsert is proved by a sibling's conflict: each entity has one result", async () => {
  const { store, context } = await fresh();
  await changedBy(store, { owner: "first" }, 1, "Claims");
  ((await context.find(Claim, keyOf())) as Claim).owner = "mine";
  context.upsert(new Claim({ ...keyOf(2), owner: "one" }), "replace");
  await saveHeld(store, context);
  arrivesBeforeNextWrite(store);
  const entities = await entitiesOf(context.saveChanges());
  expect(entities).toHaveLength(2);
});

test.each(["conflict", "ignore", "error"] as const)(
  "(%s): an insert that never arrived, unknown for good, is removed: conflict.missing at every save",
  async (removeMissing) => {
    const { store, context, clock } = await fresh();
    const a = context.add(new Claim({ ...keyOf(1), owner: "a" }));
    await saveHeld(store, context);
    clock.advance(61_000);
    await context.resolveInDoubt();
    context.remove(a);
    await context.saveChanges({ removeMissing }).catch(() => undefined);
    await context.saveChanges({ removeMissing }).catch(() => undefined);
    expect(await outcomesOf(context.saveChanges({ removeMissing }))).toEqual([]);
  },
);

test("of an atomic group that never arrived, one insert is removed: the other is sent", async () => {
  const { store, context, clock } = await fresh();
  const a = context.add(new Claim({ ...keyOf(1), owner: "a" }));
  context.add(new Claim({ ...keyOf(2), owner: "b" }));
  await saveHeld(store, context, { batch: "atomic" });
  clock.advance(61_000);
  await context.resolveInDoubt();
  context.remove(a);
  for (let i = 0; i < 3; i++) await outcomesOf(context.saveChanges());
  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "b" });
});

test("another program's equal row is not deleted without a condition", async () => {
  const { store, context } = await fresh();
  const claim = context.upsert(new Claim({ ...keyOf(), owner: "one" }), "replace", { idempotent: true });
  await saveHeld(store, context);
  await context.saveChanges();
  context.detach(claim);
  context.removeByKey(Claim, keyOf(), "*");
  await context.saveChanges();
  await store.inner.write("Claims", {
    type: "insert",
    entity: { PartitionKey: "b", RowKey: "1", owner: "one", count: 0 },
  });
  await outcomesOf(context.saveChanges());
  expect(await row(store, 1, "Claims")).toBeDefined();
});

test("a hook removes an insert that is unknown for good: the save is valid", async () => {
  const store = await open();
  await changedBy(store, { owner: "first" }, 1, "Claims");
  const clock = virtualClock();
  let target: Claim | undefined;
  const context: TableContext = contextOf(store, {
    ...once,
    clock,
    hooks: {
      saving: () => {
        if (target) context.remove(target);
        target = undefined;
      },
    },
  } as never);
  const added = context.add(new Claim({ ...keyOf(2), owner: "x" }));
  await saveHeld(store, context);
  clock.advance(61_000);
  await context.resolveInDoubt();
  target = added;
  const outcomes = await outcomesOf(context.saveChanges());
  expect(outcomes).not.toContainEqual(expect.stringMatching("etag-unknown"));
});

test("a lone edit is rejected where equal values were only known, and never sent", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first", count: 1 });
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { owner: "theirs", count: 5 }, 1, "Claims");
  await context.resolveInDoubt();
  await context.query(Claim).where({ book: "b" }).mergeOption("preserveChanges").toArray();
  claim.owner = "theirs";
  claim.count = 1;
  await changedBy(store, { count: 6 }, 1, "Claims");
  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
});

test("one of two edits in doubt is taken back: it is not committed where both are stored", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first", count: 1 });
  claim.owner = "mine";
  claim.count = 2;
  await saveHeld(store, context);
  claim.count = 1;
  arrivesBeforeNextWrite(store);
  const outcomes = await outcomesOf(context.saveChanges());

  expect(outcomes).not.toEqual(["committed"]);
});

test("atomic group of an indexed class, of which one row cannot be read: each entity has one result", async () => {
  const store = await openStore("memory:", [Item]);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  context.upsert(new Item({ ...keyOf(1), owner: "a", age: 1 }), "replace", { idempotent: true });
  context.upsert(new Item({ ...keyOf(2), owner: "b", age: 2 }), "replace", { idempotent: true });
  let isSent = false;
  store.plan = ({ operations }) => {
    if (operations.length > 0) isSent = true;
    return isSent ? (operations.length > 0 ? "timeout-before" : "refused") : undefined;
  };
  await failure(context.saveChanges({ batch: "atomic" }));
  let reads = 0;
  store.plan = ({ operations }) => (operations.length === 0 && ++reads === 4 ? "refused" : undefined);
  const entities = await entitiesOf(context.saveChanges());

  expect(new Set(entities).size).toBe(entities.length);
});

test("of a closed atomic group, an edit is taken back by hand: the insert is sent", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first" });
  claim.owner = "mine";
  context.add(new Claim({ ...keyOf(2), owner: "b" }));
  await saveHeld(store, context, { batch: "atomic" });
  await changedBy(store, { count: 3 }, 1, "Claims");
  await context.resolveInDoubt();
  claim.owner = "first";
  for (let i = 0; i < 3; i++) await outcomesOf(context.saveChanges());

  expect(await row(store, 2, "Claims")).toMatchObject({ owner: "b" });
});

test.each(proofs)(
  "(%#) projection: replaced by a new instance: another program's value is not overwritten",
  async (kind, table) => {
    const { store, context } = await fresh();
    await changedBy(store, { owner: "first", count: 1 }, 1, table);
    const [claim] = (await context
      .query(kind as typeof Claim)
      .where({ book: "b" })
      .select("owner")
      .toArray()) as unknown as [Claim];
    claim.owner = "mine";
    await saveUnanswered(store, context);
    await changedBy(store, { count: 9 }, 1, table);
    context.remove(claim);
    context.add(new kind({ ...keyOf(), owner: "second" }) as Claim);
    await context.saveChanges().catch(() => undefined);

    expect(await row(store, 1, table)).toMatchObject({ count: 9 });
  },
);

test("after the conflict, the entity can be removed and added anew", async () => {
  const { store, context, found: claim } = await tracked(Claim, { owner: "first" });
  claim.owner = "mine";
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, "Claims");
  claim.owner = "later";
  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  context.remove(claim);
  let thrown: unknown;
  try {
    context.add(new Claim({ ...keyOf(), owner: "anew" }));
  } catch (error) {
    thrown = error;
  }
  expect((thrown as { code?: string } | undefined)?.code).toBe(undefined);
});

test("an edit and a removal are lost together, the edit is altered, and the first request arrives: the removal is not rejected", async () => {
  const { store, context } = await fresh();
  for (const id of [1, 2]) await changedBy(store, { owner: "theirs", count: id }, id, "Claims");
  // One after the other: outcomes have the order in which entities were tracked.
  const edited = (await context.find(Claim, keyOf(1)))!;
  const removed = (await context.find(Claim, keyOf(2)))!;
  edited.owner = "one";
  context.remove(removed);
  await saveHeld(store, context);
  edited.owner = "two";
  arrivesBeforeNextWrite(store);

  const outcomes = await outcomesOf(context.saveChanges());

  expect(outcomes[1]).not.toMatch(/^rejected/);
});

test("an edit is lost, altered and refused since the first request has arrived: the altered one is not committed", async () => {
  const store = await open();
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  const context = contextOf(store, { ...once, retry: { attempts: 2, delayMs: 0 }, clock: virtualClock() });
  const claim = (await context.find(Claim, keyOf()))!;
  claim.owner = "one";
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
  await outcomesOf(context.saveChanges());
  claim.owner = "two";
  let writes = 0;
  store.plan = async ({ operations }) => {
    if (operations.length === 0) return undefined;
    if (++writes > 1) return undefined;
    await arrive(store, "Claims");
    return "timeout-before";
  };
  await outcomesOf(context.saveChanges());
  store.plan = undefined;

  const outcomes = await outcomesOf(context.resolveInDoubt({ wait: true }));

  expect(context.entry(claim).state).toBe("modified");
  expect(outcomes).not.toContain("committed");
});

test("a removal is lost, another entity takes its key and is discarded: the removal is not rejected", async () => {
  const { store, context } = await fresh();
  await changedBy(store, { owner: "theirs" }, 1, "Claims");
  const claim = (await context.find(Claim, keyOf()))!;
  context.remove(claim);
  await saveUnanswered(store, context);
  const next = context.add(new Claim({ ...keyOf(), owner: "next" }));
  context.discard(next);

  expect(await outcomesOf(context.saveChanges())).not.toContainEqual(expect.stringMatching(/^rejected/));
});

test("removeMissing error, any version: the key is added anew, and the removal arrives late: what it deleted is pending", async () => {
  const { store, context } = await fresh();
  context.removeByKey(Claim, keyOf(), "*");
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
  expect(await outcomesOf(context.saveChanges({ removeMissing: "error" }))).toEqual(["unknown storage.gone"]);
  store.plan = undefined;
  const claim = context.add(new Claim({ ...keyOf(), owner: "mine" }));
  expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  await arrive(store, "Claims");
  await context.resolveInDoubt({ wait: true });

  const isThere = (await row(store, 1, "Claims")) !== undefined;
  expect(isThere || context.entry(claim).state !== "unchanged").toBe(true); // gone, and nothing is pending
});

test("the removal of an insert that is unknown for good, resolved as mine, is sent", async () => {
  const { store, context } = await fresh();
  const a = context.add(new Claim({ ...keyOf(1), owner: "a" }));
  await saveUnanswered(store, context);
  await changedBy(store, { count: 9 }, 1, "Claims");
  await context.resolveInDoubt({ wait: true }); // unknown for good
  context.remove(a);
  expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
  await context.resolveConflict(a, "mine");
  await context.saveChanges();

  expect(await row(store, 1, "Claims")).toBeUndefined();
});

test.each(["add", "upsert"] as const)(
  "explicit tracking: %s is stored, its response lost; an edit that is named since is sent",
  async (how) => {
    const store = await open();
    const context = contextOf(store, { ...once, clock: virtualClock(), tracking: "explicit" });
    const claim = new Claim({ ...keyOf(), owner: "one" });
    if (how === "add") context.add(claim);
    else context.upsert(claim, "replace");
    await saveUnanswered(store, context);
    claim.owner = "two";
    context.update(claim, "owner");
    await context.saveChanges();
    await context.saveChanges();

    expect(await row(store, 1, "Claims")).toMatchObject({ owner: "two" });
  },
);

test.each(proofs)(
  "(%#) an upsert by replace is proved; what was read before it arrived is no edit",
  async (kind, table) => {
    const { store, context } = await fresh();
    await changedBy(store, { owner: "theirs", count: 7 }, 1, table);
    await changedBy(store, { owner: "theirs" }, 2, table);
    const claim = context.upsert(new (kind as typeof Claim)({ ...keyOf(), count: 1 }), "replace");
    await saveHeld(store, context);
    await context.resolveConflict(claim, "mine"); // takes owner "theirs" over; count 1 stays an edit
    await arrive(store, table); // stored: count 1, no owner
    context.add(new (kind as typeof Claim)({ ...keyOf(2) }));

    expect((await outcomesOf(context.saveChanges()))[0]).toBe("committed");
  },
);

test.each([
  ["replace", { extra: 1 }],
  ["replace", { owner: "theirs", count: 3 }],
  ["merge", { owner: "theirs", count: 3 }],
] as const)(
  "an upsert by %s is put over a row with more (%o), and refused: it may still arrive",
  async (mode, row) => {
    const { store, context } = await fresh();
    await changedBy(store, row, 1, "Claims");
    const claim = context.upsert(new Claim({ ...keyOf(), count: 2 }), mode);
    await saveHeld(store, context);
    await context.resolveConflict(claim, "mine");
    store.plan = ({ operations }) => (operations.length > 0 ? "refused" : undefined);

    expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
  },
);
