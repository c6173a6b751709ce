import type { TableStorage } from "@partita/core";
import type { ContinuationToken } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";
import { beforeEach, describe, expect, test } from "vitest";
import type { Row } from "../../src/api/cells.ts";
import type { Extent, PlanResponse, RowPage } from "../../src/api/queries.ts";
import type { StorageInfo } from "../../src/api/tables.ts";
import { withLargeTable } from "../large-storage.ts";
import { Blog, Comment, hostileTexts, Order, sampleStore } from "../sample-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

let storage: TableStorage;
let api: OpenApi;
beforeEach(async () => {
  storage = await sampleStore();
  api = await openApi(storage, [Blog, Comment, Order]);
});

const valueOf = (row: Row | undefined, name: string): unknown =>
  row?.cells.find(([own]) => own === name)?.[2];

async function planOf(table: string, className: string | undefined, text: string): Promise<PlanResponse> {
  return api.ask("POST rows/plan", { table, className, text });
}

describe("the tables", () => {
  test("are listed with their classes, versions, fields and children", async () => {
    const { tables } = await api.ask<StorageInfo>("GET info");

    expect(tables.map(({ name }) => name)).toEqual(["Blogs", "Hostile", "Orders"]);
    expect(tables[2]?.classes).toMatchObject([{ name: "Order", version: 3, hasUpgrades: true }]);
    const [blog] = tables[0]?.classes ?? [];
    expect(blog).toMatchObject({ kind: "Blog", children: ["Comment"] });
    expect(blog?.fields.slice(0, 2)).toMatchObject([
      { name: "channel", key: "PartitionKey", type: "String" },
      { name: "postedOn", key: "RowKey", type: "DateTime" },
    ]);
  });
});

describe("a query by class", () => {
  test("is planned and rated before it runs, with values of the class's own types", async () => {
    const plans = [
      ["channel eq 'Azure' and postedOn eq datetime'2024-01-05T09:00:00Z'", "best"],
      ["channel eq 'Azure' and postedOn ge datetime'2024-01-05T09:00:00Z'", "good"],
      ["channel eq 'Azure' and views gt 5", "fair"],
      ["rating ge 3 or not (title eq 'x')", "worst"],
    ] as const;
    for (const [text, rating] of plans)
      expect(await planOf("Blogs", "Blog", text)).toMatchObject({ plan: { rating } });
  });

  test("reports what is wrong with it", async () => {
    const problems = [
      ["nothing eq 1", "Blog declares no nothing"],
      ["rating eq 'x'", "Blog.rating takes a whole number"],
      ["tags eq 'x'", "tags is JSON"],
      ["rating eq", "incomplete"],
    ] as const;
    for (const [text, problem] of problems)
      expect(await planOf("Blogs", "Blog", text)).toMatchObject({
        problem: expect.stringContaining(problem) as string,
      });
  });

  test("that scans is refused until it is allowed; all rows are read page by page", async () => {
    const query = { table: "Blogs", className: "Blog", text: "rating eq 5", size: 1000 };

    const refused = await api.response("POST rows/page", query);
    const allowed = await api.ask<RowPage>("POST rows/page", { ...query, allowScan: true });
    const all = await api.ask<RowPage>("POST rows/page", { ...query, text: "" });

    expect(refused).toMatchObject({ status: 422, json: { code: "query.scan" } });
    expect(refused.json).toMatchObject({ message: expect.stringContaining("channel") as string });
    expect(allowed.rows.every((row) => valueOf(row, "rating") === 5)).toBe(true);
    expect(allowed.rows).toHaveLength(28);
    expect(all.rows).toHaveLength(168);
  });

  test("gives rows of older versions as the class has them, and children below their parents", async () => {
    const orders = await api.ask<RowPage>("POST rows/page", {
      table: "Orders",
      className: "Order",
      text: "",
      size: 3,
    });
    const key = {
      table: "Blogs",
      className: "Blog",
      text: "channel eq 'Azure' and title eq 'Azure note 3'",
      size: 9,
    };
    const [parent] = (await api.ask<RowPage>("POST rows/page", key)).rows;
    const children = await api.ask<Row[]>("POST rows/children", { ...key, ...parent });

    expect(orders.rows.map((row) => valueOf(row, "State"))).toEqual(["open", "open", "open"]);
    expect(children.map((row) => [row.className, valueOf(row, "author")])).toEqual([
      ["Comment", "Ada"],
      ["Comment", "Grace"],
    ]);
  });
});

test.each([undefined, "Blog"])(
  "a query that nobody waits for any more reads no further (class: %s)",
  async (className) => {
    const stop = new AbortController();
    let asked = 0;
    const endless = forwardStorage(storage, {
      query: async () => {
        asked++;
        if (asked === 3) stop.abort();
        return { entities: [], next: String(asked) as ContinuationToken };
      },
    });
    const reading = await openApi(endless, [Blog, Comment]);
    const query = { table: "Blogs", className, text: "rating eq 99", allowScan: true, size: 10 };

    const { status } = await reading.response("POST rows/page", query, stop.signal);
    const page = asked;
    await reading.response("POST rows/extent", query, stop.signal);

    expect([status === 200, page, asked <= page + 1]).toEqual([false, 3, true]);
  },
);

describe("rows as they are stored", () => {
  test("keep every type and text, and are found by keys and filters with a plan", async () => {
    const { rows } = await api.ask<RowPage>("POST rows/page", { table: "Hostile", text: "", size: 100 });
    const key = rows[0]?.partitionKey ?? "";

    expect(rows.map((row) => valueOf(row, "Text"))).toEqual(hostileTexts);
    expect(rows[3]?.cells.map(([name, type]) => [name, type])).toContainEqual(["Count", "Int32"]);
    expect(await planOf("Hostile", undefined, `PartitionKey eq '${key}' and Count gt 3`)).toMatchObject({
      plan: { rating: "fair", needsPermission: false },
    });
    expect(await planOf("Hostile", undefined, "Count gt 3")).toMatchObject({
      plan: {
        rating: "worst",
        needsPermission: true,
        missing: ["PartitionKey"],
        text: expect.stringContaining("table Hostile") as string,
      },
    });
  });

  test("of a large table have a mark for each page, by which any page is read alone", async () => {
    const large = await openApi(withLargeTable(storage, 20_500), []);
    const query = { table: "Large", text: "", size: 500 };
    const pages = [];
    let after: string | undefined;
    do {
      const extent: Extent = await large.ask("POST rows/extent", { ...query, after });
      pages.push(...extent.pages);
      after = extent.next;
    } while (after !== undefined);
    const last = await large.ask<RowPage>("POST rows/page", { ...query, after: pages.at(-1)?.after });

    expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(20_500);
    expect(valueOf(last.rows.at(-1), "Number")).toBe(20_499);
    expect(last.next).toBeUndefined();
  });
});
