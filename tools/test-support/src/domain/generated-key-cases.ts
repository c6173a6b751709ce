// The acceptance case of generated keys, V5, and the effects of its decisions. The same in all forms.

import { TableContext } from "@partita/core";
import { fromPlain } from "@partita/core/models";
import { noRetry } from "@partita/core/rest";
import { type Fault, withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import type { FillClasses } from "./fill-classes.ts";
import { failureOf, make, type OpenDomain, requestsOf } from "./store.ts";

const ulidForm = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const guidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ann = { tenant: "acme", name: "Ann", email: "a@b.no" } as const;

export function generatedKeyCases(open: OpenDomain, classes: FillClasses): void {
  const { Customer, Ticket, Article, Note } = classes;

  test("V5: an absent key is generated before anything is saved", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const { id } = context.create(Customer, ann);

    expect(id).toMatch(ulidForm);
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([[`insert ${id}`]]);
    expect(await new TableContext(store.inner).find(Customer, { tenant: "acme", id })).toMatchObject(ann);
  });

  test.each(["", "7", "01arz3ndektsv4rrffq69g5fav"])("V5: the id %j is no key", async (id) => {
    await using store = await open();
    const context = new TableContext(store.storage);

    expect(() => context.create(Customer, { ...ann, id })).toThrow(
      expect.objectContaining({ code: "key.invalid-part" }),
    );
    expect(context.pendingChanges()).toEqual([]);
  });

  test("a GUID is generated in a key, and not in a property", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const created = context.create(Ticket, { tenant: "acme", id: null as unknown as string });
    const added = context.add(make(Ticket, { tenant: "acme" }));
    const upserted = make(Ticket, { tenant: "acme" });
    context.upsert(upserted, "replace");
    await context.saveChanges();

    const ids = [created, added, upserted].map(({ id }) => id);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(guidForm) as string));
    expect(new Set(ids).size).toBe(3);
    expect(created.other).toBeUndefined();
  });

  test.each<[string, Fault]>([
    ["not stored", "reset-before"],
    ["stored", "reset-after"],
  ])("an insert in doubt that was %s is sent again with the same key, and stored once", async (_, fault) => {
    await using store = await open();
    let isLost = true;
    const lossy = withFaults(store.storage, () => (isLost ? fault : undefined));
    const context = new TableContext(lossy, { retry: noRetry });
    const { id } = context.create(Customer, ann);

    const error = await failureOf(context.saveChanges());
    expect(error.results.map(({ outcome }) => outcome)).toEqual(["unknown"]);
    isLost = false;
    await context.saveChanges();

    const customers = await new TableContext(store.inner).query(Customer).where({ tenant: "acme" }).toArray();
    expect(customers.map((each) => each.id)).toEqual([id]);
  });

  test("a given key counts", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

    expect(context.create(Customer, { ...ann, id }).id).toBe(id);
    expect(fromPlain(Customer, { ...ann, id }).id).toBe(id);
  });

  test("attach refuses an entity with a generated key until it is stored", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);
    const refusal = { code: "entity.key-generated" };

    const plain = fromPlain(Customer, ann);
    expect(plain.id).toMatch(ulidForm);
    expect(() => context.attach(plain, "*")).toThrow(expect.objectContaining(refusal));
    const created = context.create(Customer, ann);
    context.detach(created);
    expect(() => context.attach(created, "*")).toThrow(expect.objectContaining(refusal));

    context.add(created);
    await context.saveChanges();
    const etag = context.entry(created).etag as string;
    context.clear();
    context.attach(created, etag);
    created.name = "Anna";
    await context.saveChanges();
    expect(requestsOf(store)).toEqual([[`insert ${created.id}`], [`merge ${created.id}`]]);
  });

  test("members of lists get their parent's key, and only their own part is generated", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const article = context.create(Article, { tenant: "acme", notes: [{ text: "a" }] });
    const createdIn = context.createIn(article, "notes", { text: "b" });
    const pushed = make(Note, { text: "c" });
    article.notes?.push(pushed);
    await context.saveChanges();

    const notes = [...(article.notes ?? [])];
    expect(notes.map(({ text }) => text)).toEqual(["a", "b", "c"]);
    expect(notes).toContain(createdIn);
    expect(notes).toContain(pushed);
    for (const { tenant, id, note } of notes) {
      expect([tenant, id]).toEqual(["acme", article.id]);
      expect(note).toMatch(ulidForm);
    }
    expect(new Set(notes.map(({ note }) => note)).size).toBe(3);
    expect(requestsOf(store).flat()).toHaveLength(4);
  });

  test("plain data without keys makes a parent with its members", () => {
    const article = fromPlain(Article, {
      Kind: "Article",
      tenant: "acme",
      notes: [{ Kind: "Note", text: "a" }],
    });

    const [note] = article.notes ?? [];
    expect(article.id).toMatch(ulidForm);
    expect(note).toMatchObject({ tenant: "acme", id: article.id, text: "a" });
    expect(note?.note).toMatch(ulidForm);
  });
}
