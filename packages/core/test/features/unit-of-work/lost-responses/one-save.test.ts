// One save whose response is lost: its rows are read back, and each change is committed, rejected or unknown.

import { type Fault, type FaultyStorage, writeFaults } from "@partita/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { ConflictError, type SaveError, type TableContext } from "../../../../src/index.ts";
import {
  changedBy,
  contextOf,
  failure,
  keyOf,
  Note,
  openStore,
  outcomesOf,
  read,
  removedBy,
  row,
  seeded,
  type Store,
  valuesIn,
  saveHeld,
  saveUnanswered,
} from "../store.ts";

const open = (): Promise<Store> => openStore("memory:");
const once = { retry: { attempts: 1, delayMs: 0 } };

/** Faults after which the work is done, and those after which it is not. */
const after: readonly Fault[] = [
  "reset-after",
  "timeout-after",
  "error-after",
  "truncated-after",
  "busy-after",
];
const before: readonly Fault[] = [
  "reset-before",
  "timeout-before",
  "error-before",
  "truncated-before",
  "busy-before",
];

let store: Store;
let context: TableContext;
beforeEach(async () => {
  store = await seeded(open);
  context = contextOf(store);
});

const create = (id: number | string = 2): Note => context.create(Note, { ...keyOf(id), title: "new" });

describe.each(after)("%s: stored, and the answer was lost", (fault) => {
  beforeEach(() => {
    store.plan = writeFaults(fault);
  });

  test("an insert: the retry's refusal is no answer; read back, it is ours", async () => {
    const entity = create();

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(store.sent.flat().map((operation) => operation.type)).toEqual(["insert", "insert"]);
    expect(context.entry(entity)).toMatchObject({
      state: "unchanged",
      etag: (await row(store, 2))?.["odata.etag"],
      inDoubt: false,
    });
  });

  test("an update: the retry's refusal is no answer; read back, it is ours, once", async () => {
    const entity = await read(context);
    entity.pages++;

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await valuesIn(store)).toMatchObject({ pages: 2 });
    expect(context.entry(entity)).toMatchObject({
      state: "unchanged",
      etag: (await row(store))?.["odata.etag"],
    });
  });

  test("a delete: its row is gone", async () => {
    const entity = await read(context);
    context.remove(entity);

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", evidence: "gone" }]);
    expect([await row(store), context.entry(entity).state]).toEqual([undefined, "detached"]);
    expect(await context.saveChanges()).toEqual([]);
  });

  test("a delete, where only that it is gone matters", async () => {
    context.remove(await read(context));

    expect(await outcomesOf(context.saveChanges({ removeMissing: "ignore" }))).toEqual(["committed"]);
    expect([await row(store), context.size]).toEqual([undefined, 0]);
  });

  test("a transaction: its rows prove it whole", async () => {
    const first = await read(context);
    first.pages = 9;
    const second = create();
    const third = create(3);

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed", "committed", "committed"]);
    for (const [i, entity] of [first, second, third].entries())
      expect(context.entry(entity)).toMatchObject({
        state: "unchanged",
        etag: (await row(store, i + 1))?.["odata.etag"],
      });
  });

  test("a transaction of 30, read back by one range", async () => {
    for (let n = 10; n < 40; n++) create(n);
    const reads = store.reads.length;

    expect(new Set(await outcomesOf(context.saveChanges()))).toEqual(new Set(["committed"]));
    expect(store.reads.slice(reads)).toEqual(["query"]);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("a transaction of deletes: all are gone", async () => {
    const large = await seeded(open, 3);
    const other = contextOf(large);
    for (const n of [1, 2, 3]) other.remove(await read(other, n));
    large.plan = writeFaults(fault);

    expect(new Set(await outcomesOf(other.saveChanges()))).toEqual(new Set(["committed"]));
    expect(other.size).toBe(0);
  });

  test("an upsert: not sent again; read back, it is what was written", async () => {
    context.upsert(new Note({ ...keyOf(5), title: "upserted" }), "replace");

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(store.sent.length).toBe(1);
  });
});

describe.each(before)("%s: not stored, and no answer came", (fault) => {
  beforeEach(() => {
    store.plan = writeFaults(fault);
  });

  test("an insert, an update, a delete and a transaction: sent again, and stored once", async () => {
    create();
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    store.plan = writeFaults(fault);
    const entity = await read(context);
    entity.pages++;
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await valuesIn(store)).toMatchObject({ pages: 2 });
    store.plan = writeFaults(fault);
    for (const n of [7, 8]) create(n);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed", "committed"]);
    store.plan = writeFaults(fault);
    context.remove(entity);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await row(store)).toBeUndefined();
  });

  test("an upsert, or a change under any version: not sent again, and not known", async () => {
    const upserted = context.upsert(new Note({ ...keyOf(5), title: "upserted" }), "merge");

    expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown storage\./)]);
    expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown storage\./)]);
    expect([store.sent.length, context.entry(upserted).inDoubt]).toEqual([1, true]);
    context.detach(upserted);
    const attached = context.attach(new Note({ ...keyOf(1), title: "note 1" }), "*");
    attached.title = "edited";
    store.reset();
    store.plan = writeFaults(fault);
    expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown storage\./)]);
    expect(store.sent.length).toBe(1);
  });

  test("an upsert that is declared idempotent: sent again", async () => {
    context.upsert(new Note({ ...keyOf(5), title: "upserted" }), "merge", { idempotent: true });

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(store.sent.length).toBe(2);
  });
});

describe("somebody else wrote in between", () => {
  /** The first write fails, and then somebody else has their turn. */
  function meanwhile(fault: Fault, work: () => Promise<unknown>): void {
    let writes = 0;
    store.plan = ({ operations }) => (operations.length > 0 && ++writes === 1 ? fault : undefined);
    const write = store.storage.write.bind(store.storage);
    store.storage.write = async (...args) => {
      if (writes === 1) await work();
      return write(...args);
    };
  }

  test("an update that was not stored: a conflict that says it may have been, the old ETag kept", async () => {
    const entity = await read(context);
    const { etag } = context.entry(entity);
    entity.title = "mine";
    meanwhile("reset-before", () => changedBy(store, { title: "theirs" }));

    const error = await failure(context.saveChanges());
    expect(error.unknown).toMatchObject([{ error: { code: "conflict.etag", maybeApplied: true } }]);
    // Its version no longer exists, so the request cannot arrive any more: nothing more can be found out.
    expect(error.unknown[0]?.lateUntil).toBeUndefined();
    expect(context.entry(entity)).toMatchObject({ state: "modified", etag, inDoubt: false });
    store.plan = undefined;
    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
    await context.reload(entity);
    expect(context.entry(entity)).toMatchObject({ state: "unchanged", inDoubt: false });
    expect(entity.title).toBe("theirs");
  });

  test("an update that was stored, and overwritten: never told as rejected", async () => {
    const entity = await read(context);
    entity.title = "mine";
    meanwhile("reset-after", () => changedBy(store, { title: "theirs" }));

    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
  });

  test("an update that was stored, and another property changed since: ours, and theirs is taken over", async () => {
    const entity = await read(context);
    entity.title = "mine";
    meanwhile("reset-after", () => changedBy(store, { pages: 77 }));

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(entity).toMatchObject({ title: "mine", pages: 77 });
    expect(context.entry(entity)).toMatchObject({
      state: "unchanged",
      etag: (await row(store))?.["odata.etag"],
    });
  });

  test("an insert that vanished is not inserted again", async () => {
    create();
    let isGone = false;
    store.plan = writeFaults("reset-after");
    const get = store.storage.get.bind(store.storage);
    store.storage.get = async (...args) => {
      if (!isGone) await removedBy(store, 2);
      isGone = true;
      return get(...args);
    };

    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.exists"]);
    expect(await row(store, 2)).toBeUndefined();
  });

  test("an insert under a key that somebody else took: a conflict that says it may have been ours", async () => {
    create();
    meanwhile("reset-before", () => changedBy(store, { title: "theirs" }, 2));

    const error = await failure(context.saveChanges());
    expect(error.results[0]?.error).toBeInstanceOf(ConflictError);
    expect(error.results[0]).toMatchObject({
      outcome: "unknown",
      error: { reason: "exists", maybeApplied: true },
    });
    expect(await valuesIn(store, 2)).toMatchObject({ title: "theirs" });
  });

  test("a delete of what was changed or made anew: not known, and nothing is deleted", async () => {
    const entity = await read(context);
    const { etag } = context.entry(entity);
    context.remove(entity);
    meanwhile("reset-before", () => changedBy(store, { title: "theirs" }));

    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
    expect(context.entry(entity)).toMatchObject({ state: "deleted", etag });
    expect(await valuesIn(store)).toMatchObject({ title: "theirs" });
  });

  test("a transaction whose member somebody changed: rejected, since another row shows that nothing was stored", async () => {
    const large = await seeded(open, 2);
    const other = contextOf(large);
    for (const n of [1, 2]) (await read(other, n)).title = "mine";
    large.plan = writeFaults("reset-before");
    const transact = large.storage.transact.bind(large.storage);
    large.storage.transact = async (...args) => {
      if (large.sent.length === 1) await changedBy(large, { title: "theirs" }, 2);
      return transact(...args);
    };

    const error = await failure(other.saveChanges());
    expect(error.results.map((r) => [r.outcome, r.aborted === true])).toEqual([
      ["rejected", true],
      ["rejected", false],
    ]);
  });
});

describe("when the tries are used up", () => {
  test("the change is unknown, and the next save finds out before it sends", async () => {
    const patient = contextOf(store, once);
    const entity = await read(patient);
    entity.title = "mine";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : "refused");
    expect(await outcomesOf(patient.saveChanges())).toEqual(["unknown storage.timeout"]);
    expect(patient.entry(entity)).toMatchObject({ state: "modified", inDoubt: true });
    expect(patient.pendingChanges()).toMatchObject([{ entity: entity }]);
    store.plan = undefined;
    store.reset();

    expect(await outcomesOf(patient.saveChanges())).toEqual(["committed"]);
    expect([store.sent.length, store.reads]).toEqual([0, ["get"]]);
    expect(patient.entry(entity)).toMatchObject({ state: "unchanged", inDoubt: false });
  });

  test("what turns out not to be stored is sent by the next save", async () => {
    const patient = contextOf(store, once);
    const entity = await read(patient);
    entity.title = "mine";
    patient.create(Note, { ...keyOf(2), title: "new" });
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
    expect(await outcomesOf(patient.saveChanges())).toEqual([
      "unknown storage.timeout",
      "unknown storage.timeout",
    ]);
    store.plan = undefined;

    expect(await outcomesOf(patient.saveChanges())).toEqual(["committed", "committed"]);
    expect(await valuesIn(store)).toMatchObject({ title: "mine" });
    expect(await valuesIn(store, 2)).toMatchObject({ title: "new" });
  });

  test("a request that takes effect late is known for our own, and saved over", async () => {
    const patient = contextOf(store, once);
    const entity = await read(patient);
    entity.title = "first";
    store.plan = writeFaults("late");
    // The read-back sees the old row; the request takes effect right after it.
    expect(await outcomesOf(patient.saveChanges())).toEqual(["unknown storage.timeout"]);
    await (store.storage as FaultyStorage).settle();
    entity.title = "second";

    expect(await outcomesOf(patient.saveChanges())).toEqual(["committed"]);
    expect(await valuesIn(store)).toMatchObject({ title: "second" });
  });

  test("edits made after an unknown save are saved over it", async () => {
    const patient = contextOf(store, once);
    const entity = await read(patient);
    entity.title = "first";
    await saveUnanswered(store, patient);
    entity.pages = 5;
    await patient.saveChanges();

    expect(await valuesIn(store)).toMatchObject({ title: "first", pages: 5 });
    expect(patient.pendingChanges()).toEqual([]);
  });

  test("an entity that was removed after its insert became unknown is removed from the store", async () => {
    const patient = contextOf(store, once);
    const entity = patient.create(Note, { ...keyOf(2), title: "new" });
    await saveUnanswered(store, patient);
    patient.remove(entity);
    await patient.saveChanges();

    expect([await row(store, 2), patient.entry(entity).state]).toEqual([undefined, "detached"]);
  });

  test("a removal that became unknown and was stored: another instance under the key is inserted", async () => {
    const patient = contextOf(store, once);
    patient.remove(await read(patient));
    await saveUnanswered(store, patient);
    const other = patient.create(Note, { ...keyOf(1), title: "other" });
    await patient.saveChanges();

    expect(await valuesIn(store)).toMatchObject({ title: "other" });
    expect(patient.entry(other).state).toBe("unchanged");
  });

  test("a refused connection on every try: certainly not stored, never uncertain", async () => {
    const entity = create();
    store.plan = () => "refused";

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected storage.unreachable"]);
    expect(store.sent.length).toBe(3);
    expect(context.entry(entity)).toMatchObject({ state: "added", inDoubt: false });
    expect(((await failure(context.saveChanges())) as SaveError).results).toMatchObject([{ attempts: 3 }]);
  });

  test("throttled or busy, then fine: waits, and no doubt is left", async () => {
    const entity = create();
    store.plan = writeFaults("throttled", "busy-before");

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed", attempts: 3 }]);
    expect(context.entry(entity)).toMatchObject({ state: "unchanged", inDoubt: false });
  });

  test("an answer under the same condition disproves the earlier write: an equal row of somebody else's is no proof", async () => {
    const patient = contextOf(store, once);
    const entity = await read(patient);
    entity.title = "mine";
    patient.create(Note, { ...keyOf(2), title: "new" });
    await saveHeld(store, patient);
    await changedBy(store, { title: "new", pages: 0 }, 2);

    // The first is stored under its ETag, so the transaction never was: the second met somebody else's row.
    expect(await outcomesOf(patient.saveChanges({ batch: "none", concurrency: 1 }))).toEqual([
      "committed",
      "rejected conflict.exists",
    ]);
  });

  test("discard() and detach() give an unknown change up", async () => {
    const patient = contextOf(store, once);
    const entity = await read(patient);
    entity.title = "mine";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
    await failure(patient.saveChanges());
    store.plan = undefined;
    patient.discard(entity);

    expect(patient.entry(entity)).toMatchObject({ state: "unchanged", stale: true, inDoubt: false });
    expect(await patient.saveChanges()).toEqual([]);
  });
});
