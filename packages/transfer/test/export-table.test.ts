import { forwardStorage } from "@partita/core/internal";
import { type ExportProgress, exportTable } from "../src/index.ts";
import { openStorage, type TableStorage } from "@partita/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fill } from "@partita/test-support/rows";
import { textOf } from "./text-of.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await fill(storage, "Runners", [
    {
      PartitionKey: "a",
      RowKey: "1",
      Name: 'Ann "A", the first',
      Ratio: 5,
      "Ratio@odata.type": "Edm.Double",
    },
    { PartitionKey: "a", RowKey: "2", Large: "12", "Large@odata.type": "Edm.Int64", Name: "", Count: 7 },
    { PartitionKey: "b", RowKey: "", Yes: true, Name: "two\nlines" },
  ]);
});
afterEach(() => storage.close());

test("JSON lines have keys first, types where their form does not name them, and no ETag", async () => {
  expect(await textOf(storage, "Runners", { format: "jsonl" })).toBe(
    [
      '{"PartitionKey":"a","RowKey":"1","Name":"Ann \\"A\\", the first","Ratio@odata.type":"Edm.Double","Ratio":5}',
      '{"PartitionKey":"a","RowKey":"2","Large@odata.type":"Edm.Int64","Large":"12","Name":"","Count":7}',
      '{"PartitionKey":"b","RowKey":"","Yes":true,"Name":"two\\nlines"}',
      "",
    ].join("\n"),
  );
});

test("CSV has the columns of Storage Explorer, and a type beside each value", async () => {
  expect(await textOf(storage, "Runners", { format: "csv", timestamps: false })).toBe(
    [
      "PartitionKey,RowKey,Name,Name@type,Ratio,Ratio@type,Large,Large@type,Count,Count@type,Yes,Yes@type",
      'a,1,"Ann ""A"", the first",Edm.String,5,Edm.Double,,,,,,',
      "a,2,,Edm.String,,,12,Edm.Int64,7,Edm.Int32,,",
      'b,"","two\nlines",Edm.String,,,,,,,true,Edm.Boolean',
      "",
    ].join("\r\n"),
  );
});

test("CSV has Timestamps, unless they are left out, and JSON lines have them where they are asked for", async () => {
  const [header, first] = (await textOf(storage, "Runners", { format: "csv" })).split("\r\n");
  expect(header).toMatch(/^PartitionKey,RowKey,Timestamp,Name,/);
  expect(first).toMatch(/^a,1,\d{4}-\d\d-\d\dT[\d:.]+Z,/);
  const [line = ""] = (await textOf(storage, "Runners", { format: "jsonl", timestamps: true })).split("\n");
  expect(Object.keys(JSON.parse(line) as object).slice(0, 3)).toEqual([
    "PartitionKey",
    "RowKey",
    "Timestamp",
  ]);
});

test("some rows and some columns are exported", async () => {
  const options = { filter: "PartitionKey eq 'a'", columns: ["Count", "Name"], timestamps: false } as const;
  expect(await textOf(storage, "Runners", { format: "csv", ...options })).toBe(
    [
      "PartitionKey,RowKey,Count,Count@type,Name,Name@type",
      'a,1,,,"Ann ""A"", the first",Edm.String',
      "a,2,7,Edm.Int32,,Edm.String",
      "",
    ].join("\r\n"),
  );
  expect(await textOf(storage, "Runners", { format: "jsonl", ...options, columns: ["Count"] })).toBe(
    '{"PartitionKey":"a","RowKey":"1"}\n{"PartitionKey":"a","RowKey":"2","Count":7}\n',
  );
});

test("an empty table is an empty text, or a header", async () => {
  await storage.createTable("Empty");
  expect(await textOf(storage, "Empty", { format: "jsonl" })).toBe("");
  expect(await textOf(storage, "Empty", { format: "csv" })).toBe("PartitionKey,RowKey,Timestamp\r\n");
});

test("progress has the rows that were read, and the bytes that were given out", async () => {
  const seen: ExportProgress[] = [];
  const text = await textOf(storage, "Runners", { format: "csv", onProgress: (at) => void seen.push(at) });
  expect(seen.at(-1)).toEqual({
    table: "Runners",
    step: "rows",
    rows: 3,
    omitted: { messages: 0, markers: 0, indexRows: 0 },
    bytes: Buffer.byteLength(text),
  });
});

test("a page is read when it is asked for", async () => {
  await fill(
    storage,
    "Many",
    Array.from({ length: 5000 }, (_, i) => ({ PartitionKey: "a", RowKey: String(i), Text: "x".repeat(100) })),
  );
  let pages = 0;
  const counted = forwardStorage(storage, { query: (...call) => (pages++, storage.query(...call)) });
  for await (const chunk of exportTable(counted, "Many", { format: "jsonl" })) {
    expect(chunk.endsWith("\n")).toBe(true);
    expect(chunk.length).toBeLessThan(100_000);
    break;
  }
  expect(pages).toBe(1);
});

test("an export is stopped by its signal", async () => {
  const options = { format: "jsonl", signal: AbortSignal.abort() } as const;
  await expect(textOf(storage, "Runners", options)).rejects.toMatchObject({ code: "storage.cancelled" });
});

test("a property that was written after the columns were read is not lost in silence", async () => {
  let isFirst = true;
  const written = forwardStorage(storage, {
    query: async (...call) => {
      const page = await storage.query(...call);
      const entity = { PartitionKey: "c", RowKey: "1", Late: "x" };
      if (isFirst) await storage.write("Runners", { type: "insert", entity });
      isFirst = false;
      return page;
    },
  });
  await expect(textOf(written, "Runners", { format: "csv" })).rejects.toMatchObject({
    code: "transfer.column",
    details: { property: "Late" },
  });
});

test.each([
  [{}],
  [{ format: "xml" }],
  [{ format: "csv", columns: ["RowKey"] }],
  [{ format: "csv", columns: ["Name@type"] }],
  [{ format: "csv", columns: ["Name", "Name"] }],
  [{ format: "csv", timestamp: true }],
])("%o is refused at the call", (options) => {
  expect(() => exportTable(storage, "Runners", options as never)).toThrow(
    expect.objectContaining({ code: "transfer.option" }) as Error,
  );
});

test("a filter that is none is refused at the call", () => {
  expect(() => exportTable(storage, "Runners", { format: "csv", filter: "Name is 1" })).toThrow(
    expect.objectContaining({ code: "query.filter-syntax" }) as Error,
  );
});
