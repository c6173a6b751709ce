import { warningsDuring } from "@partita/test-support/warnings";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  openStorage,
  type SaveError,
  TableContext,
  text,
} from "../../../src/index.ts";
import { codeOf, contextOf, failure, keyOf, Note, openStore, read, seeded } from "./store.ts";

const open = (): ReturnType<typeof openStore> => openStore("memory:");

test("an entity that another open context tracks is refused, however it comes", async () => {
  const store = await seeded(open);
  const first = contextOf(store);
  const second = contextOf(store);
  const found = await read(first);
  const added = first.create(Note, { ...keyOf("2"), title: "x" });

  for (const note of [found, added]) {
    expect(codeOf(() => second.attach(note, "*"))).toBe("entity.tracked-elsewhere");
    expect(codeOf(() => second.add(note))).toBe("entity.tracked-elsewhere");
    expect(codeOf(() => second.upsert(note, "merge"))).toBe("entity.tracked-elsewhere");
  }
  expect(second.size).toBe(0);
});

test("an entity is refused by others whenever it was read: before they first asked, and after", async () => {
  const store = await seeded(open, 2);
  const [first, second, third] = [contextOf(store), contextOf(store), contextOf(store)];
  const before = await read(first);
  expect(codeOf(() => second.attach(before, "*"))).toBe("entity.tracked-elsewhere");
  const after = await read(first, "2");

  expect(codeOf(() => second.attach(after, "*"))).toBe("entity.tracked-elsewhere");
  expect(codeOf(() => third.attach(after, "*"))).toBe("entity.tracked-elsewhere");
  first.clear();
  expect(third.attach(after, "*")).toBe(after);
  const again = await read(first);
  expect(codeOf(() => third.attach(again, "*"))).toBe("entity.tracked-elsewhere");
  expect(codeOf(() => first.attach(after, "*"))).toBe("entity.tracked-elsewhere");
});

test("what its context has let go, or a closed context had, may be attached", async () => {
  const store = await seeded(open);
  const first = contextOf(store);
  const detached = await read(first);
  first.detach(detached);
  const second = contextOf(store);
  second.attach(detached, "*");
  await second[Symbol.asyncDispose]();

  expect(contextOf(store).attach(detached, "*")).toBe(detached);
});

test("a find that is on its way when its context closes says so, and tracks nothing", async () => {
  const store = await seeded(open);
  const context = contextOf(store);
  const finding = context.find(Note, keyOf());
  const closing = context[Symbol.asyncDispose]();

  await expect(finding).rejects.toMatchObject({ code: "context.disposed", message: /Await the result/ });
  await closing;
  expect(context.size).toBe(0);
});

test("a query that is returned without await from under `await using` says what to write", async () => {
  const store = await seeded(open);
  const load = async (): Promise<Note[]> => {
    await using context = contextOf(store);
    // oxlint-disable-next-line typescript/return-await -- this is what the test is about
    return context.query(Note).where({ book: keyOf().book }).toArray();
  };
  // An async function awaits what it returns only after `await using` has closed the context.
  await expect(load()).rejects.toMatchObject({
    code: "context.disposed",
    message: /return await query\.toArray\(\)/,
  });
});

test("closing does not warn of a change that the last save refused and reported", async () => {
  const store = await seeded(open);
  const warnings = await warningsDuring(async () => {
    await using context = contextOf(store);
    context.create(Note, { ...keyOf(), title: "taken" });
    await failure(context.saveChanges());
  });
  const others = await warningsDuring(async () => {
    await using context = contextOf(store);
    context.create(Note, { ...keyOf(), title: "taken" });
    await failure(context.saveChanges());
    context.create(Note, { ...keyOf("9"), title: "never saved" });
  });

  expect(warnings).toEqual([]);
  expect(others).toMatchObject([{ code: "PARTITA_UNSAVED", message: /1 change/ }]);
});

test("an entity that met a conflict stays stale after discard(), whatever refused it later", async () => {
  const store = await open();
  const context = contextOf(store);
  const note = new Note({ ...keyOf("gone"), title: "x" });
  context.attach(note, "*");
  context.update(note);
  await failure(context.saveChanges());
  note.title = undefined as never;
  await failure(context.saveChanges());

  context.discard(note);

  expect(context.entry(note).stale).toBe(true);
});

test("a SaveError shows who called saveChanges()", async () => {
  const store = await seeded(open);
  const context = contextOf(store);
  context.create(Note, { ...keyOf(), title: "taken" });

  const error = await (async function handleRequest() {
    try {
      return await context.saveChanges();
    } catch (caught) {
      return caught as SaveError;
    }
  })();

  expect((error as SaveError).stack).toMatch(
    /^SaveError: 0 of 1 change was stored.*\n(?:.*\n)*?\s+at .*handleRequest/,
  );
});

test("a SaveError shows who waits for a save that another function began", async () => {
  const store = await seeded(open);
  const context = contextOf(store);
  context.create(Note, { ...keyOf(), title: "taken" });
  const save = (): Promise<unknown> => context.saveChanges();

  const error = await (async function handleRequest() {
    await Promise.all([save(), Promise.resolve()]);
  })().catch((caught: unknown) => caught);

  expect((error as SaveError).stack).toMatch(/^SaveError: .*\n(?:.*\n)*?\s+at .*handleRequest/);
});

test("a SaveError lists its conflicts and its violations", async () => {
  const store = await seeded(open);
  const conflicting = contextOf(store);
  const note = conflicting.create(Note, { ...keyOf(), title: "taken" });
  const validating = contextOf(store, {
    validate: () => [{ property: "title", message: "is too short" }],
  });
  const other = validating.create(Note, { ...keyOf("2"), title: "x" });

  const refused = await failure(conflicting.saveChanges());
  const invalid = await failure(validating.saveChanges());

  expect(refused.conflicts).toMatchObject([{ error: { reason: "exists" } }]);
  expect(refused.conflicts[0]?.entity).toBe(note);
  expect(refused.violations).toEqual([]);
  expect(invalid.conflicts).toEqual([]);
  expect(invalid.violations).toEqual([
    {
      entity: other,
      subject: expect.stringContaining("Note in Notes"),
      property: "title",
      message: "is too short",
    },
  ]);
});

test("a saving hook that adds an entity for every entity is stopped with a clear error, and nothing is sent", async () => {
  const store = await open();
  let count = 0;
  const context = contextOf(store, {
    hooks: {
      saving: (_entity, _state, saved) => {
        saved.add(new Note({ ...keyOf(`n${count++}`), title: "x" }));
      },
    },
  });
  const first = context.create(Note, { ...keyOf(), title: "x" });
  const requests = store.sent.length;

  const error = await failure(context.saveChanges());

  expect(error.code).toBe("save.invalid");
  const reasons = error.results.flatMap((result) => (result.error === undefined ? [] : [result.error]));
  expect(reasons).toMatchObject([{ code: "context.saving-hook-endless" }]);
  expect(reasons[0]?.message).toContain("100 round(s)");
  expect(error.results.every(({ outcome }) => outcome === "rejected")).toBe(true);
  expect(error.results.map(({ entity }) => entity)).toContain(first);
  expect(store.sent.length).toBe(requests);
});

class Stamped extends defineEntity({
  table: "Stamped",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { title: text() },
  etagProperty: "etag",
}) {}

class Bare extends defineEntity({
  table: "Bare",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { title: text() },
}) {}

test("a frozen entity is refused before anything is sent, where the context would assign to it", async () => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Stamped, Bare]);
  const context = new TableContext(storage);
  const frozen = Object.freeze(new Stamped({ p: "p", r: "1", title: "x" }));
  expect(codeOf(() => context.add(frozen))).toBe("entity.frozen");
  expect(codeOf(() => context.attach(frozen, "*"))).toBe("entity.frozen");
  expect(codeOf(() => context.upsert(frozen, "replace"))).toBe("entity.frozen");
  expect(context.size).toBe(0);

  const later = context.add(new Stamped({ p: "p", r: "2", title: "x" }));
  Object.freeze(later);
  expect(await context.saveChanges().catch((error: SaveError) => error)).toMatchObject({
    code: "save.invalid",
    results: [{ error: { code: "entity.frozen" } }],
  });
  expect(await storage.get("Stamped", { partitionKey: "p", rowKey: "2" })).toBeUndefined();
});

test("a frozen entity that nothing is assigned to is saved, and refused what would change it", async () => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Bare]);
  const context = new TableContext(storage);
  const frozen = context.add(Object.freeze(new Bare({ p: "p", r: "1", title: "x" })));
  await context.saveChanges();
  await storage.write("Bare", {
    type: "merge",
    entity: { PartitionKey: "p", RowKey: "1", title: "theirs" },
    etag: "*",
  });

  expect(codeOf(() => context.discard(frozen))).toBe("entity.frozen");
  await expect(context.reload(frozen)).rejects.toMatchObject({ code: "entity.frozen" });
  await expect(
    context.query(Bare).where({ p: "p" }).mergeOption("overwriteChanges").toArray(),
  ).rejects.toMatchObject({ code: "entity.frozen" });
  expect(context.entry(frozen).state).toBe("unchanged");
  expect(frozen.title).toBe("x");
  context.remove(frozen);
});

class Base extends defineEntity({
  table: "Families",
  partitionKey: { p: text() },
  rowKey: { blog: text() },
  properties: {},
}) {}
class Like extends defineKind(Base, { kind: "Like", rowKey: { comment: text(), like: text() } }) {}
class Comment extends defineKind(Base, {
  kind: "Comment",
  rowKey: { comment: text() },
  children: { likes: () => Like },
}) {}
class Blog extends defineKind(Base, { kind: "Blog", children: { comments: () => Comment } }) {}

async function families() {
  const storage = await openStorage("memory:");
  await createTables(storage, [Base, Blog, Comment, Like]);
  const context = new TableContext(storage);
  for (const blog of ["a", "ab", "b"]) {
    context.create(Blog, { p: "p", blog });
    for (const comment of ["1", "2"]) {
      context.create(Comment, { p: "p", blog, comment });
      context.create(Like, { p: "p", blog, comment, like: "x" });
    }
  }
  await context.saveChanges();
  const keys = async (): Promise<string[]> =>
    (await storage.query("Families", {})).entities.map(({ RowKey }) => RowKey);
  return { storage, keys };
}

test("removeFamily() removes a parent with its children and theirs, by one range, and nothing beside them", async () => {
  const { storage, keys } = await families();
  let ranges = 0;
  const context = new TableContext(storage, {
    hooks: { sending: ({ type }) => void (type === "query" && ranges++) },
  });
  const blog = (await context.find(Blog, { p: "p", blog: "a" })) as Blog;
  const unsaved = context.create(Comment, { p: "p", blog: "a", comment: "new" });

  expect(await context.removeFamily(blog)).toBe(6);
  await context.saveChanges();

  expect(ranges).toBe(1);
  expect(context.entry(unsaved).state).toBe("detached");
  expect(await keys()).toEqual([
    "ab",
    "ab_1",
    "ab_1_x",
    "ab_2",
    "ab_2_x",
    "b",
    "b_1",
    "b_1_x",
    "b_2",
    "b_2_x",
  ]);
});

test("removeFamily() leaves the children of a parent whose key only begins alike", async () => {
  const { storage, keys } = await families();
  const context = new TableContext(storage);
  // The last part of a key may hold the separator: this is a comment "x_1" of blog "a", not one of blog "a_x".
  context.create(Comment, { p: "p", blog: "b", comment: "x_1" });
  context.create(Blog, { p: "p", blog: "b_x" } as never);
  await context.saveChanges().catch(() => undefined);
  const blog = await context.find(Blog, { p: "p", blog: "a" });

  expect(await context.removeFamily(blog as Blog)).toBe(5);
  await context.saveChanges();

  expect(await keys()).toContain("b_x_1");
});

test("removeFamily() marks nothing when it cannot remove all: an upsert over a stored child, or one on its way", async () => {
  const { storage, keys } = await families();
  const before = await keys();
  for (const replace of [
    (context: TableContext) => context.upsert(new Comment({ p: "p", blog: "a", comment: "1" }), "replace"),
    (context: TableContext) => context.add(new Comment({ p: "p", blog: "a", comment: "1" })),
  ]) {
    const context = new TableContext(storage);
    const blog = (await context.find(Blog, { p: "p", blog: "a" })) as Blog;
    replace(context);

    await expect(context.removeFamily(blog)).rejects.toMatchObject({ code: "entity.wrong-state" });
    expect(context.entry(blog).state).toBe("unchanged");
  }
  expect(await keys()).toEqual(before);
});

test("removeFamily() of a parent that is let go meanwhile marks nothing", async () => {
  const { storage } = await families();
  const context = new TableContext(storage);
  const blog = (await context.find(Blog, { p: "p", blog: "a" })) as Blog;
  const removing = context.removeFamily(blog);
  context.detach(blog);

  await expect(removing).rejects.toMatchObject({ code: "entity.not-tracked", message: /removeFamily/ });
  expect(context.pendingChanges()).toEqual([]);
});

test("removeFamily() of a parent that becomes an upsert meanwhile marks nothing", async () => {
  const { storage } = await families();
  const context = new TableContext(storage);
  const blog = (await context.find(Blog, { p: "p", blog: "a" })) as Blog;
  const removing = context.removeFamily(blog);
  context.detach(blog);
  context.upsert(blog, "replace");

  await expect(removing).rejects.toMatchObject({ code: "entity.wrong-state" });
  expect(context.pendingChanges().map(({ entity }) => entity)).toEqual([blog]);
});

test("removeFamily() leaves a child that was made after the call", async () => {
  const { storage } = await families();
  const context = new TableContext(storage);
  const blog = (await context.find(Blog, { p: "p", blog: "a" })) as Blog;
  const removing = context.removeFamily(blog);
  const later = context.create(Comment, { p: "p", blog: "a", comment: "later" });

  expect(await removing).toBe(5);
  expect(context.entry(later).state).toBe("added");
});

test("of a large family, the parent goes last", async () => {
  const { storage } = await families();
  const writer = new TableContext(storage);
  for (let i = 0; i < 150; i++) writer.create(Comment, { p: "p", blog: "ab", comment: `n${i}` });
  await writer.saveChanges();
  const sent: number[] = [];
  const context = new TableContext(storage, {
    hooks: { sending: ({ operations }) => void (operations > 0 && sent.push(operations)) },
  });
  const blog = (await context.find(Blog, { p: "p", blog: "ab" })) as Blog;
  expect(await context.removeFamily(blog)).toBe(155);

  expect((await context.saveChanges()).at(-1)?.entity).toBe(blog);
  expect(sent).toEqual([100, 55]);
});

test("closing warns of a change that was made after another one was refused", async () => {
  const store = await seeded(open);
  const warnings = await warningsDuring(async () => {
    await using context = contextOf(store);
    const note = context.create(Note, { ...keyOf(), title: "taken" });
    await failure(context.saveChanges());
    note.title = "edited since";
  });

  expect(warnings).toMatchObject([{ code: "PARTITA_UNSAVED" }]);
});

test("modify() does not try again over what others edited on the same entity", async () => {
  const store = await seeded(open);
  let note: Note | undefined;
  const context = contextOf(store, {
    hooks: {
      // After the change was made, and before it is refused.
      sending: ({ operations }) => {
        if (operations > 0 && note !== undefined) note.title = "an edit of somebody else";
      },
    },
  });
  note = await read(context);
  let round = 0;

  const modifying = context.modify(Note, keyOf(), async (entity) => {
    entity.pages = 7;
    if (round++ > 0) return;
    const other = contextOf(store);
    (await read(other)).pages = 9;
    await other.saveChanges();
  });

  await expect(modifying).rejects.toMatchObject({ code: "entity.pending-changes", message: /title/ });
  expect(note.title).toBe("an edit of somebody else");
});

test("a sealed entity that cannot take its new version is refused before anything is sent", async () => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Stamped]);
  const sealed = Object.seal(new Stamped({ p: "p", r: "1", title: "x" }));

  expect(codeOf(() => new TableContext(storage).add(sealed))).toBe("entity.frozen");
});

test("removeFamily() of a class without children says so", async () => {
  const { storage } = await families();
  const context = new TableContext(storage);
  const like = (await context.find(Like, { p: "p", blog: "a", comment: "1", like: "x" })) as Like;

  await expect(context.removeFamily(like)).rejects.toMatchObject({ code: "model.children" });
});

test("children whose parent was removed alone are left out with one warning; or end the query, or are handed over", async () => {
  const { storage } = await families();
  await storage.write("Families", { type: "delete", key: { partitionKey: "p", rowKey: "ab" }, etag: "*" });
  const query = new TableContext(storage).query(Blog).where({ p: "p" });
  const orphans: object[] = [];
  let blogs: Blog[] = [];

  const warnings = await warningsDuring(async () => {
    blogs = await query.include((b) => b.comments).toArray();
  });

  expect(blogs.map(({ blog, comments }) => [blog, comments?.length])).toEqual([
    ["a", 2],
    ["b", 2],
  ]);
  expect(warnings).toMatchObject([{ code: "PARTITA_ORPHAN", message: /"ab_1".*removeFamily/ }]);
  await expect(query.include((b) => b.comments, { onOrphan: "error" }).toArray()).rejects.toMatchObject({
    code: "query.orphan",
  });
  await query.include((b) => b.comments, { onOrphan: (child) => orphans.push(child) }).toArray();
  expect(orphans).toMatchObject([{ comment: "1" }, { comment: "2" }]);
});
