import { TableContext, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { beforeEach, describe, expect, test } from "vitest";
import type { RowPage } from "../../src/api/queries.ts";
import type { MultiEditResult, OpenRow, SaveSummary, StagedChange } from "../../src/api/staged.ts";
import { Blog, Comment, Order, sampleStore } from "../sample-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

let stored: TableStorage;
let api: OpenApi;
/** What the storage waits for before it does anything. */
let gate: Promise<void>;
beforeEach(async () => {
  stored = await sampleStore();
  gate = Promise.resolve();
  const afterGate =
    <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await gate;
      return work(...args);
    };
  const gated = forwardStorage(stored, {
    query: afterGate((...args: Parameters<TableStorage["query"]>) => stored.query(...args)),
    get: afterGate((...args: Parameters<TableStorage["get"]>) => stored.get(...args)),
    write: afterGate((...args: Parameters<TableStorage["write"]>) => stored.write(...args)),
    transact: afterGate((...args: Parameters<TableStorage["transact"]>) => stored.transact(...args)),
  });
  api = await openApi(gated, [Blog, Comment, Order]);
});

/** Begins to hold the storage; the result lets it go on. */
function hold(): () => void {
  let open = (): void => undefined;
  gate = new Promise((resolve) => (open = resolve));
  return open;
}

async function otherWriter(title = "Theirs"): Promise<void> {
  const context = new TableContext(stored);
  const [blog] = await context.query(Blog).where({ channel: "Azure" }).take(1).toArray();
  (blog as Blog).title = title;
  await context.saveChanges();
}

describe.each([
  { way: "an entity", className: "Blog" },
  { way: "a stored row", className: undefined },
])("$way that two tabs edit", ({ className }) => {
  async function rowsOf(size: number): Promise<RowPage["rows"]> {
    const text =
      className === undefined ? "PartitionKey eq 'Azure' and Kind eq 'Blog'" : "channel eq 'Azure'";
    return (await api.ask<RowPage>("POST rows/page", { table: "Blogs", className, text, size })).rows;
  }
  async function openFirst(): Promise<OpenRow> {
    return api.ask("POST staged/open", { table: "Blogs", ...(await rowsOf(1))[0], className });
  }
  const editOf = ({ id, etag }: OpenRow, value: string): object => ({
    id,
    etag,
    changes: [{ name: "title", type: "String", value }],
  });
  async function titles(): Promise<unknown[]> {
    const blogs = new TableContext(stored).query(Blog).where({ channel: "Azure" });
    return (await blogs.take(2).toArray()).map(({ title }) => title);
  }
  test("keeps what was staged while the other tab was reading the row", async () => {
    const row = await openFirst();

    const goOn = hold();
    const opening = api.ask("POST staged/open", { ...row, className });
    const editing = api.ask("POST staged/edit", editOf(row, "Mine"));
    goOn();
    await Promise.all([opening, editing]);

    expect(await api.ask("GET staged")).toMatchObject([{ properties: [{ name: "title", after: "Mine" }] }]);
  });

  test("refuses what is edited while a save stores the row, and does not take it for saved", async () => {
    const row = await openFirst();
    await api.ask("POST staged/edit", editOf(row, "First"));

    const goOn = hold();
    const saving = api.ask<SaveSummary>("POST staged/save", {});
    const editing = api.response("POST staged/edit", editOf(row, "Second"));
    goOn();

    expect(await saving).toEqual({ saved: 1, staged: [] });
    expect(await editing).toMatchObject({ status: 404 });
    expect((await titles())[0]).toBe("First");
  });

  test("is not saved over values that the editing tab never saw", async () => {
    const row = await openFirst();
    await otherWriter();
    const again = await openFirst();

    const edited = await api.response("POST staged/edit", editOf(row, "Mine"));
    const removed = await api.response("POST staged/remove", { id: row.id, etag: row.etag });

    expect(again.cells).toContainEqual(["title", "String", "Theirs"]);
    for (const refused of [edited, removed])
      expect(refused).toMatchObject({ status: 409, json: { code: "studio.read-again" } });
    expect(await api.ask("GET staged")).toEqual([]);
  });

  test("is removed with others only where it is as it was seen", async () => {
    const rows = await rowsOf(2);
    await otherWriter();

    const result = await api.ask<MultiEditResult>("POST staged/remove-many", {
      table: "Blogs",
      className,
      rows,
    });
    const { saved } = await api.ask<SaveSummary>("POST staged/save", {});

    expect(result).toEqual({ staged: 1, changedSince: [{ partitionKey: "Azure", rowKey: rows[0]?.rowKey }] });
    expect(saved).toBe(1);
    expect(await titles()).toEqual(["Theirs", "Azure note 58"]);
  });

  test("is not edited while it is staged to be deleted", async () => {
    const row = await openFirst();
    await api.ask("POST staged/remove", { id: row.id, etag: row.etag });

    const edited = await api.response("POST staged/edit", editOf(row, "Mine"));
    const many = await api.response("POST staged/edit-many", {
      ...editOf(row, "Mine"),
      table: "Blogs",
      className,
      rows: [row],
    });

    for (const refused of [edited, many])
      expect(refused.json).toMatchObject({
        message: expect.stringContaining("staged to be deleted") as string,
      });
    expect(await api.ask("GET staged")).toMatchObject([{ state: "deleted" }]);
  });

  test("is discarded with all others, though a tab names some that were saved before", async () => {
    const row = await openFirst();
    await api.ask("POST staged/edit", editOf(row, "Mine"));

    const left = await api.ask<StagedChange[]>("POST staged/discard", { ids: ["e999", row.id, "r999"] });

    expect(left).toEqual([]);
  });
});

test("an entity whose row changed twice in one conflict, and was left to the others, can be edited again", async () => {
  const query = { table: "Blogs", className: "Blog", text: "channel eq 'Azure'", size: 1 };
  const [seen] = (await api.ask<RowPage>("POST rows/page", query)).rows;
  const open = (): Promise<OpenRow> =>
    api.ask("POST staged/open", { table: "Blogs", ...seen, className: "Blog" });
  const edit = async (title: string): Promise<SaveSummary> => {
    const { id, etag } = await open();
    await api.ask("POST staged/edit", {
      id,
      etag,
      changes: [{ name: "title", type: "String", value: title }],
    });
    if (title === "Mine") await otherWriter("Theirs");
    return api.ask("POST staged/save", {});
  };
  const [conflicting] = (await edit("Mine")).staged;
  await otherWriter("Theirs again");
  const theirEtag = conflicting?.conflict?.theirEtag;
  await api.ask("POST staged/resolve", { id: conflicting?.id, theirEtag, choice: "theirs" });

  expect((await open()).cells).toContainEqual(["title", "String", "Theirs again"]);
  expect(await edit("Mine at last")).toEqual({ saved: 1, staged: [] });
});

test("a new row is staged once, however often it is asked for", async () => {
  const row = { table: "Hostile", partitionKey: "p", rowKey: "new", cells: [] };
  await api.ask("POST staged/insert", row);

  const again = await api.response("POST staged/insert", row);

  expect(again.json).toMatchObject({ message: "A new row with this key is already staged." });
  expect(await api.ask("GET staged")).toHaveLength(1);
});
