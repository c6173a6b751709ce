import { TableClient } from "@azure/data-tables";
import { openStorage } from "@partita/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";
import { asker } from "../ask.ts";
import { checkPages, checkStoredPages, fill } from "./page-counts.ts";

describe.each([
  ["", {}],
  [" whose pages are short", { pageSize: 2 }],
])("over a server%s", (_title, options) => {
  let server: TableServer;
  beforeAll(async () => {
    server = await startTableServer(options);
    await using storage = await openStorage(server.connectionString);
    await fill(storage);
  });
  afterAll(() => server.close());

  test("n rows are as many pages as they need, and no more", async () => {
    await using storage = await openStorage(server.connectionString);

    expect(await checkPages(storage)).toBe(800);
    expect("pageSize" in options ? 100 : await checkStoredPages(storage)).toBe(100);
  });

  test("Microsoft's client reads ten rows by five in two pages", async () => {
    const client = TableClient.fromConnectionString(server.connectionString, "Ten", {
      allowInsecureConnection: true,
    });
    await client.createTable();
    for (let i = 0; i < 10; i++) await client.createEntity({ partitionKey: "p", rowKey: `r${i}` });
    const sizes: number[] = [];
    for await (const page of client.listEntities().byPage({ maxPageSize: 5 })) sizes.push(page.length);

    expect(sizes).toEqual("pageSize" in options ? [2, 2, 2, 2, 2] : [5, 5]);
  });

  test("the list of tables ends with its last name", async () => {
    const ask = asker(server);
    const { text } = await ask("/Tables");
    expect(text).toContain("Plain0");
    for (const top of [1, 3, 7, 19, 20, 21]) {
      let [next, count] = ["", 0];
      const names: string[] = [];
      do {
        const filter = "$filter=TableName ne 'Ten'";
        const page = await ask(`/Tables?$top=${top}&${filter}${next}`);
        names.push(...[...page.text.matchAll(/"TableName":"(\w+)"/g)].map(([, name]) => name as string));
        const token = page.headers.get("x-ms-continuation-nexttablename");
        next = token === null ? "" : `&NextTableName=${encodeURIComponent(token)}`;
        count++;
      } while (next !== "");
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBe(20);
      expect(count).toBe("pageSize" in options ? Math.ceil(20 / Math.min(top, 2)) : Math.ceil(20 / top));
    }
  });
});
