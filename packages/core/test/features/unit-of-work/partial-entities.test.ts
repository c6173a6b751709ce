import { expect, test } from "vitest";
import { contextOf, keyOf, Note, open, outcomesOf, read, seeded, valuesIn } from "./store.ts";

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
