import { describe, expect, test } from "vitest";
import type { TableContext } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import {
  contextOf,
  failure,
  keyOf,
  Note,
  type OpenStore,
  read,
  row,
  seeded,
  type Store,
  valuesIn,
} from "./store.ts";

async function opened(
  open: OpenStore,
  more: object = {},
  options: ConstructorParameters<typeof TableContext>[1] = {},
): Promise<{ store: Store; context: TableContext; entity: Note }> {
  const store = await seeded(open, 1, more);
  const context = contextOf(store, options);
  const entity = await read(context);
  store.reset();
  return { store, context, entity };
}

const exactDate = { editedOn: "2013-08-02T17:37:43.9004348Z", "editedOn@odata.type": "Edm.DateTime" };
const undeclared = {
  views: "9007199254740993",
  "views@odata.type": "Edm.Int64",
  ratio: 7,
  "ratio@odata.type": "Edm.Double",
};

export function detectionCases(open: OpenStore): void {
  describe("detection", () => {
    test("one property assigned: a merge of that property only", async () => {
      const { store, context, entity } = await opened(open);
      const { etag } = context.entry(entity);
      entity.title = "edited";
      await context.saveChanges();

      const body = { PartitionKey: "b", RowKey: "1", title: "edited" };
      expect(store.sent).toEqual([[{ type: "merge", entity: body, etag }]]);
    });

    test("set and set back: no request, unchanged", async () => {
      const { store, context, entity } = await opened(open);
      entity.title = "edited";
      entity.title = "note 1";

      expect(await context.saveChanges()).toEqual([]);
      expect([store.sent.length, context.entry(entity).state]).toEqual([0, "unchanged"]);
    });

    test("nothing changed, but update(e): one merge of what is loaded", async () => {
      const { store, context, entity } = await opened(open);
      context.update(entity);
      await context.saveChanges();

      expect(store.sent).toMatchObject([[{ type: "merge", entity: { title: "note 1", pages: 1 } }]]);
      expect(context.entry(entity).state).toBe("unchanged");
    });

    test("update(e, property): that property is sent, changed or not; unknown ones are refused", async () => {
      const { store, context, entity } = await opened(open);
      context.update(entity, "pages");
      expect(context.pendingChanges()).toMatchObject([
        { state: "modified", assigned: ["pages"], cleared: [] },
      ]);
      await context.saveChanges();

      expect(store.sent).toEqual([
        [
          {
            type: "merge",
            etag: expect.any(String) as string,
            entity: { PartitionKey: "b", RowKey: "1", pages: 1 },
          },
        ],
      ]);
      expect(() => context.update(entity, "nope" as never)).toThrow(/Note does not store "nope"/);
      expect(() => context.update(entity, "id")).toThrow(/part of its key/);
    });

    test("a date stored with 7 digits: not in the payload when something else changes", async () => {
      const { store, context, entity } = await opened(open, exactDate);
      entity.title = "edited";
      await context.saveChanges();

      expect(store.sent[0]?.[0]).not.toHaveProperty("entity.editedOn");
      expect((await row(store))?.["editedOn"]).toBe(exactDate.editedOn);
    });

    test("JSON stored with spaces, not read: not changed", async () => {
      const { context, entity } = await opened(open, { tags: '[ "a",  "b" ]' });

      expect(context.entry(entity).state).toBe("unchanged");
    });

    test("JSON changed in place: changed", async () => {
      const { store, context, entity } = await opened(open, { tags: '["a"]' });
      entity.tags?.push("b");
      await context.saveChanges();

      expect(await valuesIn(store)).toMatchObject({ tags: '["a","b"]' });
    });

    test("one byte changed in place: changed", async () => {
      const { store, context, entity } = await opened(open, {
        cover: "AAEC",
        "cover@odata.type": "Edm.Binary",
      });
      expect(context.entry(entity).state).toBe("unchanged");
      (entity.cover as Uint8Array)[1] = 9;
      await context.saveChanges();

      expect(await valuesIn(store)).toMatchObject({ cover: "AAkC" });
    });

    test("a date changed in place: changed", async () => {
      const { context, entity } = await opened(open, exactDate);
      entity.editedOn?.setUTCFullYear(2014);

      expect(context.entry(entity).changedProperties).toEqual(["editedOn"]);
    });

    test("a declared property cleared: a replace under the ETag with everything else, types included", async () => {
      const { store, context, entity } = await opened(open, { ...undeclared, ...exactDate, hidden: true });
      const { etag } = context.entry(entity);
      entity.hidden = undefined;
      await context.saveChanges();

      expect(store.sent).toMatchObject([[{ type: "replace", etag }]]);
      const stored = (await row(store)) as StoredEntity;
      expect(stored).toMatchObject({ title: "note 1", pages: 1, ...undeclared, ...exactDate });
      expect(stored).not.toHaveProperty("hidden");
      expect(context.entry(entity).state).toBe("unchanged");
    });

    test("a projected row: what was selected changes, what was not survives", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const [part] = await context.query(Note).where(keyOf()).select("title").toArray();
      const entity = part as Note;
      await store.inner.write("Notes", {
        type: "merge",
        etag: "*",
        entity: { PartitionKey: "b", RowKey: "1", pages: 50 },
      });
      const etag = (await row(store))?.["odata.etag"] as string;
      await context.query(Note).where(keyOf()).select("title").mergeOption("preserveChanges").toArray();
      store.reset();
      entity.title = "edited";
      await context.saveChanges();

      expect(store.sent).toEqual([
        [{ type: "merge", etag, entity: { PartitionKey: "b", RowKey: "1", title: "edited" } }],
      ]);
      expect(await valuesIn(store)).toEqual({ title: "edited", pages: 50, hidden: true });
    });

    test("a projected row: what was not loaded is sent once assigned, and undoes initial values", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
      const entity = part as Note;

      expect(entity).toMatchObject({
        book: "b",
        id: "1",
        title: "note 1",
        pages: undefined,
        hidden: undefined,
      });
      expect(context.entry(entity).state).toBe("unchanged");
      entity.pages = 1;
      expect(context.entry(entity).changedProperties).toEqual(["pages"]);
      await context.saveChanges();
      expect(await valuesIn(store)).toEqual({ title: "note 1", pages: 1, hidden: true });
    });

    test("a projected row: clearing names what was not loaded, and works after a reload", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const [part] = await context.query(Note).where({ book: "b" }).select("hidden").toArray();
      const entity = part as Note;
      entity.hidden = undefined;

      const error = await failure(context.saveChanges());
      expect(error.cause).toMatchObject({
        code: "entity.not-loaded",
        message: expect.stringMatching(/title, pages/) as string,
      });
      expect(store.sent).toEqual([]);
      await context.reload(entity);
      entity.hidden = undefined;
      await context.saveChanges();
      expect(await valuesIn(store)).toEqual({ title: "note 1", pages: 1 });
    });

    test("a row with an undeclared property, replaced: it survives", async () => {
      const { store, context, entity } = await opened(open, undeclared);
      entity.title = "edited";
      await context.saveChanges({ update: "replace" });

      expect(store.sent).toMatchObject([[{ type: "replace" }]]);
      expect(await row(store)).toMatchObject({ title: "edited", ...undeclared });
    });

    test("a removed entity, added back: replaced whole, with what the class does not declare", async () => {
      const { store, context, entity } = await opened(open, undeclared);
      const { etag } = context.entry(entity);
      context.remove(entity);
      context.add(entity);
      entity.title = "back";
      await context.saveChanges();

      expect(store.sent).toMatchObject([[{ type: "replace", etag }]]);
      expect(await row(store)).toMatchObject({ title: "back", pages: 1, ...undeclared });
    });

    test("a removed projected entity, added back: only kept, so that nothing is lost", async () => {
      const store = await seeded(open, 1, { hidden: true });
      const context = contextOf(store);
      const [part] = await context.query(Note).where({ book: "b" }).select("title").toArray();
      context.remove(part as Note);
      context.add(part as Note);
      await context.saveChanges();

      expect(await valuesIn(store)).toEqual({ title: "note 1", pages: 1, hidden: true });
    });

    test("explicit tracking: an edit without update() is not sent", async () => {
      const { store, context, entity } = await opened(open, {}, { tracking: "explicit" });
      entity.title = "edited";

      expect([context.entry(entity).state, context.pendingChanges().length]).toEqual(["unchanged", 0]);
      expect(await context.saveChanges()).toEqual([]);
      expect(store.sent).toEqual([]);
      context.update(entity, "title");
      await context.saveChanges();
      expect(await valuesIn(store)).toMatchObject({ title: "edited" });
    });

    test("a row without a property that has a default: unchanged, and cleared without a request", async () => {
      const store = await open();
      await store.inner.write("Notes", {
        type: "insert",
        entity: { PartitionKey: "b", RowKey: "1", title: "x" },
      });
      const context = contextOf(store);
      const entity = await read(context);

      expect([entity.pages, context.entry(entity).state]).toEqual([0, "unchanged"]);
      entity.pages = undefined as never;
      expect(context.entry(entity).state).toBe("unchanged");
    });
  });
}
