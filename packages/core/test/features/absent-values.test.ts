import { warningsDuring } from "@partita/test-support/warnings";
import { describe, expect, test } from "vitest";
import {
  bool,
  createTables,
  dateTime,
  defineEntity,
  int32,
  json,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: {
    title: text().named("Title").optional(),
    flag: bool().default(false),
    tags: json<string[]>().default([]),
    size: int32().default(1),
    seenOn: dateTime().optional(),
  },
}) {
  constructor(values?: { p: string; r: string; title?: string; size?: number }) {
    super(values);
    // Another value for each instance.
    this.seenOn ??= new Date(++clock);
  }
}
let clock = 0;

const key = { partitionKey: "p", rowKey: "1" };

/** A row that was stored before the class had any of its properties but the title. */
async function storeOld(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  await storage.write("Notes", {
    type: "insert",
    entity: { PartitionKey: "p", RowKey: "1", Title: "old", More: 1 },
  });
  return storage;
}

async function readOld(options: ConstructorParameters<typeof TableContext>[1] = {}) {
  const storage = await storeOld();
  const context = new TableContext(storage, options);
  const note = (await context.find(Note, { p: "p", r: "1" })) as Note;
  const row = async (): Promise<StoredEntity | undefined> => storage.get("Notes", key);
  return { storage, context, note, row };
}

describe("a row without a value", () => {
  test("reads as what new instances begin with, which may be changed in place and is then stored", async () => {
    const { context, note, row } = await readOld();
    expect(note).toMatchObject({ title: "old", flag: false, tags: [], size: 1 });
    expect(context.pendingChanges()).toEqual([]);

    note.tags.push("new");
    await context.saveChanges();

    expect(await row()).toMatchObject({ tags: '["new"]', Title: "old" });
    for (const name of ["flag", "size", "seenOn"]) expect(await row()).not.toHaveProperty(name);
  });

  test("is no change where every instance begins with another value, nor a conflict when it is read again", async () => {
    const { storage, context, note } = await readOld();
    const { seenOn } = note;
    await storage.write("Notes", {
      type: "merge",
      entity: { PartitionKey: "p", RowKey: "1", Title: "theirs" },
      etag: "*",
    });
    expect(context.pendingChanges()).toEqual([]);

    note.size = 5;
    note.seenOn = new Date(1e9);
    await context.reload(note, { mergeOption: "preserveChanges" });

    expect(context.entry(note).conflicts).toEqual([]);
    expect(note).toMatchObject({ title: "theirs", size: 5, seenOn: new Date(1e9) });
    context.discard(note);
    expect(note.size).toBe(1);
    expect(note.seenOn).not.toEqual(seenOn);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("is stored by update(), and where the whole row is replaced", async () => {
    const named = await readOld();
    named.context.update(named.note, "flag");
    await named.context.saveChanges();
    expect(await named.row()).toMatchObject({ flag: false });
    expect(await named.row()).not.toHaveProperty("size");

    const cleared = await readOld();
    cleared.note.title = undefined as never;
    await cleared.context.saveChanges();
    expect(await cleared.row()).toMatchObject({ flag: false, tags: "[]", size: 1, More: 1 });
    expect(await cleared.row()).not.toHaveProperty("Title");
  });

  test("is stored as it began where tracking is explicit and its edit was not named", async () => {
    const { context, note, row } = await readOld({ tracking: "explicit" });
    note.size = 9;
    note.title = "named";
    context.update(note, "title");
    await context.saveChanges({ update: "replace" });

    expect(await row()).toMatchObject({ Title: "named", size: 1, flag: false });
    expect(note.size).toBe(9);
  });

  test("stays without one where the entity's was taken away", async () => {
    const { context, note, row } = await readOld();
    Object.assign(note, { size: undefined, flag: null });
    expect(context.pendingChanges()).toEqual([]);

    note.title = "changed";
    await context.saveChanges({ update: "replace" });

    expect(await row()).toMatchObject({ Title: "changed", tags: "[]" });
    for (const name of ["size", "flag"]) expect(await row()).not.toHaveProperty(name);
  });

  test("is found by a condition that its value satisfies, on the server and here", async () => {
    const { context } = await readOld();
    const query = context.query(Note).where({ p: "p" });

    expect(await query.where((n) => n.size.le(1)).count()).toBe(1);
    expect(await query.where((n) => n.size.gt(1)).count()).toBe(0);
    expect(await query.where({ flag: false }).count()).toBe(1);
  });
});

describe("a class that a constructor builds", () => {
  test("may begin with values that cannot be stored: they are no change, and hinder no save", async () => {
    class Odd extends defineEntity({
      table: "Notes",
      partitionKey: { p: text() },
      rowKey: { r: text() },
      properties: { title: text().named("Title"), size: int32().optional() },
    }) {
      constructor(values?: object) {
        super(values as never);
        this.size ??= 1.5;
      }
    }
    const context = new TableContext(await storeOld());
    const [odd] = await context.query(Odd).where({ p: "p" }).toArray();
    expect(odd?.size).toBe(1.5);
    expect(context.pendingChanges()).toEqual([]);

    (odd as Odd).title = "changed";
    expect(await context.saveChanges({ update: "replace" })).toMatchObject([{ outcome: "committed" }]);
    expect(context.pendingChanges()).toEqual([]);
  });
});

describe("a required property that neither the row nor a new instance has", () => {
  class Strict extends defineEntity({
    table: "Notes",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: { heading: text().named("Heading"), title: text().named("Title").optional() },
  }) {}
  const wanted = {
    code: "property.absent",
    message: expect.stringMatching(
      /A row of the table Notes \("p", "1"\) cannot be read\. Strict\.heading \(stored as "Heading"\) is required, but the row has no value for it.*initial value.*optional.*upgrade/,
    ) as string,
    details: { entity: "Strict", property: "heading", table: "Notes", partitionKey: "p", rowKey: "1" },
  };

  test("is an error that names the row, in every way of reading, and nothing is tracked", async () => {
    const context = new TableContext(await storeOld());
    const query = context.query(Strict).where({ p: "p" });
    const reads = {
      find: () => context.find(Strict, { p: "p", r: "1" }),
      query: () => query.toArray(),
      untracked: () => query.mergeOption("noTracking").toArray(),
      selected: () => query.select("heading").toArray(),
      plain: () => query.mergeOption("noTracking").select("heading").toArray(),
      page: () => query.page({ size: 5 }),
    };

    const warnings = await warningsDuring(async () => {
      for (const read of Object.values(reads)) await expect(read()).rejects.toMatchObject(wanted);
    });

    expect(warnings).toEqual([]);
    expect(context.size).toBe(0);
    expect(await query.select("title").toArray()).toMatchObject([{ title: "old" }]);
    // What the projection left out is read as strictly.
    await expect(context.find(Strict, { p: "p", r: "1" })).rejects.toMatchObject(wanted);
  });

  test("refuses a tracked entity to lose its value, which it keeps", async () => {
    const storage = await storeOld();
    const context = new TableContext(storage);
    const strict = context.create(Strict, { p: "p", r: "2", heading: "kept" });
    await context.saveChanges();
    await storage.write("Notes", {
      type: "replace",
      entity: { PartitionKey: "p", RowKey: "2" },
      etag: "*",
    });

    await expect(context.reload(strict)).rejects.toMatchObject({ code: "property.absent" });
    expect(strict.heading).toBe("kept");
  });
});
