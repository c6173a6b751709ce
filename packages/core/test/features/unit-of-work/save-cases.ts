import { writeFaults } from "@partita/testing";
import { describe, expect, test } from "vitest";
import { SaveError, type SaveResult, StorageError, type TableContext } from "../../../src/index.ts";
import type { StorageFailure } from "../../../src/storage.ts";
import {
  changedBy,
  codeOf,
  contextOf,
  failure,
  keyOf,
  Note,
  type OpenStore,
  outcomesOf,
  read,
  removedBy,
  row,
  seeded,
  valuesIn,
  seededNote,
} from "./store.ts";

const create = (context: TableContext, id: number | string, book = "b", title = "new"): Note =>
  context.create(Note, { ...keyOf(id, book), title });

export function saveCases(open: OpenStore): void {
  describe("saving", () => {
    test("three inserts in one partition: one transaction, three ETags, all unchanged", async () => {
      const store = await open();
      const context = contextOf(store);
      const entities = [1, 2, 3].map((n) => create(context, n));
      await context.saveChanges();

      expect(store.sent.map((operations) => operations.length)).toEqual([3]);
      const etags = entities.map((e) => context.entry(e).etag);
      for (const [i, e] of entities.entries()) {
        expect(context.entry(e).state).toBe("unchanged");
        expect((await row(store, i + 1))?.["odata.etag"]).toBe(etags[i]);
      }
    });

    test("250 inserts in one partition: transactions of 100, 100 and 50", async () => {
      const store = await open();
      const context = contextOf(store);
      for (let n = 0; n < 250; n++) create(context, n);
      await context.saveChanges();

      expect(store.sent.map((operations) => operations.length).toSorted((a, b) => b - a)).toEqual([
        100, 100, 50,
      ]);
    });

    test("two partitions: two groups, and one that fails leaves the other stored", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      const [taken, free] = [create(context, 1), create(context, 1, "c")];

      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.exists", "committed"]);
      expect([context.entry(taken).state, context.entry(free).state]).toEqual(["added", "unchanged"]);
    });

    test("two partitions, continueOnError: false: what was not begun is not sent", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      create(context, 1);
      create(context, 1, "c");

      expect(await outcomesOf(context.saveChanges({ continueOnError: false, concurrency: 1 }))).toEqual([
        "rejected conflict.exists",
        "rejected storage.not-sent",
      ]);
      expect(store.sent.length).toBe(1);
    });

    test("atomic over two partitions: refused before any request", async () => {
      const store = await open();
      const context = contextOf(store);
      create(context, 1);
      create(context, 1, "c");

      expect(await failure(context.saveChanges({ batch: "atomic" }))).toMatchObject({
        code: "save.not-atomic",
      });
      expect(store.sent).toEqual([]);
      expect(context.pendingChanges().length).toBe(2);
    });

    test.each([
      ["100 operations", 101, "x"],
      ["4 MiB of ASCII", 90, "x".repeat(30_000)],
      ["4 MiB of multibyte text", 50, "€".repeat(30_000)],
    ])("atomic over more than %s: refused before any request", async (_limit, count, title) => {
      const store = await open();
      const context = contextOf(store);
      for (let n = 0; n < count; n++) {
        const entity = create(context, n, "b", title);
        if (title.length > 1) entity.tags = [title.slice(0, 20_000)];
      }

      expect(await failure(context.saveChanges({ batch: "atomic" }))).toMatchObject({
        code: "save.not-atomic",
      });
      expect(store.sent).toEqual([]);
    });

    test("atomic within one transaction: one request, all or nothing", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      create(context, 2);
      create(context, 1);
      create(context, 3);

      expect(await outcomesOf(context.saveChanges({ batch: "atomic" }))).toEqual([
        "rejected storage.entity-already-exists",
        "rejected conflict.exists",
        "rejected storage.entity-already-exists",
      ]);
      expect(store.sent.length).toBe(1);
      expect(await row(store, 2)).toBeUndefined();
    });

    test("a refused transaction: its siblings are aborted, and the message names the one that failed", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      for (const n of [2, 1, 3]) create(context, n);

      const error = await failure(context.saveChanges());
      expect(error.results.map((r) => r.aborted === true)).toEqual([true, false, true]);
      expect(error.message).toMatch(/^0 of 3 changes were stored\.\n- Note in Notes \("b", "1"\)/);
      expect(error.message).toMatch(/2 other changes of the same transactions were not stored either/);
    });

    test("the failing operation is found by its row when the service does not name it", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      for (const n of [2, 1, 3]) create(context, n);
      const transact = store.storage.transact.bind(store.storage);
      store.storage.transact = async (...args) =>
        transact(...args).catch((error: StorageError) => {
          const { index: _index, ...failure } = error.details as unknown as StorageFailure;
          throw new StorageError(error.code, error.message, failure);
        });

      const error = await failure(context.saveChanges());
      expect(
        error.results.map((r) => [r.aborted === true, (r.error as { code?: string }).code]),
      ).toMatchObject([
        [true, "storage.entity-already-exists"],
        [false, "conflict.exists"],
        [true, "storage.entity-already-exists"],
      ]);
    });

    test("one request each, and the second of three fails: the others are stored, all three are told", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      const entities = [2, 1, 3].map((n) => create(context, n));

      const error = await failure(context.saveChanges({ batch: "none" }));
      expect(error).toBeInstanceOf(SaveError);
      expect(error.results.map((r) => r.outcome)).toEqual(["committed", "rejected", "committed"]);
      expect(entities.map((e) => context.entry(e).state)).toEqual(["unchanged", "added", "unchanged"]);
      expect(context.entry(entities[1] as Note).lastError).toMatchObject({ code: "conflict.exists" });
    });

    test("cancelled during the second request: the first is stored, the second is not known", async () => {
      const store = await open();
      const context = contextOf(store);
      const [first, second] = [create(context, 1), create(context, 1, "c")];
      const cancel = new AbortController();
      store.plan = writeFaults(undefined, "timeout-after");
      const write = store.storage.write.bind(store.storage);
      store.storage.write = (...args) =>
        write(...args).finally(() => store.sent.length === 2 && cancel.abort());

      expect(await outcomesOf(context.saveChanges({ concurrency: 1, signal: cancel.signal }))).toEqual([
        "committed",
        "unknown storage.timeout",
      ]);
      expect([context.entry(first).state, context.entry(second).state]).toEqual(["unchanged", "added"]);
      expect([context.entry(first).inDoubt, context.entry(second).inDoubt]).toEqual([false, true]);
    });

    test("cancelled before it began: nothing sent, everything pending", async () => {
      const store = await open();
      const context = contextOf(store);
      create(context, 1);

      expect(await outcomesOf(context.saveChanges({ signal: AbortSignal.abort() }))).toEqual([
        "rejected storage.not-sent",
      ]);
      expect([store.sent.length, context.pendingChanges().length]).toEqual([0, 1]);
    });

    test("nothing pending: no result, no request", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      await read(context);
      store.reset();

      expect(await context.saveChanges()).toEqual([]);
      expect([store.sent.length, store.reads.length]).toEqual([0, 0]);
    });

    test("an insert without echo: the ETag from the answer, no read", async () => {
      const store = await open();
      const context = contextOf(store);
      const entity = create(context, 1);
      const [result] = await context.saveChanges();

      expect(context.entry(entity).etag).toBe((result as SaveResult).etag);
      expect(store.reads).toEqual([]);
    });

    test("two saves at once: the second begins after the first, and nothing is sent twice", async () => {
      const store = await open();
      const context = contextOf(store);
      create(context, 1);
      const both = Promise.all([context.saveChanges(), context.saveChanges()]);
      create(context, 2);

      expect((await both).map((results) => results.length).toSorted((a, b) => a - b)).toEqual([0, 2]);
      expect(store.sent.flat().length).toBe(2);
    });

    test("an edit made during a save stays, and is sent by the next", async () => {
      const { store, context, entity } = await seededNote(open);
      entity.title = "first";
      const save = context.saveChanges();
      await new Promise((resolve) => setImmediate(resolve));
      entity.title = "second";
      await save;

      const state = context.entry(entity).state;
      await context.saveChanges();
      expect(state === "modified" || store.sent.length === 1).toBe(true);
      expect(await valuesIn(store)).toMatchObject({ title: "second" });
    });

    test("an entity that is being saved: detach, discard, reload and clear are refused; remove is remembered", async () => {
      const { store, context, entity } = await seededNote(open);
      entity.title = "edited";
      const codes: unknown[] = [];
      const write = store.storage.write.bind(store.storage);
      store.storage.write = async (...args) => {
        for (const call of [
          () => context.detach(entity),
          () => context.discard(entity),
          () => context.clear(),
        ])
          codes.push(codeOf(call));
        codes.push(await context.reload(entity).catch((error: { code: string }) => error.code));
        context.remove(entity);
        return write(...args);
      };
      await context.saveChanges();

      expect(codes).toEqual(Array.from({ length: 4 }, () => "entity.in-flight"));
      expect(context.entry(entity).state).toBe("deleted");
      store.storage.write = write;
      await context.saveChanges();
      expect(await row(store)).toBeUndefined();
    });

    test.each(["saving", "saved", "sending", "received"] as const)(
      "saveChanges() inside the hook %s: refused, and the outer save is done",
      async (hook) => {
        const store = await open();
        const codes: unknown[] = [];
        const context: TableContext = contextOf(store, {
          hooks: {
            [hook]: async () => {
              codes.push(await context.saveChanges().catch((error: { code: string }) => error.code));
            },
          },
        });
        create(context, 1);
        await context.saveChanges();

        expect(codes).toEqual(["context.reentrant-save"]);
        expect(await row(store)).toBeDefined();
      },
    );

    test("a removal of what is gone: a conflict, or as good as done when asked for", async () => {
      const store = await seeded(open, 3);
      const context = contextOf(store);
      const entity = await read(context);
      await removedBy(store);
      context.remove(entity);

      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.missing"]);
      expect(context.entry(entity).state).toBe("deleted");
      expect(await outcomesOf(context.saveChanges({ removeMissing: "ignore" }))).toEqual(["committed"]);
      expect(context.entry(entity).state).toBe("detached");
    });

    test("a removal of what is gone, ignored within a transaction: the others are stored", async () => {
      const store = await seeded(open, 3);
      const context = contextOf(store);
      for (const n of [1, 2, 3]) context.remove(await read(context, n));
      await removedBy(store, 2);

      expect(await outcomesOf(context.saveChanges({ removeMissing: "ignore" }))).toEqual(
        Array.from({ length: 3 }, () => "committed"),
      );
      expect(await context.query(Note).where({ book: "b" }).count()).toBe(0);
    });

    test("a removal and an insert of another key: sent in the order of the changes", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      context.remove(await read(context));
      create(context, 0);
      await context.saveChanges({ batch: "none", concurrency: 1 });

      expect(store.sent.flat().map((operation) => operation.type)).toEqual(["delete", "insert"]);
    });

    test("replace: the whole row, for a wholly loaded entity only", async () => {
      const store = await seeded(open, 2);
      const context = contextOf(store);
      const entity = await read(context);
      entity.title = "edited";
      await context.saveChanges({ update: "replace" });
      expect(store.sent).toMatchObject([[{ type: "replace", entity: { title: "edited", pages: 1 } }]]);
      const [part] = await context.query(Note).where(keyOf(2)).select("title").toArray();
      (part as Note).title = "edited";

      expect(await outcomesOf(context.saveChanges({ update: "replace" }))).toEqual([
        "rejected entity.not-loaded",
      ]);
    });

    test("only: these entities are saved, the others stay pending", async () => {
      const store = await open();
      const context = contextOf(store);
      const [first, second] = [create(context, 1), create(context, 2)];
      await context.saveChanges({ only: [second] });

      expect([context.entry(first).state, context.entry(second).state]).toEqual(["added", "unchanged"]);
      expect(context.pendingChanges()).toMatchObject([{ entity: first }]);
      await expect(
        context.saveChanges({ only: [new Note({ ...keyOf(9), title: "x" })] }),
      ).rejects.toMatchObject({
        code: "entity.not-tracked",
      });
    });

    test("a refused change does not keep others from being saved, and may be given up", async () => {
      const store = await seeded(open, 2);
      const context = contextOf(store);
      const [first, second] = [await read(context, 1), await read(context, 2)];
      await changedBy(store, { pages: 9 });
      first.title = "mine";
      expect(await outcomesOf(context.saveChanges())).toEqual(["rejected conflict.etag"]);
      second.title = "edited";
      await context.saveChanges({ only: [second] });
      context.discard(first);

      expect(context.entry(first)).toMatchObject({ state: "unchanged", stale: true });
      expect(await context.saveChanges()).toEqual([]);
    });

    test("misspelt options are refused", async () => {
      const context = contextOf(await open());

      for (const options of [
        { batches: "auto" },
        { batch: "all" },
        { update: "put" },
        { concurrency: 0 },
        { removeMissing: true },
      ])
        await expect(context.saveChanges(options as never)).rejects.toMatchObject({ code: /^context\./ });
    });
  });

  describe("two contexts racing", () => {
    test("on one entity: one is stored, the other is refused and loses nothing", async () => {
      const store = await seeded(open);
      const contexts = [contextOf(store), contextOf(store)];
      const notes = await Promise.all(contexts.map((context) => read(context)));
      for (const [i, note] of notes.entries()) note.title = `by ${i}`;

      const outcomes = (
        await Promise.all(contexts.map((context) => outcomesOf(context.saveChanges())))
      ).flat();
      expect(outcomes.toSorted()).toEqual(["committed", "rejected conflict.etag"]);
      const winner = outcomes.indexOf("committed");
      expect(await valuesIn(store)).toMatchObject({ title: `by ${winner}` });
      expect(notes[1 - winner]?.title).toBe(`by ${1 - winner}`);
    });

    test("on one transaction: all of one, nothing of the other", async () => {
      const store = await seeded(open, 4);
      const contexts = [contextOf(store), contextOf(store)];
      for (const [i, context] of contexts.entries())
        for (const n of [1, 2, 3, 4]) (await read(context, n)).title = `by ${i}`;

      const outcomes = await Promise.all(contexts.map((context) => outcomesOf(context.saveChanges())));
      const winner = outcomes.findIndex((all) => all.every((outcome) => outcome === "committed"));
      expect(outcomes[1 - winner]?.every((outcome) => outcome.startsWith("rejected"))).toBe(true);
      for (const n of [1, 2, 3, 4]) expect(await valuesIn(store, n)).toMatchObject({ title: `by ${winner}` });
    });

    test("on removal and creation anew: the ETag tells the new entity from the old", async () => {
      const store = await seeded(open);
      const [mine, theirs] = [contextOf(store), contextOf(store)];
      const [old, other] = [await read(mine), await read(theirs)];
      theirs.remove(other);
      await theirs.saveChanges();
      create(theirs, 1, "b", "new life");
      await theirs.saveChanges();
      old.title = "old edit";

      expect(await outcomesOf(mine.saveChanges())).toEqual(["rejected conflict.etag"]);
      mine.discard(old);
      mine.remove(old);
      expect(await outcomesOf(mine.saveChanges())).toEqual(["rejected conflict.etag"]);
      expect(await valuesIn(store)).toMatchObject({ title: "new life" });
    });

    test("on increments through modify(): none is lost", async () => {
      const store = await seeded(open);
      const increment = async (): Promise<void> => {
        const context = contextOf(store);
        await context.modify(Note, keyOf(), (note) => void note.pages++, { attempts: 50 });
      };
      await Promise.all(Array.from({ length: 8 }, increment));

      expect(await valuesIn(store)).toMatchObject({ pages: 9 });
    });
  });
}
