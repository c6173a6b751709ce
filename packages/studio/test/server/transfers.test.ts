import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";
import { rowsOf, sourceOf } from "@partita/test-support/rows";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { beforeEach, describe, expect, test } from "vitest";
import type { Job } from "../../src/api/jobs.ts";
import type { ExportRequest, FileForm, ImportPreview } from "../../src/api/transfers.ts";
import type { TextStream } from "../../src/server/files/text-stream.ts";
import type { StorageInfo } from "../../src/api/tables.ts";
import { citiesOf, City, Country, generatedStore } from "../generated-store.ts";
import { Blog, Comment, Order, sampleStore } from "../sample-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

const forms: readonly FileForm[] = ["jsonl", "csv"];

let storage: TableStorage;
let api: OpenApi;
beforeEach(async () => {
  storage = await generatedStore();
  api = await openApi(storage, [City, Country]);
});

async function exported(asked: Partial<ExportRequest>, from: OpenApi = api): Promise<string> {
  const request = { table: "Places", text: "", format: "jsonl", scope: "table", ...asked };
  const { status, json } = await from.response("POST files/export", request);
  if (status !== 200) throw new Error((json as { message: string }).message);
  let text = "";
  for await (const chunk of (json as TextStream).chunks) text += chunk;
  return text;
}

async function imported(
  table: string,
  text: string,
  options: { readonly existing?: string; readonly types?: string; readonly bad?: string } = {},
  into: OpenApi = api,
): Promise<Job> {
  const body = { table, existing: "refuse", ...options, source: sourceOf(new TextEncoder().encode(text)) };
  const { status, json } = await into.responseTo("POST files/import", body);
  if (status !== 200) throw new Error((json as { message: string }).message);
  return json as Job;
}

const rowsIn = (table: string, of: TableStorage = storage): Promise<StoredEntity[]> => rowsOf(of, table);

async function ended(id: string): Promise<Job> {
  for (;;) {
    const job = (await api.ask<readonly Job[]>("GET jobs")).find((each) => each.id === id);
    if (job !== undefined && job.state !== "running") return job;
    await new Promise(setImmediate);
  }
}

describe("an export", () => {
  test.each(forms)("of a table as %s is imported with every value and type", async (format) => {
    const stored = await sampleStore();
    const own = await openApi(stored, [Blog, Comment, Order]);
    for (const table of ["Blogs", "Hostile", "Orders"]) {
      const text = await exported({ table, format }, own);
      const job = await imported(`${table}2`, text, {}, own);

      expect(job).toMatchObject({ state: "done", transfer: { problems: [], refused: 0 } });
      expect(await rowsIn(`${table}2`, stored)).toEqual(await rowsIn(table, stored));
    }
  });

  test.each(forms)("of a query by class as %s has its rows as stored", async (format) => {
    const text = await exported({
      className: "City",
      text: "partitionKey eq 'FR' and number lt 9997100000",
      scope: "query",
      format,
    });
    await imported("Copy", text);

    const rows = await rowsIn("Copy");
    expect(rows).toHaveLength(10);
    expect(rows).toEqual((await rowsIn("Places")).slice(0, 10));
  });

  test("of a class alone leaves out the rows of others", async () => {
    const lines = (await exported({ className: "Country", scope: "query" })).trim().split("\n");

    expect(lines).toHaveLength(2);
  });

  test("of a stored query has the rows of its filter", async () => {
    const text = "PartitionKey in ('JP') and startswith(RowKey, 'City_9998')";

    expect((await exported({ text, scope: "query" })).trim().split("\n")).toHaveLength(100);
  });

  test.each(forms)(
    "of a selection as %s has these rows, or says that some no longer exist",
    async (format) => {
      const [first, second] = (await rowsIn("Places")) as [StoredEntity, StoredEntity];
      const keys = [first, second].map((row) => ({ partitionKey: row.PartitionKey, rowKey: row.RowKey }));
      await imported("Copy", await exported({ scope: "selection", keys, format }));
      expect(await rowsIn("Copy")).toEqual([first, second]);

      await storage.write("Places", { type: "delete", key: keys[0] as (typeof keys)[number], etag: "*" });
      await expect(exported({ scope: "selection", keys, format })).rejects.toThrow("1 of the selected rows");
    },
  );

  test("of a scan needs permission", async () => {
    const query = { className: "City", text: "name eq 'FR 1'", scope: "query" } as const;

    await expect(exported(query)).rejects.toThrow("reads the whole table Places");
    expect((await exported({ ...query, allowScan: true })).trim().split("\n")).toHaveLength(1);
  });

  test("fails if another program adds a property after the columns were read", async () => {
    let reads = 0;
    const changing = forwardStorage(storage, {
      async query(table, query, options) {
        const page = await storage.query(table, query, options);
        if (++reads < 2) return page;
        return { ...page, entities: page.entities.map((row) => ({ ...row, Added: 1 })) };
      },
    });
    const own = await openApi(changing, [City, Country]);
    const asked = { className: "City", text: "partitionKey eq 'FR'", scope: "query", format: "csv" } as const;

    await expect(exported(asked, own)).rejects.toThrow("wrote a new property");
  });
});

describe("an import", () => {
  const line = (name: string): string => `{"PartitionKey":"p","RowKey":"r","Name":"${name}"}\n`;

  test("treats existing rows as the user chooses", async () => {
    await imported("New", line("first"));

    const refused = await imported("New", line("second"));
    const skipped = await imported("New", line("second"), { existing: "skip" });
    const merged = await imported("New", `{"PartitionKey":"p","RowKey":"r","Other":1}`, {
      existing: "merge",
    });

    expect(refused.state).toBe("failed");
    expect(refused.error).toContain("already has rows");
    expect(skipped).toMatchObject({ state: "done", transfer: { written: 0, skipped: 1 } });
    expect(merged).toMatchObject({ state: "done", transfer: { written: 1 } });
    expect(await rowsIn("New")).toEqual([{ PartitionKey: "p", RowKey: "r", Name: "first", Other: 1 }]);
  });

  test("of CSV without types needs a choice", async () => {
    const csv = "PartitionKey,RowKey,Age\r\np,r,5\r\n";

    const refused = await imported("Untyped", csv);
    await imported("Inferred", csv, { types: "infer" });
    await imported("Texts", csv, { types: "text" });

    expect(refused.error).toContain("have no types after its first rows: Age");
    expect(await rowsIn("Inferred")).toMatchObject([{ Age: 5 }]);
    expect(await rowsIn("Texts")).toMatchObject([{ Age: "5" }]);
  });

  test("stops at a bad line, or skips and reports it", async () => {
    const text = `${line("good")}{"PartitionKey":"p"}\n`;

    const stopped = await imported("Bad", text);
    const skipped = await imported("Bad", text, { existing: "replace", bad: "skip" });

    expect(stopped).toMatchObject({ state: "failed" });
    expect(stopped.error).toContain("Line 2: ");
    expect(skipped).toMatchObject({ state: "done", transfer: { written: 1, refused: 1 } });
    expect(skipped.transfer?.problems).toEqual([expect.stringContaining("Line 2")]);
  });

  test("is previewed with the types of its columns", async () => {
    const preview = (start: string, isComplete = true): Promise<ImportPreview> =>
      api.ask("POST files/preview", { start, isComplete });

    expect(await preview(`${line("a")}{"PartitionKey":"p","RowKey":"s","Name":1}\n{"Partit`, false)).toEqual({
      format: "jsonl",
      columns: [{ name: "Name", types: ["String", "Int32"] }],
      rows: [
        { partitionKey: "p", rowKey: "r", values: ["a"] },
        { partitionKey: "p", rowKey: "s", values: ["1"] },
      ],
      problems: [],
      isUntyped: false,
    });
    expect(await preview("PartitionKey,RowKey,Age,Age@type\r\np,r,5,Edm.Int64\r\n")).toMatchObject({
      format: "csv",
      columns: [{ name: "Age", types: ["Int64"] }],
      isUntyped: false,
    });
    expect(await preview(`{"PartitionKey":"p","RowKey":"r"}\n${line("a")}`)).toMatchObject({
      rows: [{ values: [null] }, { values: ["a"] }],
    });
    expect(await preview("PartitionKey,RowKey,Age\r\np,r,5\r\n")).toMatchObject({
      columns: [{ name: "Age", types: ["Int32"] }],
      isUntyped: true,
    });
    expect(await preview("PartitionKey,RowKey,Age,Age@type\r\np,r,5,\r\n")).toMatchObject({
      isUntyped: true,
    });
    await expect(preview("no,table\r\n1,2")).rejects.toThrow("PartitionKey and RowKey");
  });
});

describe("a table", () => {
  test("is copied to another table or storage", async () => {
    await using folder = await temporaryFolder();
    const target = `file:${folder.file("copy.db")}`;
    const copy = { type: "copy", table: "Places", existing: "refuse" };
    const inside = await api.ask<Job>("POST jobs/start", { ...copy, as: "Places2" });
    expect(await ended(inside.id)).toMatchObject({ state: "done", transfer: { written: 2 * citiesOf + 2 } });
    const outside = await api.ask<Job>("POST jobs/start", { ...copy, target, as: "Elsewhere" });
    expect(await ended(outside.id)).toMatchObject({ state: "done", transfer: { written: 2 * citiesOf + 2 } });

    await using other = await openStorage(target);
    expect(await rowsIn("Elsewhere", other)).toEqual(await rowsIn("Places"));
    expect(await rowsIn("Places2")).toEqual(await rowsIn("Places"));
  });

  test("is created, and dropped only with its name and without staged changes", async () => {
    const { tables } = await api.ask<StorageInfo>("POST tables/create", { table: "Fresh" });
    expect(tables.map(({ name }) => name)).toEqual(["Fresh", "Places"]);
    await expect(api.ask("POST tables/create", { table: "fresh" })).rejects.toThrow("already has the table");
    await expect(api.ask("POST tables/create", { table: "no name" })).rejects.toThrow("name");

    const key = { partitionKey: "p", rowKey: "r" };
    const staged = await api.ask<readonly { id: string }[]>("POST staged/insert", {
      table: "Fresh",
      ...key,
      cells: [],
    });
    const drop = { table: "Fresh", confirmed: "Fresh" };
    await expect(api.ask("POST tables/drop", { ...drop, confirmed: "fresh" })).rejects.toThrow("Type Fresh");
    await expect(api.ask("POST tables/drop", drop)).rejects.toThrow("1 staged changes");
    await api.ask("POST staged/discard", { ids: staged.map(({ id }) => id) });
    const after = await api.ask<StorageInfo>("POST tables/drop", drop);
    expect(after.tables.map(({ name }) => name)).toEqual(["Places"]);
  });

  test("of a read-only studio is exported, but not changed", async () => {
    const readOnly = await openApi(storage, [City, Country], true);
    const requests = {
      "POST tables/create": { table: "New" },
      "POST tables/drop": { table: "Places", confirmed: "Places" },
      "POST jobs/start": { type: "copy", table: "Places", as: "New", existing: "refuse" },
      "POST files/import": { table: "New", existing: "refuse" },
    };

    for (const [name, body] of Object.entries(requests))
      expect(await readOnly.response(name, body)).toMatchObject({
        status: 403,
        json: { code: "studio.read-only" },
      });
    expect(await exported({ scope: "table" }, readOnly)).toContain("FR 1");
    expect(await storage.listTables()).toEqual(["Places"]);
  });
});
