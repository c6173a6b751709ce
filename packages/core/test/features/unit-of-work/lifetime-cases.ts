import { warningsDuring } from "@partita/test-support/warnings";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  contextOf,
  codeOf,
  failure,
  keyOf,
  Note,
  type OpenStore,
  read,
  row,
  seeded,
  valuesIn,
  seededNote,
} from "./store.ts";

export function lifetimeCases(open: OpenStore): void {
  describe("the life of a context", () => {
    test("clear() with pending changes: refused, unless they are discarded", async () => {
      const context = contextOf(await open());
      context.create(Note, { ...keyOf(), title: "x" });

      expect(codeOf(() => context.clear())).toBe("context.pending-changes");
      context.clear({ discard: true });
      expect(context.size).toBe(0);
    });

    test("closing warns of what was not saved, once, and saves nothing", async () => {
      const store = await open();
      const warnings = await warningsDuring(async () => {
        await using context = contextOf(store);
        context.create(Note, { ...keyOf(), title: "x" });
      });

      expect(warnings.map((w) => w.code)).toEqual(["PARTITA_UNSAVED"]);
      expect(await row(store)).toBeUndefined();
    });

    test("more requests than the budget: one warning that names the call sites", async () => {
      const store = await seeded(open, 5);
      const warnings = await warningsDuring(async () => {
        const context = contextOf(store, { requestBudget: 2 });
        for (const n of [1, 2, 3, 4, 5]) await read(context, n);
      });

      expect(warnings.map((w) => w.code)).toEqual(["PARTITA_REQUEST_BUDGET"]);
      expect(warnings[0]?.message).toMatch(/budget of 2 request\(s\): 3 from .*store\.ts:\d+/);
    });

    test("no error prints property values", async () => {
      const { store, context, entity } = await seededNote(open);
      entity.title = "SECRET";
      await store.inner.write("Notes", {
        type: "merge",
        etag: "*",
        entity: { PartitionKey: "b", RowKey: "1", title: "HIDDEN" },
      });
      context.create(Note, { ...keyOf(2), title: "SECRET" });

      const error = await failure(context.saveChanges());
      expect(`${error} ${error.stack} ${inspect(error, { depth: 9 })} ${JSON.stringify(error)}`).not.toMatch(
        /SECRET|HIDDEN/,
      );
    });

    test("findMany: in the order of the keys, tracked ones without a read, equal keys read once", async () => {
      const store = await seeded(open, 4);
      const context = contextOf(store);
      const first = await read(context, 1);
      store.reset();
      const found = await context.findMany(Note, [keyOf(3), keyOf(1), keyOf(9), keyOf(3), keyOf(2)]);

      expect(found.map((n) => n?.id)).toEqual(["3", "1", undefined, "3", "2"]);
      expect(found[1]).toBe(first);
      expect(found[0]).toBe(found[3]);
      expect(store.reads).toEqual(["get", "get", "get"]);
    });

    test("modify: again on what is stored by then; undefined when nothing is; refused over other changes", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      let calls = 0;
      const changed = await context.modify(Note, keyOf(), async (note) => {
        if (++calls === 1)
          await store.inner.write("Notes", {
            type: "merge",
            etag: "*",
            entity: { PartitionKey: "b", RowKey: "1", pages: 10 },
          });
        note.pages++;
      });

      expect([calls, changed?.pages]).toEqual([2, 11]);
      expect(await valuesIn(store)).toMatchObject({ pages: 11 });
      expect(await context.modify(Note, keyOf(9), () => expect.unreachable())).toBeUndefined();
      (changed as Note).title = "pending";
      await expect(context.modify(Note, keyOf(), () => undefined)).rejects.toMatchObject({
        code: "entity.pending-changes",
      });
    });

    test("modify: gives up after its attempts, and leaves no change behind", async () => {
      const store = await seeded(open);
      const context = contextOf(store);
      let pages = 10;
      const save = context.modify(
        Note,
        keyOf(),
        async (note) => {
          await store.inner.write("Notes", {
            type: "merge",
            etag: "*",
            entity: { PartitionKey: "b", RowKey: "1", pages: pages++ },
          });
          note.pages = 0;
        },
        { attempts: 3 },
      );

      expect((await failure(save)).results).toMatchObject([{ outcome: "rejected" }]);
      expect([pages, context.pendingChanges().length]).toEqual([13, 0]);
    });

    test("removeAll: what matches, with progress; tracked entities are marked stale", async () => {
      const store = await seeded(open, 30);
      const context = contextOf(store);
      const snapshotValue = await read(context, 5);
      const gone = await read(context, 25);
      const seen: number[] = [];
      const progress = await context
        .query(Note)
        .where((n) => n.book.eq("b").and(n.pages.gt(10)))
        .removeAll({ onProgress: (p) => seen.push(p.written) });

      expect(progress).toEqual({ read: 20, written: 20, skipped: 0 });
      expect(seen.at(-1)).toBe(20);
      expect(await context.query(Note).where({ book: "b" }).count()).toBe(10);
      expect([context.entry(snapshotValue).stale, context.entry(gone).stale]).toEqual([false, true]);
    });

    test("updateAll: what changed is merged, what did not is skipped, what others changed is read again", async () => {
      const store = await seeded(open, 6);
      const context = contextOf(store);
      let disturbed = false;
      const progress = await context
        .query(Note)
        .where({ book: "b" })
        .updateAll(async (note) => {
          if (note.id === "2" && !disturbed) {
            disturbed = true;
            await store.inner.write("Notes", {
              type: "merge",
              etag: "*",
              entity: { PartitionKey: "b", RowKey: "2", title: "theirs" },
            });
          }
          if (note.pages > 1) note.pages *= 10;
        });

      expect(progress).toEqual({ read: 6, written: 5, skipped: 1 });
      expect(await valuesIn(store, 2)).toMatchObject({ title: "theirs", pages: 20 });
      expect(await valuesIn(store, 1)).toMatchObject({ pages: 1 });
    });

    test("removeAll: a row that no longer matches is left alone", async () => {
      const store = await seeded(open, 3);
      const context = contextOf(store);
      const transact = store.storage.transact.bind(store.storage);
      let disturbed = false;
      store.storage.transact = async (...args) => {
        if (!disturbed) {
          disturbed = true;
          await store.inner.write("Notes", {
            type: "merge",
            etag: "*",
            entity: { PartitionKey: "b", RowKey: "2", pages: 0 },
          });
        }
        return transact(...args);
      };
      const progress = await contextOf(store)
        .query(Note)
        .where((n) => n.book.eq("b").and(n.pages.gt(0)))
        .removeAll();

      expect(progress).toEqual({ read: 3, written: 2, skipped: 1 });
      expect(await valuesIn(store, 2)).toMatchObject({ pages: 0 });
      expect(context.size).toBe(0);
    });
  });
}
