import { TableContext, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { rowsAsText } from "@partita/transfer";
import { beforeEach, describe, expect, test } from "vitest";
import type { Row } from "../../src/api/cells.ts";
import type { CellEditResult, PastedRows } from "../../src/api/grid-edits.ts";
import type { RowPage } from "../../src/api/queries.ts";
import type { SaveSummary } from "../../src/api/staged.ts";
import { Blog, Comment, Order, sampleStore } from "../sample-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

let storage: TableStorage;
let api: OpenApi;
beforeEach(async () => {
  storage = await sampleStore();
  api = await openApi(storage, [Blog, Comment, Order]);
});

async function rowsIn(className: string | undefined): Promise<readonly Row[]> {
  const text = className === undefined ? "PartitionKey eq 'Azure' and Kind eq 'Blog'" : "channel eq 'Azure'";
  const page = await api.ask<RowPage>("POST rows/page", { table: "Blogs", className, text, size: 2 });
  return page.rows;
}

const edit = (rows: readonly unknown[]): Promise<CellEditResult> =>
  api.ask("POST staged/cells", { table: "Blogs", rows });

const change = (name: string, type: string, value: unknown): unknown => ({ name, type, value });

const storedBlogs = (): Promise<Blog[]> =>
  new TableContext(storage).query(Blog).where({ channel: "Azure" }).take(2).toArray();

describe.each(["Blog", undefined])("cells of rows read as %s", (className) => {
  test("are staged, except those with a value of another type", async () => {
    const [first, second] = (await rowsIn(className)) as [Row, Row];

    const { staged, refused } = await edit([
      { ...first, changes: [change("title", "String", "Mine"), change("rating", "Int32", 2 ** 31)] },
      { ...second, changes: [change("text", "String", null)] },
    ]);
    const { saved } = await api.ask<SaveSummary>("POST staged/save", {});

    expect(staged).toHaveLength(2);
    expect(refused).toMatchObject([{ rowKey: first.rowKey, name: "rating" }]);
    expect(refused[0]?.message).toMatch(/2147483647/);
    expect(saved).toBe(2);
    expect(await storedBlogs()).toMatchObject([{ title: "Mine", rating: 5 }, { text: undefined }]);
  });

  test("are refused in rows that have changed, or are staged to be deleted", async () => {
    const [first, second] = (await rowsIn(className)) as [Row, Row];
    const changes = [change("title", "String", "Mine")];
    await api.ask("POST staged/remove-many", { table: "Blogs", className, rows: [second] });

    const { refused } = await edit([
      { ...first, etag: "W/other", changes },
      { ...first, rowKey: "none", changes },
      { ...second, changes },
    ]);

    expect(refused.map(({ message }) => message.split(".")[0])).toEqual([
      "The row was changed or deleted since it was read",
      "The row was changed or deleted since it was read",
      "The row is staged to be deleted",
    ]);
  });
});

test("a part of an entity's key is refused", async () => {
  const [first] = await rowsIn("Blog");

  const { refused, staged } = await edit([{ ...first, changes: [change("channel", "String", "Other")] }]);

  expect(staged).toEqual([]);
  expect(refused[0]?.message).toMatch(/part of the key/);
});

test("cells of entities keep odd values from one row to another", async () => {
  const context = new TableContext(storage);
  const odd = [-0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324];
  for (const [i, score] of odd.entries())
    context.create(Blog, {
      channel: "Odd",
      postedOn: new Date(Date.UTC(2024, 0, 9 - i)),
      title: "\ud83d\ude00\u0000",
      score,
      views: -(2n ** 63n),
      editedOn: new Date(Date.UTC(9999, 11, 31)),
      tags: ["a\r\n", "__proto__"],
    });
  for (const i of odd.keys())
    context.create(Blog, { channel: "Plain", postedOn: new Date(Date.UTC(2024, 0, 9 - i)), title: "" });
  await context.saveChanges();
  const read = async (channel: string): Promise<readonly Row[]> => {
    const asked = { table: "Blogs", className: "Blog", text: `channel eq '${channel}'`, size: 10 };
    return (await api.ask<RowPage>("POST rows/page", asked)).rows;
  };
  const [from, to] = [await read("Odd"), await read("Plain")];

  const { refused } = await edit(
    to.map((row, i) => ({
      ...row,
      changes: from[i]?.cells
        .filter(([name]) => name !== "channel" && name !== "postedOn")
        .map(([name, type, value]) => change(name, type, value)),
    })),
  );
  await api.ask("POST staged/save", {});

  expect(refused).toEqual([]);
  const values = async (channel: string): Promise<unknown> =>
    (await new TableContext(storage).query(Blog).where({ channel }).toArray()).map(
      ({ title, score, views, editedOn, tags }) => ({ title, score, views, editedOn, tags }),
    );
  expect(await values("Plain")).toEqual(await values("Odd"));
  expect(await values("Plain")).toMatchObject(odd.map((score) => ({ score, views: -(2n ** 63n) })));
});

describe("rows pasted into a class", () => {
  const paste = (rows: readonly StoredEntity[], table: string, className: string): Promise<PastedRows> =>
    api.ask("POST staged/paste", { table, className, text: rowsAsText(rows, { format: "jsonl" }) });
  const stored = async (table: string, filter?: string): Promise<StoredEntity> => {
    const { rows } = await api.ask<RowPage>("POST rows/page", { table, text: filter ?? "", size: 1 });
    const { partitionKey, rowKey } = rows[0] as Row;
    return (await storage.get(table, { partitionKey, rowKey })) as StoredEntity;
  };

  test("are new entities, or change those with their keys", async () => {
    const blog = await stored("Blogs", "PartitionKey eq 'Azure' and Kind eq 'Blog'");

    const result = await paste(
      [{ ...blog, title: "Pasted" }, { ...blog, PartitionKey: "New" }, blog],
      "Blogs",
      "Blog",
    );
    await api.ask("POST staged/save", {});

    // The third row is the first one as stored, so its title is changed back.
    expect(result).toMatchObject({ added: 1, changed: 2, unchanged: 0, refused: [] });
    const found = await new TableContext(storage).query(Blog).where({ channel: "New" }).toArray();
    expect(found).toMatchObject([{ title: blog["title"], views: BigInt(String(blog["views"])) }]);
  });

  test("are written in the current version", async () => {
    const old = await stored("Orders", "PartitionKey eq 'shop1' and RowKey eq 'o1'");

    const { added } = await paste([{ ...old, RowKey: "new" }], "Orders", "Order");
    await api.ask("POST staged/save", {});

    expect([old["Qty"], added]).toEqual([1, 1]);
    expect(await storage.get("Orders", { partitionKey: old.PartitionKey, rowKey: "new" })).toMatchObject({
      SchemaVersion: 3,
      Quantity: 1,
      State: "open",
    });
  });

  test("are refused if they are of another class, or have more than the class declares", async () => {
    const blog = await stored("Blogs", "PartitionKey eq 'Azure' and Kind eq 'Blog'");
    const comment = await stored("Blogs", "PartitionKey eq 'Azure' and Kind eq 'Comment'");

    const { refused, staged } = await paste([{ ...blog, Legacy: 1 }, comment], "Blogs", "Blog");

    expect(staged).toEqual([]);
    expect(refused[0]).toMatch(/has Legacy, which Blog does not declare/);
    expect(refused[1]).toMatch(/is not a Blog/);
  });
});

test("text that is not rows is refused with its line", async () => {
  const text = 'PartitionKey,RowKey,A,A@type\na,1,5,Edm.Int32\na,2,"many",Edm.Int32\n';

  const result = await api.ask<PastedRows>("POST staged/paste", { table: "Hostile", text });

  expect(result).toMatchObject({ added: 1, refused: [expect.stringMatching(/^Line 3: A /)] });
});

test("CSV without types is refused, because a guess may be wrong", async () => {
  const text = "PartitionKey,RowKey,A\na,1,007\n";

  const { status, json } = await api.response("POST staged/paste", { table: "Hostile", text });

  expect([status, (json as Error).message]).toEqual([400, expect.stringMatching(/columns without types/)]);
  expect(await api.ask("GET staged")).toEqual([]);
});

test("a read-only studio copies, but refuses cells and rows", async () => {
  const readOnly = await openApi(storage, [], true);

  const copied = await readOnly.response("POST rows/copy", { table: "Hostile", rows: [], format: "jsonl" });
  const refused = await Promise.all([
    readOnly.response("POST staged/cells", { table: "Hostile", rows: [] }),
    readOnly.response("POST staged/paste", { table: "Hostile", text: "" }),
  ]);

  expect(copied.status).toBe(200);
  for (const response of refused) expect(response.json).toMatchObject({ code: "studio.read-only" });
});
