import { describe, expect, test } from "vitest";
import type {
  EntityEntry,
  EntityState,
  MergeOption,
  ConflictResolution,
  TableContext,
} from "../../../src/index.ts";
import {
  changedBy,
  contextOf,
  keyOf,
  Note,
  type OpenStore,
  outcomesOf,
  read,
  row,
  seeded,
  type Store,
  valuesIn,
} from "./store.ts";

type Tracked = "none" | Exclude<EntityState, "detached" | "upsert">;

interface Cell {
  /** Members of the entry after the row has come. */
  readonly entry: Partial<Pick<EntityEntry, "state" | "stale" | "existsInStorage">>;
  readonly etag: "old" | "new" | "none";
  readonly values: object;
}

/** The row is now titled "theirs" with 50 pages; a modified entity has the title "mine". */
const untouched = (state: EntityState, title: string): Cell => ({
  entry: { state, stale: true },
  etag: "old",
  values: { title, pages: 1 },
});
const refreshed = (state: EntityState): Cell => ({
  entry: { state, stale: false },
  etag: "new",
  values: { title: "theirs", pages: 50 },
});
const added: Cell = {
  entry: { state: "added", existsInStorage: true },
  etag: "none",
  values: { title: "mine", pages: 0 },
};
const merged: Cell = {
  entry: { state: "modified", stale: false },
  etag: "new",
  values: { title: "mine", pages: 50 },
};

const table: Readonly<Record<Tracked, Readonly<Record<Exclude<MergeOption, "noTracking">, Cell>>>> = {
  none: {
    appendOnly: refreshed("unchanged"),
    preserveChanges: refreshed("unchanged"),
    overwriteChanges: refreshed("unchanged"),
  },
  unchanged: {
    appendOnly: untouched("unchanged", "note 1"),
    preserveChanges: refreshed("unchanged"),
    overwriteChanges: refreshed("unchanged"),
  },
  modified: {
    appendOnly: untouched("modified", "mine"),
    preserveChanges: merged,
    overwriteChanges: refreshed("unchanged"),
  },
  deleted: {
    appendOnly: untouched("deleted", "note 1"),
    preserveChanges: refreshed("deleted"),
    overwriteChanges: refreshed("unchanged"),
  },
  added: { appendOnly: added, preserveChanges: added, overwriteChanges: added },
};

async function tracked(
  open: OpenStore,
  state: Tracked,
): Promise<{
  store: Store;
  context: TableContext;
  entity: Note | undefined;
  etags: [string | undefined, string];
}> {
  const store = state === "added" ? await open() : await seeded(open);
  const context = contextOf(store);
  const entity =
    state === "none"
      ? undefined
      : state === "added"
        ? context.create(Note, { ...keyOf(), title: "mine" })
        : await read(context);
  if (state === "modified") (entity as Note).title = "mine";
  if (state === "deleted") context.remove(entity as Note);
  const old = entity === undefined ? undefined : context.entry(entity).etag;
  return { store, context, entity, etags: [old, await changedBy(store, { title: "theirs", pages: 50 })] };
}

export function mergeCases(open: OpenStore): void {
  describe("the table of merge options", () => {
    const cells = Object.entries(table).flatMap(([state, options]) =>
      Object.entries(options).map(([option, cell]) => ({
        state: state as Tracked,
        option: option as MergeOption,
        cell,
      })),
    );
    test.each(cells)("$state, $option", async ({ state, option, cell }) => {
      const { context, entity, etags } = await tracked(open, state);

      const [found] = await context.query(Note).where({ book: "b" }).mergeOption(option).toArray();

      expect(found).toBe(entity ?? found);
      const entry = context.entry(found as Note);
      expect(entry).toMatchObject(cell.entry);
      expect(entry.etag).toBe(cell.etag === "none" ? undefined : etags[cell.etag === "old" ? 0 : 1]);
      expect(found).toMatchObject(cell.values);
      expect(context.size).toBe(1);
    });

    test.each<Tracked>(["none", "unchanged", "modified", "deleted", "added"])(
      "%s, noTracking: a separate instance, and nothing else changes",
      async (state) => {
        const { context, entity } = await tracked(open, state);
        const look = (): unknown => entity && [entity.title, entity.pages, context.entry(entity).state];
        const before = look();

        const [found] = await context.query(Note).where({ book: "b" }).mergeOption("noTracking").toArray();

        expect(found).toBeInstanceOf(Note);
        expect(found).not.toBe(entity);
        expect(found).toMatchObject({ title: "theirs", pages: 50 });
        expect(context.entry(found as Note).state).toBe("detached");
        expect(context.size).toBe(entity === undefined ? 0 : 1);
        expect(look()).toEqual(before);
      },
    );

    test.each<MergeOption>(["appendOnly", "preserveChanges", "overwriteChanges"])(
      "%s through find, and as the context's default",
      async (option) => {
        const { context, entity } = await tracked(open, "unchanged");
        const expected = option === "appendOnly" ? "note 1" : "theirs";

        expect(await context.find(Note, keyOf())).toMatchObject({ title: "note 1" });
        expect(await context.find(Note, keyOf(), { mergeOption: option })).toBe(entity);
        expect(entity?.title).toBe(expected);
      },
    );

    test("the context's own merge option is what queries use", async () => {
      const store = await seeded(open);
      const context = contextOf(store, { mergeOption: "overwriteChanges" });
      const entity = await read(context);
      entity.title = "mine";
      await context.query(Note).where({ book: "b" }).toArray();

      expect([entity.title, context.entry(entity).state]).toEqual(["note 1", "unchanged"]);
    });

    test.each<[MergeOption, object, EntityState]>([
      ["appendOnly", { title: "mine", hidden: true, pages: 1 }, "modified"],
      ["preserveChanges", { title: "mine", hidden: undefined, pages: 50 }, "modified"],
      ["overwriteChanges", { title: "theirs", hidden: undefined, pages: 50 }, "unchanged"],
    ])("a whole row that lacks a declared property, %s", async (option, values, state) => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const entity = await read(context);
      entity.title = "mine";
      await store.inner.write("Notes", {
        type: "replace",
        etag: "*",
        entity: { PartitionKey: "b", RowKey: "1", title: "theirs", pages: 50 },
      });
      await context.query(Note).where({ book: "b" }).mergeOption(option).toArray();

      expect(entity).toMatchObject(values);
      expect(context.entry(entity).state).toBe(state);
    });

    test.each<[MergeOption, object, EntityState, readonly string[]]>([
      ["appendOnly", { title: "mine", pages: 1 }, "modified", []],
      ["preserveChanges", { title: "mine", pages: 50 }, "modified", []],
      ["overwriteChanges", { title: "mine", pages: 50 }, "modified", []],
    ])(
      "a projected row on a modified entity, %s: only what was selected is touched",
      async (option, values, state) => {
        const { context, entity } = await tracked(open, "modified");
        await context.query(Note).where({ book: "b" }).select("pages").mergeOption(option).toArray();

        expect(entity).toMatchObject(values);
        expect(context.entry(entity as Note).state).toBe(state);
      },
    );

    test.each<MergeOption>(["preserveChanges", "overwriteChanges"])(
      "a projected row of a newer version, %s: taken over, but the entity keeps its version",
      async (option) => {
        const { store, context, entity, etags } = await tracked(open, "unchanged");
        const note = entity as Note;
        await context.query(Note).where({ book: "b" }).select("title").mergeOption(option).toArray();

        expect(note).toMatchObject({ title: "theirs", pages: 1 });
        const entry = context.entry(note);
        expect([entry.state, entry.stale, entry.etag]).toEqual(["unchanged", true, etags[0]]);
        note.pages++;
        expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
        expect(await valuesIn(store)).toMatchObject({ pages: 50 });
      },
    );

    test("a projected row of the same version loads more of a projected entity", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
      await context.query(Note).where({ book: "b" }).select("pages").mergeOption("preserveChanges").toArray();

      expect(part).toMatchObject({ title: "note 1", pages: 1, hidden: undefined });
      expect(context.entry(part as Note).stale).toBe(false);
    });

    test("a projected row on a deleted entity, overwriteChanges: no longer deleted", async () => {
      const { context, entity } = await tracked(open, "deleted");
      await context
        .query(Note)
        .where({ book: "b" })
        .select("pages")
        .mergeOption("overwriteChanges")
        .toArray();

      expect(entity).toMatchObject({ title: "note 1", pages: 50 });
      expect(context.entry(entity as Note).state).toBe("unchanged");
    });

    test("a projected row on an added entity: untouched, existsInStorage", async () => {
      const { context, entity } = await tracked(open, "added");
      await context
        .query(Note)
        .where({ book: "b" })
        .select("pages")
        .mergeOption("overwriteChanges")
        .toArray();

      expect(entity).toMatchObject({ title: "mine", pages: 0 });
      expect(context.entry(entity as Note)).toMatchObject({ state: "added", existsInStorage: true });
    });

    test("a projection without tracking gives plain objects, with keys", async () => {
      const context = contextOf(await seeded(open));
      const [found] = await context
        .query(Note)
        .where({ book: "b" })
        .select("title")
        .mergeOption("noTracking")
        .toArray();

      expect(found).toEqual({ book: "b", id: "1", title: "note 1" });
      expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    });

    test("a selected property that is checked on the client is not loaded for it", async () => {
      const store = await seeded(open, 3);
      const context = contextOf(store);
      const found = await context
        .query(Note)
        .where((n) => n.book.eq("b").and(n.pages.eq(2).or(n.id.eq("3"))))
        .select("title")
        .toArray();

      expect(found.map((n) => [n.title, (n as Note).pages])).toEqual([
        ["note 2", undefined],
        ["note 3", undefined],
      ]);
    });
  });

  describe("merging with a newer row", () => {
    test("modified, appendOnly, saved: refused under the old ETag", async () => {
      const { context, entity } = await tracked(open, "modified");
      await context.query(Note).where({ book: "b" }).toArray();

      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
      expect(context.entry(entity as Note).state).toBe("modified");
    });

    test("modified, preserveChanges, saved: only the edit is sent, under the new ETag", async () => {
      const { store, context, etags } = await tracked(open, "modified");
      await context.query(Note).where({ book: "b" }).mergeOption("preserveChanges").toArray();
      store.reset();
      await context.saveChanges();

      expect(store.sent).toEqual([
        [{ type: "merge", etag: etags[1], entity: { PartitionKey: "b", RowKey: "1", title: "mine" } }],
      ]);
      expect(await valuesIn(store)).toMatchObject({ title: "mine", pages: 50 });
    });

    test("what was edited on both sides is listed with its three values; what was edited alike is not", async () => {
      const { context, entity } = await tracked(open, "modified");
      (entity as Note).pages = 50;
      await context.query(Note).where({ book: "b" }).mergeOption("preserveChanges").toArray();

      expect(context.entry(entity as Note).conflicts).toEqual([
        { property: "title", base: "note 1", mine: "mine", theirs: "theirs" },
      ]);
      expect(context.entry(entity as Note).changedProperties).toEqual(["title"]);
    });

    test("an edit that the store has made too leaves nothing to save", async () => {
      const { context, entity } = await tracked(open, "modified");
      (entity as Note).title = "theirs";
      await context.query(Note).where({ book: "b" }).mergeOption("preserveChanges").toArray();

      expect(context.entry(entity as Note)).toMatchObject({ state: "unchanged", conflicts: [] });
    });

    test("a decision made on old values is refused after another writer saved, whatever was listed in between", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      const entity = await read(context);
      await changedBy(store, { pages: 0 });
      await context.query(Note).where({ book: "b" }).toArray();
      if (entity.pages > 0) entity.title = "has pages";

      expect(context.entry(entity).stale).toBe(true);
      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
    });

    test("a row on its way, seen by a query meanwhile: not touched", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      const entity = await read(context);
      entity.title = "sent";
      const write = store.storage.write.bind(store.storage);
      let seen: unknown;
      store.storage.write = async (...args) => {
        await context.query(Note).where({ book: "b" }).mergeOption("overwriteChanges").toArray();
        seen = [entity.title, context.entry(entity).state];
        return write(...args);
      };
      await context.saveChanges();

      expect(seen).toEqual(["sent", "modified"]);
      expect(entity.title).toBe("sent");
    });

    test("rows that were read before a save do not undo what it stored", async () => {
      const store = await seeded(open, 3);
      const context = contextOf(store);
      const rows = context
        .query(Note)
        .where({ book: "b" })
        .mergeOption("overwriteChanges")
        [Symbol.asyncIterator]();
      await rows.next();
      const second = await read(context, 2);
      second.title = "edited";
      await context.saveChanges();
      await rows.next();

      expect(second.title).toBe("edited");
      expect(context.entry(second).etag).toBe((await row(store, 2))?.["odata.etag"]);
    });

    test("reload() with preserveChanges keeps edits, and without it drops them", async () => {
      const { context, entity } = await tracked(open, "modified");
      const mine = entity as Note;
      await context.reload(mine, { mergeOption: "preserveChanges" });
      expect(mine).toMatchObject({ title: "mine", pages: 50 });
      await context.reload(mine);

      expect(mine).toMatchObject({ title: "theirs", pages: 50 });
      expect(context.entry(mine)).toMatchObject({ state: "unchanged", conflicts: [] });
    });
  });

  describe("settling a conflict", () => {
    test("mine: the edit is saved over what is stored", async () => {
      const { store, context, entity } = await tracked(open, "modified");
      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
      await context.resolveConflict(entity as Note, "mine");
      await context.saveChanges();

      expect(await valuesIn(store)).toMatchObject({ title: "mine", pages: 50 });
    });

    test("theirs: the edit is dropped", async () => {
      const { store, context, entity } = await tracked(open, "modified");
      await context.resolveConflict(entity as Note, "theirs");

      expect(await context.saveChanges()).toEqual([]);
      expect(entity).toMatchObject({ title: "theirs" });
      expect(await valuesIn(store)).toMatchObject({ title: "theirs" });
    });

    test("property by property", async () => {
      const { store, context, entity } = await tracked(open, "modified");
      (entity as Note).pages = 7;
      await context.resolveConflict(entity as Note, ({ property }) =>
        property === "title" ? "theirs" : "mine",
      );
      await context.saveChanges();

      expect(await valuesIn(store)).toMatchObject({ title: "theirs", pages: 7 });
    });

    test.each<[ConflictResolution, object]>([
      ["theirs", { title: "theirs", pages: 50 }],
      ["mine", { title: "mine", pages: 0 }],
      [({ property }) => (property === "title" ? "mine" : "theirs"), { title: "mine", pages: 50 }],
    ])("a key that was taken meanwhile, settled %s", async (resolution, values) => {
      const { store, context, entity } = await tracked(open, "added");
      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.exists"]);
      await context.resolveConflict(entity as Note, resolution);
      await context.saveChanges();

      expect(entity).toMatchObject(values);
      expect(await valuesIn(store)).toEqual(values);
    });

    test("gone meanwhile: theirs lets it go, mine adds it again", async () => {
      for (const side of ["theirs", "mine"] as const) {
        const { store, context, entity } = await tracked(open, "modified");
        await store.inner.write("Notes", {
          type: "delete",
          key: { partitionKey: "b", rowKey: "1" },
          etag: "*",
        });
        await context.resolveConflict(entity as Note, side);
        await context.saveChanges();

        expect(await valuesIn(store)).toEqual(side === "mine" ? { title: "mine", pages: 1 } : undefined);
      }
    });
  });
}
