import { describe, expect, test } from "vitest";
import { type EntityState, type TableContext } from "../../../src/index.ts";
import {
  codeOf,
  contextOf,
  Cup,
  failure,
  keyOf,
  Note,
  type OpenStore,
  outcomesOf,
  Pen,
  read,
  row,
  seeded,
  type Store,
  valuesIn,
} from "./store.ts";

const note = (id: number | string = 1, title = "new"): Note => new Note({ ...keyOf(id), title });

/** A context with one entity in the state. */
async function inState(
  open: OpenStore,
  state: EntityState,
): Promise<{ store: Store; context: TableContext; entity: Note }> {
  const isStored = state === "unchanged" || state === "modified" || state === "deleted";
  const store = isStored ? await seeded(open) : await open();
  const context = contextOf(store);
  const entity = isStored ? await read(context) : note();
  if (state === "added") context.add(entity);
  if (state === "upsert") context.upsert(entity, "merge");
  if (state === "modified") entity.title = "edited";
  if (state === "deleted") context.remove(entity);
  expect(context.entry(entity).state).toBe(state);
  store.reset();
  return { store, context, entity };
}

const refused = (code: string): { readonly code: string } => ({ code });
const wrong = refused("entity.wrong-state");
const untracked = refused("entity.not-tracked");

/** Every cell of the table of states: the state after an operation, or the code of its error. */
const table: Readonly<
  Record<
    string,
    {
      run: (c: TableContext, e: Note) => unknown;
      cells: Readonly<Partial<Record<EntityState, EntityState | { readonly code: string }>>>;
    }
  >
> = {
  "add(e)": {
    run: (c, e) => c.add(e),
    cells: {
      detached: "added",
      added: "added",
      unchanged: wrong,
      modified: wrong,
      deleted: "modified",
      upsert: wrong,
    },
  },
  "attach(e, etag)": {
    run: (c, e) => c.attach(e, 'W/"1"'),
    cells: {
      detached: "unchanged",
      added: wrong,
      unchanged: wrong,
      modified: wrong,
      deleted: wrong,
      upsert: wrong,
    },
  },
  "attach(e) without ETag": {
    run: (c, e) => c.attach(e, undefined as never),
    cells: {
      detached: refused("entity.missing-etag"),
      added: wrong,
      unchanged: wrong,
      modified: wrong,
      deleted: wrong,
      upsert: wrong,
    },
  },
  'upsert(e, "merge")': {
    run: (c, e) => c.upsert(e, "merge"),
    cells: {
      detached: "upsert",
      added: wrong,
      unchanged: wrong,
      modified: wrong,
      deleted: wrong,
      upsert: wrong,
    },
  },
  "assigning a property": {
    run: (_c, e) => (e.title = "assigned"),
    cells: {
      detached: "detached",
      added: "added",
      unchanged: "modified",
      modified: "modified",
      deleted: "deleted",
      upsert: "upsert",
    },
  },
  "setting it back": {
    run: (_c, e) => (e.title = "note 1"),
    cells: { unchanged: "unchanged", modified: "unchanged", deleted: "deleted" },
  },
  "update(e)": {
    run: (c, e) => c.update(e),
    cells: {
      detached: untracked,
      added: "added",
      unchanged: "modified",
      modified: "modified",
      deleted: wrong,
      upsert: "upsert",
    },
  },
  "remove(e)": {
    run: (c, e) => c.remove(e),
    cells: {
      detached: untracked,
      added: "detached",
      unchanged: "deleted",
      modified: "deleted",
      deleted: "deleted",
      upsert: wrong,
    },
  },
  "detach(e)": {
    run: (c, e) => c.detach(e),
    cells: {
      detached: "detached",
      added: "detached",
      unchanged: "detached",
      modified: "detached",
      deleted: "detached",
      upsert: "detached",
    },
  },
  "discard(e)": {
    run: (c, e) => c.discard(e),
    cells: {
      detached: untracked,
      added: "detached",
      unchanged: "unchanged",
      modified: "unchanged",
      deleted: "unchanged",
      upsert: "detached",
    },
  },
  "reload(e) of a stored entity": {
    run: (c, e) => c.reload(e),
    cells: { detached: untracked, unchanged: "unchanged", modified: "unchanged", deleted: "unchanged" },
  },
  "reload(e) of an entity that is not stored": {
    run: (c, e) => c.reload(e),
    cells: { added: "added", upsert: "upsert" },
  },
  "saveChanges(), committed": {
    run: (c) => c.saveChanges(),
    cells: {
      detached: "detached",
      added: "unchanged",
      unchanged: "unchanged",
      modified: "unchanged",
      deleted: "detached",
      upsert: "unchanged",
    },
  },
};

export function stateCases(open: OpenStore): void {
  describe("the table of states", () => {
    const cells = Object.entries(table).flatMap(([operation, { run, cells }]) =>
      Object.entries(cells).map(([state, after]) => ({ operation, run, state: state as EntityState, after })),
    );
    test.each(cells)("$operation on $state", async ({ run, state, after }) => {
      const { context, entity } = await inState(open, state);
      const perform = async (): Promise<unknown> => run(context, entity);

      const code = await perform().then(
        () => undefined,
        (error: { code: string }) => error.code,
      );

      const isRefused = typeof after === "object";
      expect({ code, state: context.entry(entity).state }).toEqual({
        code: isRefused ? after.code : undefined,
        state: isRefused ? state : after,
      });
    });

    test.each<[EntityState, string]>([
      ["added", "rejected conflict.exists"],
      ["modified", "rejected conflict.etag"],
      ["deleted", "rejected conflict.etag"],
    ])("a rejected save leaves %s as it was, with the reason and the old ETag", async (state, outcome) => {
      const { store, context, entity } = await inState(open, state);
      const { etag } = context.entry(entity);
      await store.inner.write("Notes", {
        type: "upsert-merge",
        entity: { PartitionKey: "b", RowKey: "1", pages: 99 },
      });

      expect(await outcomesOf(context.saveChanges())).toEqual([outcome]);

      const entry = context.entry(entity);
      expect([entry.state, entry.etag]).toEqual([state, etag]);
      expect(entry.lastError).toMatchObject({ code: outcome.split(" ")[1] });
      expect(await valuesIn(store)).toMatchObject({ pages: 99 });
    });

    test.each<EntityState>(["unchanged", "modified", "deleted"])(
      "reload(e) of %s lets it go when it is gone",
      async (state) => {
        const { store, context, entity } = await inState(open, state);
        await store.inner.write("Notes", {
          type: "delete",
          key: { partitionKey: "b", rowKey: "1" },
          etag: "*",
        });

        await context.reload(entity);

        expect(context.entry(entity).state).toBe("detached");
      },
    );

    test.each<EntityState>(["added", "upsert"])(
      "reload(e) of %s takes over what is stored",
      async (state) => {
        const { store, context, entity } = await inState(open, state);
        await store.inner.write("Notes", {
          type: "insert",
          entity: { PartitionKey: "b", RowKey: "1", title: "theirs", pages: 7 },
        });

        await context.reload(entity);

        expect(context.entry(entity).state).toBe("unchanged");
        expect(entity).toMatchObject({ title: "theirs", pages: 7 });
      },
    );

    test("detach() says whether the entity was tracked", async () => {
      const { context, entity } = await inState(open, "added");

      expect([context.detach(entity), context.detach(entity)]).toEqual([true, false]);
    });
  });

  describe("states and identity", () => {
    test("a new entity, added: no request, one entity tracked", async () => {
      const { store, context } = await inState(open, "added");

      expect([store.sent.length, store.reads.length, context.size]).toEqual([0, 0, 1]);
    });

    test("an added entity, removed: detached, and a save sends nothing", async () => {
      const { store, context, entity } = await inState(open, "added");
      context.remove(entity);

      expect(await context.saveChanges()).toEqual([]);
      expect(store.sent).toEqual([]);
    });

    test("an added entity, added again: one insert", async () => {
      const { store, context, entity } = await inState(open, "added");
      context.add(entity);
      await context.saveChanges();

      expect(store.sent).toMatchObject([[{ type: "insert" }]]);
    });

    test.each<EntityState>(["unchanged", "added"])(
      "another instance added under the key of one that is %s: duplicate key, at once",
      async (state) => {
        const { context } = await inState(open, state);

        expect(codeOf(() => context.add(note()))).toBe("entity.duplicate-key");
      },
    );

    test("another instance attached under the key of an added one: duplicate key", async () => {
      const { context } = await inState(open, "added");

      expect(codeOf(() => context.attach(note(), 'W/"1"'))).toBe("entity.duplicate-key");
      expect(codeOf(() => context.upsert(note(), "merge"))).toBe("entity.duplicate-key");
      expect(codeOf(() => context.removeByKey(Note, keyOf(), "*"))).toBe("entity.duplicate-key");
    });

    test("another instance added under the key of a removed one: one replace under the old ETag", async () => {
      const { store, context, entity } = await inState(open, "deleted");
      const { etag } = context.entry(entity);
      const other = context.add(note(1, "other"));
      await context.saveChanges();

      expect(store.sent).toMatchObject([[{ type: "replace", etag, entity: { title: "other" } }]]);
      expect([context.entry(entity).state, context.entry(other).state]).toEqual(["detached", "unchanged"]);
    });

    test("an entity that had taken a removed one's key, let go again: the removal still stands", async () => {
      for (const release of ["detach", "discard", "remove"] as const) {
        const { store, context, entity } = await inState(open, "deleted");
        const other = context.add(note(1, "other"));
        context[release](other);

        expect(context.entry(entity).state).toBe("deleted");
        await context.saveChanges();
        expect(await row(store)).toBeUndefined();
      }
    });

    test("an entity nobody tracks: update() and remove() fail alike", async () => {
      const context = contextOf(await open());

      for (const call of [() => context.update(note()), () => context.remove(note())])
        expect(codeOf(call)).toBe("entity.not-tracked");
    });

    test("a modified entity, removed: only the delete is sent, under the ETag", async () => {
      const { store, context, entity } = await inState(open, "modified");
      const { etag } = context.entry(entity);
      context.remove(entity);
      await context.saveChanges();

      expect(store.sent).toEqual([[{ type: "delete", key: { partitionKey: "b", rowKey: "1" }, etag }]]);
    });

    test("an entity attached under any version: edits are merged, and none is inserted", async () => {
      const store = await open();
      const context = contextOf(store);
      const entity = context.attach(note(), "*");
      entity.title = "edited";

      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.missing"]);
      expect(store.sent).toMatchObject([[{ type: "merge", etag: "*", entity: { title: "edited" } }]]);
      expect(await row(store)).toBeUndefined();
    });

    test("an attached entity: what had no value is not loaded, and is sent once it has one", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const etag = (await row(store))?.["odata.etag"] as string;
      const entity = context.attach(note(1, "note 1"), etag);

      expect(context.entry(entity)).toMatchObject({ state: "unchanged", etag });
      expect(context.entry(entity).notLoaded).toContain("hidden");
      entity.weight = 2;
      await context.saveChanges();
      expect(await valuesIn(store)).toMatchObject({ title: "note 1", weight: 2, hidden: true });
    });

    test("an upsert: no condition, created or merged", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      context.upsert(note(1, "merged"), "merge");
      context.upsert(note(2, "created"), "replace");
      await context.saveChanges({ batch: "none" });

      expect(store.sent.flat().map((operation) => [operation.type, "etag" in operation])).toEqual([
        ["upsert-merge", false],
        ["upsert-replace", false],
      ]);
      expect(await valuesIn(store, 1)).toMatchObject({ title: "merged", hidden: true });
      expect(await valuesIn(store, 2)).toMatchObject({ title: "created" });
    });

    test("a changed RowKey: refused, nothing sent", async () => {
      const { store, context, entity } = await inState(open, "unchanged");
      entity.id = "2";

      expect(context.entry(entity).state).toBe("modified");
      const error = await failure(context.saveChanges());
      expect(error.code).toBe("save.invalid");
      expect(error.cause).toMatchObject({ code: "entity.key-changed" });
      expect(store.sent).toEqual([]);
      context.discard(entity);
      expect(entity.id).toBe("1");
    });

    test("keys with commas, quotes and spaces: one identity", async () => {
      const store = await open();
      const context = contextOf(store);
      const key = { book: "a, b 'c'", id: "b c'(1)" };
      const entity = context.create(Note, { ...key, title: "x" });
      await context.saveChanges();

      expect(await context.find(Note, key)).toBe(entity);
      const [queried] = await context.query(Note).where({ book: key.book }).toArray();
      expect(queried).toBe(entity);
    });

    test("a null key or a control character: refused before any request", async () => {
      const store = await open();
      const context = contextOf(store);

      for (const id of [null, undefined, "a\u0000b"]) {
        const entity = Object.assign(note(), { id });
        for (const call of [
          () => context.add(entity),
          () => context.attach(entity, "*"),
          () => context.upsert(entity, "merge"),
        ])
          expect(codeOf(call)).toMatch(/^key\./);
      }
      expect([store.sent.length, store.reads.length, context.size]).toEqual([0, 0, 0]);
    });

    test("three rows, one taken: one tracked", async () => {
      const context = contextOf(await seeded(open, 3));
      for await (const _note of context.query(Note).where({ book: "b" })) break;

      expect(context.size).toBe(1);
    });

    test("another kind under the key: refused by find, query and reload", async () => {
      const store = await open();
      const [mine, theirs] = [contextOf(store), contextOf(store)];
      const pen = mine.create(Pen, { ...keyOf(), colour: "red" });
      await mine.saveChanges();
      await expect(mine.find(Cup, keyOf())).rejects.toMatchObject({ code: "kind.mismatch" });
      await expect(theirs.find(Cup, keyOf())).rejects.toMatchObject({ code: "kind.mismatch" });
      theirs.remove((await theirs.find(Pen, keyOf())) as Pen);
      await theirs.saveChanges();
      theirs.create(Cup, { ...keyOf(), size: 1 });
      await theirs.saveChanges();

      await expect(mine.reload(pen)).rejects.toMatchObject({ code: "kind.mismatch" });
      await expect(mine.query([Pen, Cup]).where({ book: "b" }).toArray()).rejects.toMatchObject({
        code: "kind.mismatch",
      });
    });

    test("a removal by key: a delete under the version that was named", async () => {
      const store = await seeded(open, 2);
      const context = contextOf(store);
      const etag = (await row(store, 1))?.["odata.etag"] as string;
      context.removeByKey(Note, keyOf(1), etag);
      context.removeByKey(Note, keyOf(2), "*");
      expect(codeOf(() => context.removeByKey(Note, keyOf(3), ""))).toBe("entity.missing-etag");
      await context.saveChanges();

      expect(await context.query(Note).where({ book: "b" }).count()).toBe(0);
      expect(context.size).toBe(0);
    });
  });
}
