import { type FaultyStorage, writeFaults } from "@partita/testing";
import { describe, expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  int32,
  json,
  openStorage,
  type SaveError,
  type StoredEntity,
  TableContext,
  text,
} from "../../../src/index.ts";
import {
  changedBy,
  contextOf,
  Cup,
  failure,
  keyOf,
  Note,
  openStore,
  outcomesOf,
  Pen,
  read,
  removedBy,
  row,
  seeded,
  type Store,
  valuesIn,
} from "./store.ts";

const open = (): Promise<Store> => openStore("memory:");
const once = { retry: { attempts: 1, delayMs: 0 } };
const land = async ({ storage }: Store): Promise<void> => (storage as FaultyStorage).settle();

/** One save whose request times out, to take effect when it lands. */
async function saveLate(store: Store, context: TableContext): Promise<void> {
  const plan = writeFaults("late");
  // Reading back must not let it land before the test wants it to.
  store.plan = (request) => (request.operations.length > 0 ? plan(request) : "refused");
  expect(await outcomesOf(context.saveChanges())).toContainEqual(expect.stringMatching(/^unknown/));
  store.plan = undefined;
}

/** One save whose request is stored while nothing of it is learnt. */
async function saveUnanswered(store: Store, context: TableContext): Promise<void> {
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : "refused");
  await failure(context.saveChanges());
  store.plan = undefined;
}

describe("requests that take effect late", () => {
  test("an unconditional member of a transaction is not sent without the condition that guarded it", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    const entity = await read(context);
    entity.pages = 2;
    const upserted = context.upsert(new Note({ ...keyOf(5), title: "u" }), "merge");
    // Held back by hand: a late fault would land with the next request.
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    upserted.title = "newer";

    expect(await outcomesOf(context.saveChanges({ only: [upserted] }))).toEqual(["unknown storage.timeout"]);
    expect(await row(store, 5)).toBeUndefined();
  });

  test("an instance that takes the key of an uncertain unconditional removal waits with it", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    context.removeByKey(Note, keyOf(), "*");
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    const other = context.create(Note, { ...keyOf(), title: "reborn" });

    const error = await failure(context.saveChanges());
    expect(error.results).toMatchObject([{ outcome: "unknown" }]);
    expect(error.results[0]?.entity).toBe(other);
    expect(await valuesIn(store)).toMatchObject({ title: "note 1" });
  });

  test("an entity that was removed after its insert became unknown is not forgotten while it may yet appear", async () => {
    const store = await open();
    const context = contextOf(store, once);
    const entity = context.create(Note, { ...keyOf(), title: "new" });
    await saveLate(store, context);
    await context.reload(entity).catch(() => undefined);
    if (context.entry(entity).state !== "detached") context.remove(entity);
    await land(store);
    await outcomesOf(context.saveChanges());

    expect([await row(store), context.entry(entity).state]).toEqual([undefined, "detached"]);
  });

  test("set back while a write is in doubt: what it holds is sent, and keeps the late one out", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    const entity = await read(context);
    entity.pages = 2;
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    const late = store.sent[0]?.[0] as never;
    entity.pages = 1;

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    await expect(store.inner.write("Notes", late)).rejects.toMatchObject({
      serviceCode: "UpdateConditionNotSatisfied",
    });
    expect(await valuesIn(store)).toMatchObject({ pages: 1 });
  });

  test("a read in between does not make a late write of our own a conflict", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    const entity = await read(context);
    entity.title = "first";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    await context.query(Note).where({ book: "b" }).merge("preserveChanges").toArray();
    expect(context.entry(entity).uncertain).toBe(true);
    await store.inner.write("Notes", store.sent[0]?.[0] as never);

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(context.entry(entity)).toMatchObject({
      state: "unchanged",
      etag: (await row(store))?.["odata.etag"],
    });
  });

  test("atomic stays atomic when a member meets a late write of its own", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    const entity = await read(context);
    entity.title = "first";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    const late = store.sent[0]?.[0] as never;
    entity.title = "second";
    context.create(Note, { ...keyOf(2), title: "new" });
    const transact = store.storage.transact.bind(store.storage);
    let hasLanded = false;
    store.storage.transact = async (...args) => {
      if (!hasLanded) await store.inner.write("Notes", late);
      hasLanded = true;
      return transact(...args);
    };

    expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual(["committed", "committed"]);
    expect(store.sent.slice(1).map((operations) => operations.length)).toEqual([2, 2]);
    expect(await valuesIn(store)).toMatchObject({ title: "second" });
  });
});

describe("unknown outcomes that are settled later", () => {
  test("of two doubts the newer, once proved, ends the older", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    const entity = await read(context);
    entity.title = "first";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    entity.title = "second";
    let reads = 0;
    // The next save reads the old row, then its own write is stored unanswered.
    store.plan = ({ operations }) =>
      operations.length > 0 ? "timeout-after" : ++reads === 1 ? undefined : "refused";
    await failure(context.saveChanges());
    store.plan = undefined;
    entity.pages = 5;

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await valuesIn(store)).toMatchObject({ title: "second", pages: 5 });
  });

  test("a removal that was stored, and two instances after it: the last one decides", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    context.remove(await read(context));
    await saveUnanswered(store, context);
    const second = context.create(Note, { ...keyOf(), title: "two" });
    context.remove(second);
    await context.saveChanges();
    expect(await row(store)).toBeUndefined();

    const again = await seeded(open);
    const other = contextOf(again, once);
    other.remove(await read(other));
    await saveUnanswered(again, other);
    other.remove(other.create(Note, { ...keyOf(), title: "two" }));
    other.create(Note, { ...keyOf(), title: "three" });
    await other.saveChanges();
    expect(await valuesIn(again)).toMatchObject({ title: "three" });
  });

  test("what was named by update() is not sent again once its write is proved", async () => {
    const store = await seeded(open);
    const context = contextOf(store, { ...once, tracking: "explicit" });
    const entity = await read(context);
    entity.title = "edited";
    context.update(entity, "title");
    await saveUnanswered(store, context);
    store.reset();

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(store.sent).toEqual([]);
  });

  test("a row of another kind is no proof", async () => {
    const store = await open();
    const context = contextOf(store, once);
    const pen = context.create(Pen, { ...keyOf(), title: "old" });
    await context.saveChanges();
    pen.title = "same";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    const theirs = contextOf(store);
    theirs.remove((await theirs.find(Pen, keyOf())) as Pen);
    await theirs.saveChanges();
    theirs.create(Cup, { ...keyOf(), title: "same" });
    await theirs.saveChanges();

    expect(await outcomesOf(context.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
  });

  test("an entity whose row is gone is inserted after reload(), not replaced for ever", async () => {
    const store = await seeded(open);
    const context = contextOf(store);
    context.remove(await read(context));
    const other = context.create(Note, { ...keyOf(), title: "other" });
    await removedBy(store);
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.missing"]);
    await context.reload(other);

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await valuesIn(store)).toMatchObject({ title: "other" });
  });

  test("a row that is gone is not added again from a part of it", async () => {
    const store = await seeded(open, 1, { hidden: true });
    const context = contextOf(store);
    const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
    await removedBy(store);
    (part as Note).title = "edited";

    await expect(context.resolveConflict(part as Note, "mine")).rejects.toMatchObject({
      code: "entity.not-loaded",
    });
    expect(await row(store)).toBeUndefined();
  });

  test("an answer without an ETag: the version is read before the next change, and a newer one is a conflict", async () => {
    const store = await seeded(open, 2);
    const context = contextOf(store);
    const [first, second] = [await read(context, 1), await read(context, 2)];
    const transact = store.storage.transact.bind(store.storage);
    store.storage.transact = async (...args) => (await transact(...args)).map(() => ({}));
    for (const note of [first, second]) note.title = "edited";
    await context.saveChanges();
    store.storage.transact = transact;
    expect(context.entry(first).etag).toBeUndefined();
    await changedBy(store, { pages: 50 }, 2);
    for (const note of [first, second]) note.title = "again";
    const other = context.create(Note, { ...keyOf(3), title: "new" });

    expect(await outcomesOf(context.saveChanges())).toEqual([
      "rejected conflict.etag",
      "committed",
      "committed",
    ]);
    expect([await valuesIn(store, 1), await valuesIn(store, 2)]).toMatchObject([
      { title: "again" },
      { title: "edited", pages: 50 },
    ]);
    expect(context.entry(other).state).toBe("unchanged");
  });

  test("an answer with too few results says nothing: the rows do", async () => {
    const store = await seeded(open, 2);
    const context = contextOf(store);
    for (const n of [1, 2]) (await read(context, n)).title = "edited";
    let calls = 0;
    store.storage.transact = async () => {
      calls++;
      return [];
    };

    expect(await outcomesOf(context.saveChanges())).toEqual([
      "unknown storage.malformed-answer",
      "unknown storage.malformed-answer",
    ]);
    expect(calls).toBe(3);
  });
});

describe("entities that are not wholly loaded", () => {
  test("modify() decides on the whole entity, also where only a part is tracked", async () => {
    const store = await seeded(open, 1, { weight: 41.5 });
    const context = contextOf(store);
    await context.query(Note).where({ book: "b" }).select("title").toArray();
    await context.modify(Note, keyOf(), (note) => void (note.weight = (note.weight ?? 0) + 1));
    expect(await valuesIn(store)).toMatchObject({ weight: 42.5 });

    const other = contextOf(store);
    other.attach(new Note({ ...keyOf(), title: "note 1" }), "*");
    await other.modify(Note, keyOf(), (note) => void (note.weight = (note.weight ?? 0) + 1));
    expect(await valuesIn(store)).toMatchObject({ weight: 43.5 });
  });

  test("find() reads what a projection left out", async () => {
    const store = await seeded(open, 1, { hidden: true });
    const context = contextOf(store);
    const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
    (part as Note).title = "edited";
    const whole = await read(context);

    expect(whole).toBe(part);
    expect(whole).toMatchObject({ title: "edited", pages: 1, hidden: true });
    whole.hidden = undefined;
    await context.saveChanges();
    expect(await valuesIn(store)).toEqual({ title: "edited", pages: 1 });
  });

  test("null for what was not loaded clears it, which needs the whole row", async () => {
    const store = await seeded(open, 1, { weight: 2 });
    const context = contextOf(store);
    const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
    (part as Note).weight = null as never;

    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected entity.not-loaded"]);
    context.discard(part as Note);
    context.update(part as Note, "weight");
    expect(await outcomesOf(context.saveChanges())).toEqual(["rejected entity.not-loaded"]);
    expect(await valuesIn(store)).toMatchObject({ weight: 2 });
  });
});

describe("explicit tracking", () => {
  test("sends what was named, and leaves other edits for later", async () => {
    const store = await seeded(open, 1, { weight: 2.5 });
    const context = contextOf(store, { tracking: "explicit" });
    const entity = await read(context);
    Object.assign(entity, { title: "edited", pages: 9, weight: undefined });
    context.update(entity, "title");
    await context.saveChanges();
    expect(await valuesIn(store)).toEqual({ title: "edited", pages: 1, weight: 2.5 });
    context.update(entity, "pages");
    await context.saveChanges();
    expect(await valuesIn(store)).toEqual({ title: "edited", pages: 9, weight: 2.5 });
  });

  test("modify() and updateAll() save what their callbacks change", async () => {
    const store = await seeded(open, 3);
    const context = contextOf(store, { tracking: "explicit" });
    await context.modify(Note, keyOf(), (note) => void (note.pages = 99));
    const progress = await context
      .query(Note)
      .where({ book: "b" })
      .updateAll((note) => void (note.title = "all"));

    expect(progress).toMatchObject({ written: 3 });
    expect(await valuesIn(store)).toEqual({ title: "all", pages: 99 });
  });

  test("update() during an insert counts for the next save", async () => {
    const store = await open();
    const context = contextOf(store, { tracking: "explicit" });
    const entity = context.create(Note, { ...keyOf(), title: "new" });
    const write = store.storage.write.bind(store.storage);
    store.storage.write = (...args) => {
      entity.title = "later";
      context.update(entity, "title");
      store.storage.write = write;
      return write(...args);
    };
    await context.saveChanges();
    await context.saveChanges();

    expect(await valuesIn(store)).toMatchObject({ title: "later" });
  });
});

describe("writing again what was not changed", () => {
  class Exact extends defineEntity({
    table: "Exacts",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: {
      at: dateTime().optional(),
      tags: json<unknown>().optional(),
      s: int32().storedAs("Edm.Int64").optional(),
      n: int32().optional(),
    },
  }) {}
  const stored = {
    PartitionKey: "b",
    RowKey: "1",
    at: "2020-01-01T00:00:05.1234567Z",
    "at@odata.type": "Edm.DateTime",
    tags: '{ "a": 1 }',
    s: "7",
    "s@odata.type": "Edm.Int64",
  };

  test.each<[string, (context: TableContext, entity: Exact) => void]>([
    ["update(e)", (context, entity) => context.update(entity)],
    ["remove(e), add(e)", (context, entity) => (context.remove(entity), context.add(entity))],
    ["an edit, replaced", (_context, entity) => (entity.n = 1)],
  ])("%s: every digit, type and space stays", async (name, change) => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Exact]);
    await storage.write("Exacts", { type: "insert", entity: stored });
    const context = new TableContext(storage);
    const entity = (await context.find(Exact, keyOf())) as Exact;
    change(context, entity);
    await context.saveChanges(name.endsWith("replaced") ? { update: "replace" } : {});

    const {
      Timestamp: _t,
      "odata.etag": _e,
      n: _n,
      ...now
    } = (await storage.get("Exacts", {
      partitionKey: "b",
      rowKey: "1",
    })) as StoredEntity;
    expect(now).toEqual(stored);
  });
});

describe("calls that overlap", () => {
  test("two modify() of one key in one context: both count", async () => {
    const store = await seeded(open);
    const context = contextOf(store);
    const increment = (): Promise<unknown> =>
      context.modify(Note, keyOf(), async (note) => {
        const { pages } = note;
        await new Promise((resolve) => setImmediate(resolve));
        note.pages = pages + 1;
      });
    await Promise.all([increment(), increment(), increment()]);

    expect(await valuesIn(store)).toMatchObject({ pages: 4 });
  });

  test("modify() whose change throws leaves nothing behind", async () => {
    const store = await seeded(open);
    const context = contextOf(store);
    const broken = context.modify(Note, keyOf(), (note) => {
      note.pages = 77;
      throw new Error("no");
    });
    await expect(broken).rejects.toThrow("no");

    expect(await context.saveChanges()).toEqual([]);
    expect((await read(context)).pages).toBe(1);
  });

  test("a reload that was asked for before a save does not undo it", async () => {
    const store = await seeded(open);
    const context = contextOf(store);
    const entity = await read(context);
    const get = store.storage.get.bind(store.storage);
    store.storage.get = async (...args) => {
      const found = await get(...args);
      store.storage.get = get;
      entity.pages = 77;
      await context.saveChanges();
      return found;
    };
    await context.reload(entity);

    expect(entity.pages).toBe(77);
    expect(context.entry(entity).etag).toBe((await row(store))?.["odata.etag"]);
  });

  test("only: an iterator that can be read once is read once", async () => {
    const store = await seeded(open);
    const context = contextOf(store);
    const entity = await read(context);
    entity.title = "edited";

    expect(await outcomesOf(context.saveChanges({ only: new Set([entity]).values() }))).toEqual([
      "committed",
    ]);
  });

  test("what changes while a validator runs is validated too", async () => {
    const store = await seeded(open);
    const seen: unknown[] = [];
    const context: TableContext = contextOf(store, {
      validate: async (entity) => {
        const note = entity as Note;
        seen.push(note.title);
        await new Promise((resolve) => setImmediate(resolve));
        if (seen.length === 1) {
          note.title = "sneaked in";
          context.create(Note, { ...keyOf(2), title: "added" });
        }
        return note.title === "sneaked in"
          ? [{ property: "title", message: "must not sneak" }]
          : (undefined as never);
      },
    });
    const entity = await read(context);
    entity.title = "edited";

    expect(await failure(context.saveChanges())).toMatchObject({ code: "save.invalid" });
    expect(store.sent).toEqual([]);
    entity.title = "fine";
    await context.saveChanges();
    expect(seen).toContain("added");
  });

  test("an entity that cannot take its answer does not keep others from theirs", async () => {
    class Marked extends defineEntity({
      table: "Marks",
      partitionKey: { book: text() },
      rowKey: { id: text() },
      properties: { title: text() },
      etagProperty: "etag",
    }) {
      declare etag?: string;
    }
    await using storage = await openStorage("memory:");
    await createTables(storage, [Marked]);
    // Frozen while it is on its way: before, it would be refused.
    const frozen = new Marked({ ...keyOf(1), title: "frozen" });
    const context = new TableContext(storage, { hooks: { sending: () => void Object.freeze(frozen) } });
    context.add(frozen);
    const other = context.create(Marked, { ...keyOf(2), title: "other" });

    const error: SaveError = await failure(context.saveChanges());
    expect(error.results.map((r) => r.outcome)).toEqual(["committed", "committed"]);
    expect([context.entry(frozen).state, context.entry(other).state]).toEqual(["unchanged", "unchanged"]);
    expect(other.etag).toBe(context.entry(other).etag);
    expect(await context.saveChanges()).toEqual([]);
  });
});

describe("a second look", () => {
  test("update() of a property that is on its way counts for the next save", async () => {
    const store = await seeded(open);
    const context = contextOf(store, { tracking: "explicit" });
    const entity = await read(context);
    entity.title = "a";
    context.update(entity, "title");
    const write = store.storage.write.bind(store.storage);
    store.storage.write = (...args) => {
      store.storage.write = write;
      entity.title = "b";
      context.update(entity, "title");
      return write(...args);
    };
    await context.saveChanges();
    await context.saveChanges();
    expect(await valuesIn(store)).toMatchObject({ title: "b" });

    const other = contextOf(store, { ...once, tracking: "explicit" });
    const again = await read(other);
    again.title = "c";
    other.update(again, "title");
    await saveUnanswered(store, other);
    again.title = "d";
    other.update(again, "title");
    await other.saveChanges();
    expect(await valuesIn(store)).toMatchObject({ title: "d" });
  });

  test("a row that was only read again is not inserted when a removal in doubt turns out to be done", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    const entity = await read(context);
    context.remove(entity);
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    await context.reload(entity);
    await removedBy(store);
    await outcomesOf(context.saveChanges());

    expect(await row(store)).toBeUndefined();
    expect(context.entry(entity)).toMatchObject({ state: "unchanged", stale: true });
  });

  test("reload with preserveChanges keeps what a new entity holds over the row that took its key", async () => {
    const store = await seeded(open, 1, { hidden: true });
    const context = contextOf(store);
    const entity = context.create(Note, { ...keyOf(), title: "mine" });
    await failure(context.saveChanges());
    await context.reload(entity, { mergeOption: "preserveChanges" });
    await context.saveChanges();

    expect(await valuesIn(store)).toMatchObject({ title: "mine", hidden: true });
  });

  test("atomic: nothing is sent while one of its entities cannot be", async () => {
    const store = await seeded(open);
    const context = contextOf(store, once);
    context.upsert(new Note({ ...keyOf(5), title: "u" }), "merge");
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    context.create(Note, { ...keyOf(6), title: "new" });

    expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual([
      "unknown storage.timeout",
      "rejected storage.not-sent",
    ]);
    expect(await row(store, 6)).toBeUndefined();
  });

  test("rows of the same version fill in what a projection left out, whatever query reads them", async () => {
    const store = await seeded(open, 2, { hidden: true });
    const context = contextOf(store);
    const [first] = (await context.query(Note).where({ book: "b" }).select("title").toArray()) as Note[];
    (first as Note).title = "edited";
    await context.query(Note).where({ book: "b" }).select("pages").toArray();
    expect(first).toMatchObject({ title: "edited", pages: 1, hidden: undefined });
    await context.query(Note).where({ book: "b" }).toArray();

    expect(first).toMatchObject({ title: "edited", pages: 1, hidden: true });
    expect(context.entry(first as Note)).toMatchObject({ notLoaded: [], changedProperties: ["title"] });
  });

  test("removed while its insert may yet appear, and reloaded: the removal stands", async () => {
    const store = await open();
    const context = contextOf(store, once);
    const entity = context.create(Note, { ...keyOf(), title: "new" });
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    context.remove(entity);
    await context.reload(entity);
    expect(context.entry(entity).state).toBe("deleted");
    await store.inner.write("Notes", store.sent[0]?.[0] as never);
    await context.saveChanges();

    expect(await row(store)).toBeUndefined();
  });

  test("updateAll: one refused row does not hide the others, and what stopped it is told with what was done", async () => {
    const store = await seeded(open, 4);
    const context = contextOf(store, {
      hooks: {
        saving: (entity) => {
          if ((entity as Note).id === "2") throw new Error("not this one");
        },
      },
    });
    const bulk = (): Promise<unknown> =>
      context
        .query(Note)
        .where({ book: "b" })
        .updateAll((note) => void (note.pages += 10));

    const error = await failure(bulk());
    expect(error.results.map((r) => r.outcome)).toContain("rejected");
    expect([await valuesIn(store, 1), await valuesIn(store, 2), await valuesIn(store, 4)]).toMatchObject([
      { pages: 11 },
      { pages: 2 },
      { pages: 14 },
    ]);
  });

  test("deleteAll that is cut short says how far it came", async () => {
    const store = await open();
    for (let from = 0; from < 1500; from += 100)
      await store.inner.transact(
        "Notes",
        Array.from({ length: 100 }, (_, i) => ({
          type: "insert" as const,
          entity: { PartitionKey: "b", RowKey: String(from + i).padStart(5, "0"), title: "x" },
        })),
      );
    const cancel = new AbortController();
    const cut = contextOf(store)
      .query(Note)
      .where({ book: "b" })
      .deleteAll({ signal: cancel.signal, onProgress: () => cancel.abort() });

    expect(await failure(cut)).toMatchObject({
      code: "save.stopped",
      message: expect.stringMatching(/^Stopped after 1000 rows, of which 1000 were written/) as string,
    });
  });

  test("a validator that changes what it validates is told of", async () => {
    const store = await seeded(open);
    let n = 0;
    const context = contextOf(store, {
      validate: (entity) => {
        (entity as Note).editedOn = new Date(n++);
        return [];
      },
    });
    (await read(context)).title = "edited";

    const error = await failure(context.saveChanges());
    expect(error.cause).toMatchObject({ code: "entity.changed-by-validator" });
    expect(store.sent).toEqual([]);
  });

  test("a property that throws, and a validator that throws, are told of their entity", async () => {
    const store = await seeded(open, 2);
    const context = contextOf(store, {
      validate: (entity) => {
        if ((entity as Note).title === "odd") throw new Error("cannot judge");
        return [];
      },
    });
    const [first, second] = [await read(context, 1), await read(context, 2)];
    second.title = "odd";
    expect(await failure(context.saveChanges())).toMatchObject({
      code: "save.invalid",
      message: expect.stringMatching(/"2"\) was not saved: cannot judge/) as string,
    });
    second.title = "even";
    Object.defineProperty(first, "weight", {
      get: () => {
        throw new Error("no weight");
      },
    });
    expect(await failure(context.saveChanges())).toMatchObject({
      code: "save.invalid",
      message: expect.stringMatching(/"1"\) was not saved: no weight/) as string,
    });
    await context.saveChanges({ only: [second] });
    expect(await valuesIn(store, 2)).toMatchObject({ title: "even" });
  });

  test("only: an entity that is let go and added again before the save begins is saved", async () => {
    const store = await open();
    const context = contextOf(store);
    const [first, second] = [1, 2].map((n) => context.create(Note, { ...keyOf(n), title: "new" })) as [
      Note,
      Note,
    ];
    const saves = [context.saveChanges({ only: [first] }), context.saveChanges({ only: [second] })];
    context.detach(second);
    context.add(second);
    await Promise.all(saves);

    expect(await valuesIn(store, 2)).toMatchObject({ title: "new" });
  });

  test("a row this context has removed does not come back from a page that was read before", async () => {
    const store = await seeded(open, 3);
    const context = contextOf(store);
    const rows = context.query(Note).where({ book: "b" })[Symbol.asyncIterator]();
    await rows.next();
    context.removeByKey(Note, keyOf(3), "*");
    await context.saveChanges();
    const rest: string[] = [];
    for await (const note of { [Symbol.asyncIterator]: () => rows }) rest.push(note.id);

    expect(rest).toEqual(["2"]);
    context.create(Note, { ...keyOf(3), title: "anew" });
    await context.saveChanges();
    expect((await context.query(Note).where({ book: "b" }).toArray()).length).toBe(3);
  });

  test("keeping a late write out writes nothing that was not there", async () => {
    const store = await open();
    await store.inner.write("Notes", {
      type: "insert",
      entity: { PartitionKey: "b", RowKey: "1", title: "x" },
    });
    const context = contextOf(store, once);
    const entity = await read(context);
    entity.title = "y";
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : "refused");
    await failure(context.saveChanges());
    store.plan = undefined;
    entity.title = "x";
    await context.saveChanges();

    expect(await valuesIn(store)).toEqual({ title: "x" });
  });

  test("modify() inside modify() is refused instead of waiting for itself", async () => {
    const store = await seeded(open, 2);
    const context = contextOf(store);
    const nested = context.modify(Note, keyOf(1), async () => {
      await context.modify(Note, keyOf(2), () => undefined);
    });

    await expect(nested).rejects.toMatchObject({ code: "context.reentrant-save" });
  });
});

describe("what a newcomer ran into", () => {
  test("resolve asks about an edit of what was never loaded, if the stored value is another one", async () => {
    const store = await seeded(open, 1, { weight: 2.5 });
    const context = contextOf(store);
    const [part] = (await context.query(Note).where({ book: "b" }).select("title").toArray()) as Note[];
    (part as Note).weight = 7.5;
    await changedBy(store, { pages: 9 });
    await failure(context.saveChanges());
    const asked: unknown[] = [];
    await context.resolveConflict(part as Note, async (conflict) => {
      asked.push(conflict);
      await Promise.resolve();
      return { value: 4.25 };
    });
    await context.saveChanges();

    expect(asked).toEqual([{ property: "weight", base: undefined, mine: 7.5, theirs: 2.5 }]);
    expect(await valuesIn(store)).toMatchObject({ weight: 4.25, pages: 9 });
  });

  test("resolve refuses what is no choice, and to choose by property where one side is a removal", async () => {
    const store = await seeded(open, 3);
    const context = contextOf(store);
    const [first, second, third] = [await read(context, 1), await read(context, 2), await read(context, 3)];
    for (const note of [first, second]) note.title = "mine";
    context.remove(third);
    await changedBy(store, { title: "theirs" }, 1);
    await removedBy(store, 2);
    const choose = (): never => "ours" as never;

    await expect(context.resolveConflict(first, choose)).rejects.toMatchObject({ code: "context.option" });
    await expect(context.resolveConflict(second, choose)).rejects.toMatchObject({
      code: "entity.nothing-to-choose",
    });
    await expect(context.resolveConflict(third, choose)).rejects.toMatchObject({
      code: "entity.nothing-to-choose",
    });
    expect(context.entry(third).state).toBe("deleted");
  });

  test("what a saving hook adds is saved along, with only, modify and updateAll too", async () => {
    const store = await seeded(open, 2);
    let n = 0;
    const context = contextOf(store, {
      hooks: {
        saving: (entity, _state, saving) => {
          const note = entity as Note;
          if (note.book === "b")
            saving.add(
              new Note({
                ...keyOf(`log-${n++}`, "logs"),
                title: saving.entry(note).changedProperties.join(),
              }),
            );
        },
      },
    });
    const note = await read(context);
    note.title = "edited";
    await context.saveChanges({ only: [note] });
    await context.modify(Note, keyOf(), (one) => void one.pages++);
    await context
      .query(Note)
      .where({ book: "b" })
      .updateAll((one) => void (one.weight = 1.5));

    const logs = await contextOf(store).query(Note).where({ book: "logs" }).toArray();
    expect(logs.map((log) => log.title)).toEqual(["title", "pages", "weight", "weight"]);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("wrong options are refused where they are given", async () => {
    const context = contextOf(await seeded(open));
    const query = context.query(Note).where({ book: "b" });

    await expect(query.page({ size: 1, next: "x" } as never)).rejects.toMatchObject({
      code: "context.option",
    });
    expect(() => query.updateAll(undefined as never)).toThrow(/takes a function/);
    for (const options of [{ only: {} }, { continueOnError: "no" }])
      await expect(context.saveChanges(options as never)).rejects.toMatchObject({ code: "context.option" });
    expect(() => writeFaults("broken" as never)).toThrow(/There is no fault "broken"/);
  });
});

test("20,000 clean entities: a save sends nothing", async () => {
  const store = await open();
  const rows = (from: number): { type: "insert"; entity: StoredEntity }[] =>
    Array.from({ length: 100 }, (_, i) => ({
      type: "insert",
      entity: { PartitionKey: "b", RowKey: String(from + i), title: "x", tags: "[1]" },
    }));
  for (let from = 0; from < 20_000; from += 100) await store.inner.transact("Notes", rows(from));
  const context = contextOf(store);
  const notes = await context.query(Note).where({ book: "b" }).toArray();
  store.reset();

  expect(notes.length).toBe(20_000);
  expect(await context.saveChanges()).toEqual([]);
  expect([store.sent.length, store.reads.length]).toEqual([0, 0]);
});

test("modify() reads what an attached entity only claims to know", async () => {
  const store = await open();
  const context = contextOf(store);
  context.add(new Note({ book: "b", id: "1", title: "stored", pages: 10 }));
  await context.saveChanges();
  const other = contextOf(store);
  const note = other.attach(new Note({ book: "b", id: "1", title: "x", pages: 0 }), "*");
  note.title = "changed";
  await other.saveChanges();

  await other.modify(Note, { book: "b", id: "1" }, (found) => {
    found.pages++;
  });
  expect(note).toMatchObject({ pages: 11, title: "changed" });
});
