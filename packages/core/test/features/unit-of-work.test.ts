import { warningsDuring } from "@partita/test-support/warnings";
import { describe, expect, test } from "vitest";
import {
  bool,
  type ConflictError,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  int32,
  json,
  openStorage,
  type SaveError,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { StoredEntity, WriteOperation, WriteResult } from "../../src/storage.ts";
import { newestFirst } from "../../src/keys.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: {
    text: text(),
    rating: int32().default(0),
    editedOn: dateTime().optional(),
    tags: json<string[]>().optional(),
    hidden: bool().optional(),
  },
}) {}

const day = (n: number): Date => new Date(Date.UTC(2008, 9, n));
const values = (n: number, channel = "Channel9"): { channel: string; postedOn: Date; text: string } => ({
  channel,
  postedOn: day(n),
  text: `post ${n}`,
});

/** A memory store that remembers what was sent to it. */
async function recorded(): Promise<{ storage: TableStorage; sent: WriteOperation[][] }> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Blog]);
  const sent: WriteOperation[][] = [];
  const spy = Object.create(storage) as TableStorage;
  spy.write = (table, operation, options): Promise<WriteResult> => {
    sent.push([operation]);
    return storage.write(table, operation, options);
  };
  spy.transact = (table, operations, options): Promise<readonly WriteResult[]> => {
    sent.push([...operations]);
    return storage.transact(table, operations, options);
  };
  for (const name of ["query", "get", "close", "createTable", "deleteTable", "listTables"] as const)
    spy[name] = (storage[name] as (...args: never[]) => never).bind(storage) as never;
  return { storage: spy, sent };
}

async function stored(storage: TableStorage, n: number): Promise<StoredEntity> {
  const rowKey = newestFirst.encode(day(n)) as string;
  return (await storage.get("Blogs", { partitionKey: "Channel9", rowKey })) as StoredEntity;
}

async function seeded(count = 1): Promise<Awaited<ReturnType<typeof recorded>>> {
  const store = await recorded();
  const context = new TableContext(store.storage);
  for (let n = 1; n <= count; n++) context.create(Blog, values(n));
  await context.saveChanges();
  store.sent.length = 0;
  return store;
}

const rejection = async (promise: Promise<unknown>): Promise<SaveError> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (e: SaveError) => e,
  );

describe("states and identity", () => {
  test("an added entity is inserted once and unchanged afterwards", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    const blog = context.create(Blog, values(1));
    expect(context.add(blog)).toBe(blog);
    expect(context.entry(blog).state).toBe("added");

    const results = await context.saveChanges();

    expect(results).toMatchObject([{ operation: "insert", outcome: "committed", attempts: 1, entity: blog }]);
    expect(sent).toMatchObject([[{ type: "insert" }]]);
    expect(context.entry(blog).state).toBe("unchanged");
    expect(context.entry(blog).etag).toBe((await stored(storage, 1))["odata.etag"]);
  });

  test("an added entity that is removed again is not sent", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    const blog = context.create(Blog, values(1));
    context.remove(blog);

    expect(await context.saveChanges()).toEqual([]);
    expect(sent).toEqual([]);
    expect(context.entry(blog).state).toBe("detached");
  });

  test("a key is tracked by one instance, added ones included", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    context.create(Blog, values(2));
    await context.find(Blog, { channel: "Channel9", postedOn: day(1) });

    for (const n of [1, 2])
      expect(() => context.create(Blog, values(n))).toThrow(
        expect.objectContaining({ code: "entity.duplicate-key" }),
      );
    expect(() => context.upsert(new Blog(values(1)), "merge")).toThrow(
      expect.objectContaining({ code: "entity.duplicate-key" }),
    );
  });

  test("find and queries return the instance that is tracked, and leave its edits alone", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    const blog = (await context.find(Blog, { channel: "Channel9", postedOn: day(1) })) as Blog;
    blog.text = "edited";

    expect(await context.find(Blog, { channel: "Channel9", postedOn: day(1) })).toBe(blog);
    expect(await context.query(Blog).where({ channel: "Channel9" }).first()).toBe(blog);
    expect(blog.text).toBe("edited");
  });

  test("a query without tracking gives instances of its own", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    const query = context.query(Blog).where({ channel: "Channel9" }).mergeOption("noTracking");
    const [a] = await query.toArray();
    const [b] = await query.toArray();

    expect(a).not.toBe(b);
    expect(context.size).toBe(0);
  });

  test("a removed entity is not found, and a new one may take its key as one replace under the old ETag", async () => {
    const { storage, sent } = await seeded();
    const context = new TableContext(storage);
    const old = (await context.find(Blog, { channel: "Channel9", postedOn: day(1) })) as Blog;
    const etag = context.entry(old).etag;
    context.remove(old);
    expect(await context.find(Blog, { channel: "Channel9", postedOn: day(1) })).toBeUndefined();

    const next = context.create(Blog, { ...values(1), text: "new" });
    await context.saveChanges();

    expect(sent).toMatchObject([[{ type: "replace", etag }]]);
    expect([context.entry(old).state, context.entry(next).state]).toEqual(["detached", "unchanged"]);
  });

  test("another kind under the key is refused", async () => {
    class Place extends defineEntity({
      table: "Blogs",
      partitionKey: { c: text() },
      rowKey: { id: text() },
      properties: {},
    }) {}
    class City extends defineKind(Place, { kind: "City" }) {}
    class Town extends defineKind(Place, { kind: "Town" }) {}
    const { storage } = await recorded();
    const context = new TableContext(storage);
    context.create(City, { c: "x", id: "1" });

    await expect(context.find(Town, { c: "x", id: "1" })).rejects.toMatchObject({ code: "kind.mismatch" });
  });

  test("what is not tracked cannot be removed", async () => {
    const { storage } = await recorded();

    expect(() => new TableContext(storage).remove(new Blog(values(1)))).toThrow(
      expect.objectContaining({ code: "entity.not-tracked" }),
    );
  });
});

describe("finding changes", () => {
  test("only the changed property is sent, under the ETag that was read", async () => {
    const { storage, sent } = await seeded();
    const context = new TableContext(storage);
    const [blog] = await context.query(Blog).where({ channel: "Channel9" }).toArray();
    const etag = context.entry(blog as Blog).etag;
    (blog as Blog).rating = 3;

    await context.saveChanges();

    const { PartitionKey, RowKey } = await stored(storage, 1);
    expect(sent).toEqual([[{ type: "merge", etag, entity: { PartitionKey, RowKey, rating: 3 } }]]);
  });

  test("a value that is set back is no change", async () => {
    const { storage, sent } = await seeded();
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    blog.text = "x";
    expect(context.entry(blog).state).toBe("modified");
    blog.text = "post 1";

    expect(context.entry(blog).state).toBe("unchanged");
    expect(await context.saveChanges()).toEqual([]);
    expect(sent).toEqual([]);
  });

  test("changes in place of a date and of JSON are found", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    Object.assign(blog, { editedOn: new Date(0), tags: ["a"] });
    await context.saveChanges();

    blog.editedOn?.setTime(1);
    blog.tags?.push("b");
    await context.saveChanges();

    expect(await stored(storage, 1)).toMatchObject({
      editedOn: "1970-01-01T00:00:00.001Z",
      tags: '["a","b"]',
    });
  });

  test("a date of 7 digits keeps them while something else changes, also when everything is sent again", async () => {
    const { storage } = await seeded();
    const { PartitionKey, RowKey } = await stored(storage, 1);
    const exact = {
      "editedOn@odata.type": "Edm.DateTime",
      editedOn: "2013-08-02T17:37:43.9004348Z",
      hidden: true,
    };
    await storage.write("Blogs", { type: "merge", entity: { PartitionKey, RowKey, ...exact }, etag: "*" });
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;

    blog.hidden = undefined;
    await context.saveChanges();

    expect(await stored(storage, 1)).toMatchObject({ editedOn: "2013-08-02T17:37:43.9004348Z" });
    expect(await stored(storage, 1)).not.toHaveProperty("hidden");
  });

  test("clearing a property replaces under the ETag and keeps what the class does not declare, with its type", async () => {
    const { storage, sent } = await seeded();
    const { PartitionKey, RowKey } = await stored(storage, 1);
    const extra = { hidden: false, "Legacy@odata.type": "Edm.Int64", Legacy: "9007199254740993", Other: "x" };
    await storage.write("Blogs", { type: "merge", entity: { PartitionKey, RowKey, ...extra }, etag: "*" });
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    sent.length = 0;

    blog.hidden = undefined;
    blog.rating = 5;
    await context.saveChanges();

    expect(sent).toMatchObject([[{ type: "replace" }]]);
    const row = await stored(storage, 1);
    expect(row).toMatchObject({
      rating: 5,
      Legacy: "9007199254740993",
      "Legacy@odata.type": "Edm.Int64",
      Other: "x",
    });
    expect(row).not.toHaveProperty("hidden");
  });

  test("a declared default that is absent in the store is no change", async () => {
    const { storage } = await recorded();
    await storage.write("Blogs", {
      type: "insert",
      entity: { PartitionKey: "Channel9", RowKey: newestFirst.encode(day(1)) as string, text: "x" },
    });
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;

    expect(blog.rating).toBe(0);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("a changed key is refused, saying how to move the entity", async () => {
    const { storage, sent } = await seeded();
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    blog.channel = "Channel10";

    const error = await rejection(context.saveChanges());

    expect(error.code).toBe("save.invalid");
    expect(error.results[0]?.error).toMatchObject({ code: "entity.key-changed" });
    expect(error.message).toMatch(/remove the entity, and add a copy/);
    expect(sent).toEqual([]);
  });

  test("properties that are not declared are not assigned", async () => {
    const { storage } = await seeded();
    const { PartitionKey, RowKey } = await stored(storage, 1);
    await storage.write("Blogs", {
      type: "merge",
      entity: { PartitionKey, RowKey, toString: "x", then: "y" },
      etag: "*",
    });
    const blog = await new TableContext(storage).query(Blog).where({ channel: "Channel9" }).first();

    expect(Object.keys(blog as Blog)).toEqual([
      "channel",
      "postedOn",
      "text",
      "rating",
      "editedOn",
      "tags",
      "hidden",
    ]);
  });
});

describe("saving", () => {
  test("changes are grouped by partition into transactions of at most 100", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    for (let n = 0; n < 250; n++) context.create(Blog, { ...values(1), postedOn: new Date(n) });
    context.create(Blog, values(1, "Other"));

    await context.saveChanges();

    expect(sent.map((operations) => operations.length)).toEqual([100, 100, 50, 1]);
  });

  test("one request per entity, on request", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    for (let n = 1; n <= 3; n++) context.create(Blog, values(n));

    await context.saveChanges({ batch: "none" });

    expect(sent.map((operations) => operations.length)).toEqual([1, 1, 1]);
  });

  test("atomic is refused before anything is sent when it does not fit one transaction", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    context.create(Blog, values(1));
    context.create(Blog, values(1, "Other"));

    const error = await rejection(context.saveChanges({ batch: "atomic" }));

    expect(error.code).toBe("save.not-atomic");
    expect(sent).toEqual([]);
    expect(context.pendingChanges()).toHaveLength(2);
  });

  test("an insert, an update and a removal of one partition are one transaction", async () => {
    const { storage, sent } = await seeded(2);
    const context = new TableContext(storage);
    const [second, first] = await context.query(Blog).where({ channel: "Channel9" }).toArray();
    (first as Blog).rating = 9;
    context.remove(second as Blog);
    context.create(Blog, values(3));

    await context.saveChanges({ batch: "atomic" });

    expect(sent.map((operations) => operations.map((o) => o.type))).toEqual([["delete", "merge", "insert"]]);
  });

  test("whoever comes second is told so, keeps the old ETag and the edit, and may go on", async () => {
    const { storage } = await seeded();
    const [one, two] = [new TableContext(storage), new TableContext(storage)];
    const mine = (await one.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    const theirs = (await two.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    mine.text = "mine";
    theirs.text = "a secret of two";
    await one.saveChanges();

    const error = await rejection(two.saveChanges());

    expect(error).toMatchObject({ name: "SaveError", code: "save.failed", cause: { code: "conflict.etag" } });
    expect((error.cause as ConflictError).reason).toBe("etag");
    expect(error.message).toMatch(
      /Blog in Blogs \("Channel9", ".*"\) was not saved: another writer changed it/,
    );
    expect(error.message).not.toContain("secret");
    expect(error.rejected).toHaveLength(1);
    expect(two.entry(theirs).state).toBe("modified");
    two.detach(theirs);
    two.create(Blog, values(2));
    await two.saveChanges();
  });

  test("in a refused transaction one entity is named, its siblings are aborted, other groups are stored", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    context.create(Blog, values(2));
    context.create(Blog, values(1));
    context.create(Blog, values(3));
    const other = context.create(Blog, values(1, "Other"));

    const error = await rejection(context.saveChanges());

    expect(error.results.map((r) => [r.outcome, r.aborted ?? false, r.serviceCode])).toEqual([
      ["rejected", true, "EntityAlreadyExists"],
      ["rejected", false, "EntityAlreadyExists"],
      ["rejected", true, "EntityAlreadyExists"],
      ["committed", false, undefined],
    ]);
    expect(error.results[1]?.error).toMatchObject({ code: "conflict.exists" });
    expect(error.message).toMatch(/1 of 4 changes were stored/);
    expect(context.entry(other).state).toBe("unchanged");
    expect(context.pendingChanges()).toHaveLength(3);
  });

  test("everything is validated before the first request, and each entity is named", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    const good = context.create(Blog, values(1));
    context.create(Blog, { ...values(2), text: undefined as never });
    context.create(Blog, { ...values(3), rating: 1.5 });

    const error = await rejection(context.saveChanges());

    expect(error.code).toBe("save.invalid");
    expect(error.results.map((r) => (r.error as { code?: string } | undefined)?.code)).toEqual([
      "property.required",
      "edm.out-of-range",
      undefined,
    ]);
    expect(error.message).toMatch(/Blog\.text is required[\s\S]*Blog\.rating is out of range/);
    expect(sent).toEqual([]);
    expect(context.entry(good).state).toBe("added");
  });

  test("edits made while a save runs stay changes", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    const blog = (await context.query(Blog).where({ channel: "Channel9" }).first()) as Blog;
    blog.text = "first";
    const write = storage.write.bind(storage);
    storage.write = (...args) => {
      blog.text = "second";
      storage.write = write;
      return write(...args);
    };
    await context.saveChanges();

    expect((await stored(storage, 1))["text"]).toBe("first");
    expect(context.entry(blog).state).toBe("modified");
    await context.saveChanges();
    expect((await stored(storage, 1))["text"]).toBe("second");
  });

  test("saves queue, and the second sends nothing twice", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    context.create(Blog, values(1));

    const [first, second] = await Promise.all([context.saveChanges(), context.saveChanges()]);

    expect([first.length, second.length]).toEqual([1, 0]);
    expect(sent).toHaveLength(1);
  });

  test("a cancelled save changes nothing and says so", async () => {
    const { storage } = await recorded();
    const context = new TableContext(storage);
    const blog = context.create(Blog, values(1));

    const error = await rejection(context.saveChanges({ signal: AbortSignal.abort() }));

    expect(error.results).toMatchObject([{ outcome: "rejected" }]);
    expect(context.entry(blog).state).toBe("added");
  });

  test("an upsert is sent without a condition, and merges or replaces", async () => {
    const { storage, sent } = await seeded();
    const context = new TableContext(storage);
    context.upsert(new Blog({ ...values(1), rating: 4 }), "merge");
    const fresh = context.upsert(new Blog(values(2)), "replace");

    await context.saveChanges();

    expect(sent.flat().map((operation) => operation.type)).toEqual(["upsert-merge", "upsert-replace"]);
    expect(sent.flat().every((operation) => !("etag" in operation))).toBe(true);
    expect(context.entry(fresh).state).toBe("unchanged");
  });

  test("clearing a property after a merging upsert is refused, since the rest of the row is not known", async () => {
    const { storage } = await seeded();
    const context = new TableContext(storage);
    const blog = context.upsert(new Blog({ ...values(1), hidden: true }), "merge");
    await context.saveChanges();
    blog.hidden = undefined;

    const error = await rejection(context.saveChanges());

    expect(error.results[0]?.error).toMatchObject({ code: "entity.not-loaded" });
  });
});

describe("lifetime", () => {
  test("a closed context refuses work and warns of unsaved changes, once, without saving them", async () => {
    const { storage, sent } = await recorded();
    const context = new TableContext(storage);
    const warnings = await warningsDuring(async () => {
      await using scoped = context;
      scoped.create(Blog, values(1));
    });

    expect(warnings).toMatchObject([{ code: "PARTITA_UNSAVED" }]);
    expect(sent).toEqual([]);
    expect(() => context.query(Blog)).toThrow(expect.objectContaining({ code: "context.disposed" }));
    expect(await storage.listTables()).toEqual(["Blogs"]);
  });
});
