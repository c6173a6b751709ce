import { TableContext, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { beforeEach, describe, expect, test } from "vitest";
import type { Row } from "../../src/api/cells.ts";
import type { RowPage } from "../../src/api/queries.ts";
import type { MultiEditResult, OpenRow, SaveSummary, StagedChange } from "../../src/api/staged.ts";
import { Blog, Comment, Order, sampleStore } from "../sample-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

let storage: TableStorage;
let api: OpenApi;
beforeEach(async () => {
  storage = await sampleStore();
  api = await openApi(storage, [Blog, Comment, Order]);
});

/** Both ways of editing: an entity of a class, and a row as it is stored. */
const ways = [
  { way: "an entity", table: "Blogs", className: "Blog", text: "title", other: "text", number: "rating" },
  {
    way: "a stored row",
    table: "Blogs",
    className: undefined,
    text: "title",
    other: "text",
    number: "rating",
  },
] as const;
type Way = (typeof ways)[number];

async function firstRow({ table, className }: Pick<Way, "table" | "className">): Promise<Row> {
  const text = className === undefined ? "PartitionKey eq 'Azure' and Kind eq 'Blog'" : "channel eq 'Azure'";
  const { rows } = await api.ask<RowPage>("POST rows/page", { table, className, text, size: 1 });
  return rows[0] as Row;
}

async function openFirst(way: Pick<Way, "table" | "className">): Promise<OpenRow> {
  return api.ask("POST staged/open", { ...way, ...(await firstRow(way)), className: way.className });
}

const edit = (
  { id, etag }: OpenRow,
  ...changes: readonly (readonly [string, string, unknown])[]
): Promise<StagedChange[]> =>
  api.ask("POST staged/edit", {
    id,
    etag,
    changes: changes.map(([name, type, value]) => ({ name, type, value })),
  });

/** The blog that both sides change. */
async function otherWriter(change: (blog: Blog) => void): Promise<void> {
  const context = new TableContext(storage);
  const [blog] = await context.query(Blog).where({ channel: "Azure" }).take(1).toArray();
  change(blog as Blog);
  await context.saveChanges();
}

async function storedBlog(): Promise<Blog> {
  const [blog] = await new TableContext(storage).query(Blog).where({ channel: "Azure" }).take(1).toArray();
  return blog as Blog;
}

test("a row that has more than its class shows says what, and in which version it is stored", async () => {
  const { PartitionKey, RowKey } = (await storage.query("Blogs", { top: 1 })).entities[0] as StoredEntity;
  const entity = { PartitionKey, RowKey, Legacy: "x", "Seen@odata.type": "Edm.Int64", Seen: "1" };
  const before = await openFirst(ways[0]);
  await storage.write("Blogs", { type: "merge", entity, etag: "*" });
  const open = (
    table: string,
    className: string | undefined,
    partitionKey: string,
    rowKey: string,
  ): Promise<OpenRow> => api.ask("POST staged/open", { table, className, partitionKey, rowKey });
  const kind = ((await storage.get("Blogs", { partitionKey: PartitionKey, rowKey: RowKey })) as StoredEntity)[
    "Kind"
  ];

  expect(before.extras).toBeUndefined();
  expect((await open("Blogs", String(kind), PartitionKey, RowKey)).extras).toEqual({
    undeclared: ["Legacy", "Seen"],
  });
  expect((await open("Blogs", undefined, PartitionKey, RowKey)).extras).toBeUndefined();
  expect((await open("Orders", "Order", "shop0", "o3")).extras).toEqual({
    version: { stored: 1, saved: 3 },
    undeclared: [],
  });
  expect((await open("Orders", "Order", "shop0", "o0")).extras?.version).toEqual({ stored: 2, saved: 3 });
});

describe.each(ways)("$way", (way) => {
  test("is staged with what changes, and stored when it is saved", async () => {
    const row = await openFirst(way);

    const [staged] = await edit(row, [way.text, "String", "Mine"], [way.other, "String", null]);
    const unsaved = await storedBlog();
    const { saved, staged: left } = await api.ask<SaveSummary>("POST staged/save", {});

    expect(staged).toMatchObject({
      id: row.id,
      state: "modified",
      properties: [
        { name: "title", type: "String", before: "Azure note 60", after: "Mine" },
        { name: "text", type: "String", before: "What we learnt in week 60" },
      ],
    });
    expect(unsaved.title).toBe("Azure note 60");
    expect([saved, left]).toEqual([1, []]);
    expect(await storedBlog()).toMatchObject({
      title: "Mine",
      text: undefined,
      rating: 5,
      views: 59_000_177n,
    });
  });

  test("that somebody else changed is a conflict, resolved property by property", async () => {
    const row = await openFirst(way);
    await edit(row, [way.text, "String", "Mine"], [way.number, "Int32", 1]);
    await otherWriter((blog) => Object.assign(blog, { title: "Theirs", text: "Their text" }));

    const { saved, staged } = await api.ask<SaveSummary>("POST staged/save", {});
    const { conflict } = staged[0] as StagedChange;
    const again = await api.ask<SaveSummary>("POST staged/save", {});
    const theirEtag = conflict?.theirEtag;
    const unchosen = await api.response("POST staged/resolve", { id: row.id, theirEtag, choice: {} });
    await api.ask("POST staged/resolve", {
      id: row.id,
      theirEtag,
      choice: { [way.text]: "theirs" },
    });
    const resolved = await api.ask<SaveSummary>("POST staged/save", {});

    expect([saved, again.saved, resolved.saved]).toEqual([0, 0, 1]);
    expect(unchosen.json).toMatchObject({ message: "Choose mine or theirs for title." });
    expect(conflict?.reason).toBe("etag");
    expect(conflict?.properties.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "rating", base: 5, mine: 1, theirs: 5, needsChoice: false },
      {
        name: "text",
        base: "What we learnt in week 60",
        mine: "What we learnt in week 60",
        theirs: "Their text",
        needsChoice: false,
      },
      { name: "title", base: "Azure note 60", mine: "Mine", theirs: "Theirs", needsChoice: true },
    ]);
    expect(await storedBlog()).toMatchObject({ title: "Theirs", text: "Their text", rating: 1 });
  });

  test("that changes once more while a conflict is looked at is a conflict again", async () => {
    const row = await openFirst(way);
    await edit(row, [way.text, "String", "Mine"]);
    await otherWriter((blog) => (blog.title = "Theirs"));
    const { staged } = await api.ask<SaveSummary>("POST staged/save", {});
    await otherWriter((blog) => (blog.title = "Theirs again"));

    const [again] = await api.ask<StagedChange[]>("POST staged/resolve", {
      id: row.id,
      theirEtag: staged[0]?.conflict?.theirEtag,
      choice: "mine",
    });
    const { saved } = await api.ask<SaveSummary>("POST staged/save", {});

    expect(again?.conflict?.properties).toMatchObject([
      { name: "title", mine: "Mine", theirs: "Theirs again" },
    ]);
    expect(saved).toBe(0);
    expect((await storedBlog()).title).toBe("Theirs again");
  });

  test("is removed under its ETag, and stays where somebody changed it", async () => {
    const row = await openFirst(way);
    await api.ask("POST staged/remove", { id: row.id, etag: row.etag });
    await otherWriter((blog) => (blog.title = "Theirs"));

    const { saved, staged } = await api.ask<SaveSummary>("POST staged/save", {});
    await api.ask("POST staged/resolve", {
      id: row.id,
      theirEtag: staged[0]?.conflict?.theirEtag,
      choice: "mine",
    });
    const removed = await api.ask<SaveSummary>("POST staged/save", {});

    expect([saved, removed.saved, removed.staged]).toEqual([0, 1, []]);
    expect((await storedBlog()).title).toBe("Azure note 59");
  });

  test("is discarded without a trace", async () => {
    const row = await openFirst(way);
    await edit(row, [way.text, "String", "Mine"]);

    const left = await api.ask("POST staged/discard", { ids: [row.id] });
    const opened = await openFirst(way);

    expect(left).toEqual([]);
    expect(opened.cells.find(([name]) => name === "title")?.[2]).toBe("Azure note 60");
  });

  test("refuses a value of another type, and stages nothing of it", async () => {
    const row = await openFirst(way);
    const wrong = await api.response("POST staged/edit", {
      id: row.id,
      etag: row.etag,
      changes: [{ name: way.number, type: "Int32", value: "many" }],
    });

    expect(wrong.status).toBeGreaterThanOrEqual(400);
    expect(await api.ask("GET staged")).toEqual([]);
  });
});

describe("a property of another type", () => {
  test("is a change, though its text is the same, and stays one after a conflict", async () => {
    const key = { table: "Hostile", partitionKey: "p", rowKey: "typed" };
    await api.ask("POST staged/insert", { ...key, cells: [{ name: "N", type: "String", value: "3" }] });
    await api.ask("POST staged/save", {});
    const open = await api.ask<OpenRow>("POST staged/open", key);
    const { id } = open;
    const [staged] = await edit(open, ["N", "Int64", "3"]);
    const entity = { PartitionKey: "p", RowKey: "typed", Other: 1 };
    await storage.write("Hostile", { type: "merge", etag: "*", entity });

    const { staged: refused } = await api.ask<SaveSummary>("POST staged/save", {});
    const theirEtag = refused[0]?.conflict?.theirEtag;
    await api.ask("POST staged/resolve", { id, theirEtag, choice: {} });
    await api.ask("POST staged/save", {});

    expect(staged?.properties).toEqual([{ name: "N", type: "Int64", before: "3", after: "3" }]);
    const stored = await api.ask<OpenRow>("POST staged/open", key);
    expect(stored.cells).toEqual(
      expect.arrayContaining([
        ["N", "Int64", "3"],
        ["Other", "Int32", 1],
      ]),
    );
  });
});

describe("new rows", () => {
  test("are stored as a class makes them, and refused where the key is taken", async () => {
    const cells = (await openFirst(ways[0])).cells.map(([name, type, value]) => ({
      name,
      type,
      value: name === "channel" ? "Cloned" : value,
    }));
    const clone = { table: "Blogs", className: "Blog", cells };

    await api.ask("POST staged/insert", clone);
    const first = await api.ask<SaveSummary>("POST staged/save", {});
    await api.ask("POST staged/insert", clone);
    const second = await api.ask<SaveSummary>("POST staged/save", {});

    expect([first.saved, second.saved]).toEqual([1, 0]);
    expect(second.staged[0]).toMatchObject({ state: "added", conflict: { reason: "exists" } });
    const [stored] = await new TableContext(storage).query(Blog).where({ channel: "Cloned" }).toArray();
    expect(stored).toMatchObject({ title: "Azure note 60", tags: ["tables", "azure"], views: 59_000_177n });
  });

  test("have any property and type where no class says what they hold", async () => {
    const cells = [
      { name: "Big", type: "Int64", value: "9007199254740993" },
      { name: "When", type: "DateTime", value: "2024-01-05T09:00:00.1234567Z" },
      { name: "Bytes", type: "Binary", value: "AAEC" },
    ];
    await api.ask("POST staged/insert", { table: "Hostile", partitionKey: "p", rowKey: "new", cells });
    await api.ask("POST staged/save", {});
    const open = await api.ask<OpenRow>("POST staged/open", {
      table: "Hostile",
      partitionKey: "p",
      rowKey: "new",
    });

    expect(open.cells).toEqual(cells.map(({ name, type, value }) => [name, type, value]));
  });
});

describe("one edit of many rows", () => {
  test("is staged for those that are as the page read them", async () => {
    const { rows } = await api.ask<RowPage>("POST rows/page", {
      table: "Blogs",
      className: "Blog",
      text: "channel eq 'Azure'",
      size: 3,
    });
    await otherWriter((blog) => (blog.title = "Theirs"));
    const changes = [{ name: "rating", type: "Int32", value: 9 }];

    const result = await api.ask<MultiEditResult>("POST staged/edit-many", {
      table: "Blogs",
      className: "Blog",
      rows,
      changes,
    });
    const { saved } = await api.ask<SaveSummary>("POST staged/save", {});

    expect(result).toEqual({ staged: 2, changedSince: [{ partitionKey: "Azure", rowKey: rows[0]?.rowKey }] });
    expect(saved).toBe(2);
  });
});

describe("a read-only studio", () => {
  test("opens rows, and refuses every change", async () => {
    const readOnly = await openApi(storage, [Blog, Comment, Order], true);
    const key = await firstRow(ways[0]);
    const { id } = await readOnly.ask<OpenRow>("POST staged/open", {
      table: "Blogs",
      className: "Blog",
      ...key,
    });
    const asked = [
      ["POST staged/edit", { id, changes: [] }],
      ["POST staged/remove", { id, etag: key.etag }],
      ["POST staged/remove-many", { table: "Blogs", className: "Blog", rows: [key] }],
      ["POST staged/insert", { table: "Hostile", partitionKey: "a", rowKey: "b", cells: [] }],
      ["POST staged/save", {}],
      ["POST jobs/start", { type: "upgrade", table: "Orders" }],
    ] as const;

    for (const [name, body] of asked)
      expect(await readOnly.response(name, body)).toMatchObject({
        status: 403,
        json: { code: "studio.read-only" },
      });
  });
});
