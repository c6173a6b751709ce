import { expect, test } from "vitest";
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "../../src/index.ts";
import { warningsDuring } from "../support/warnings.ts";

const newClass = (more: { strictReads?: boolean } = {}) =>
  class Note extends defineEntity({
    table: "Notes",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: { title: text().named("Title"), size: int32().default(1), hint: text().optional() },
    ...more,
  }) {};

/** A row that another program wrote, without a title. */
async function storeWithout(entityClass: ReturnType<typeof newClass>) {
  const storage = await openStorage("memory:");
  await createTables(storage, [entityClass]);
  for (const RowKey of ["1", "2"])
    await storage.write("Notes", { type: "insert", entity: { PartitionKey: "p", RowKey, Headline: "x" } });
  return storage;
}

test("a required property without a stored value is warned of once a class", async () => {
  const Note = newClass();
  const context = new TableContext(await storeWithout(Note));

  const warnings = await warningsDuring(() => context.query(Note).where({ p: "p" }).toArray());

  expect(warnings).toMatchObject([{ code: "PARTITA_ABSENT_VALUE" }]);
  expect(warnings[0]?.message).toMatch(
    /Note in Notes \("p", "1"\) has no stored value of title \(stored as "Title"\).*renamed, or added without an upgrade/,
  );
});

test("strict reads refuse it, however it is read, and track nothing of it", async () => {
  const Note = newClass();
  const storage = await storeWithout(Note);
  const context = new TableContext(storage, { strictReads: true });
  const query = context.query(Note).where({ p: "p" });
  const reads = {
    find: () => context.find(Note, { p: "p", r: "1" }),
    query: () => query.toArray(),
    untracked: () => query.mergeOption("noTracking").toArray(),
    selected: () => query.select("title").toArray(),
    plain: () => query.mergeOption("noTracking").select("title").toArray(),
  };

  for (const read of Object.values(reads))
    await expect(read()).rejects.toMatchObject({
      code: "property.absent",
      details: { entity: "Note", property: "title" },
    });
  expect(context.size).toBe(0);
  expect(await query.select("size").toArray()).toMatchObject([{ size: 1 }, { size: 1 }]);
});

test("a class may say it for itself, either way", async () => {
  const strict = newClass({ strictReads: true });
  const lenient = newClass({ strictReads: false });

  await expect(
    new TableContext(await storeWithout(strict)).find(strict, { p: "p", r: "1" }),
  ).rejects.toMatchObject({ code: "property.absent" });
  const context = new TableContext(await storeWithout(lenient), { strictReads: true });
  expect(await context.find(lenient, { p: "p", r: "1" })).toMatchObject({ title: undefined });
});

test("a tracked entity is refused to lose a required value, and keeps it", async () => {
  const Note = newClass();
  const storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const context = new TableContext(storage, { strictReads: true });
  const note = context.create(Note, { p: "p", r: "1", title: "kept" });
  await context.saveChanges();
  await storage.write("Notes", {
    type: "replace",
    entity: { PartitionKey: "p", RowKey: "1" },
    etag: "*",
  });

  await expect(context.reload(note)).rejects.toMatchObject({ code: "property.absent" });
  expect(note.title).toBe("kept");
});

test("what a projection left out is read as strictly", async () => {
  const Note = newClass();
  const storage = await storeWithout(Note);
  const context = new TableContext(storage, { strictReads: true });
  await context.query(Note).where({ p: "p" }).select("size").toArray();

  await expect(context.find(Note, { p: "p", r: "1" })).rejects.toMatchObject({ code: "property.absent" });
});
