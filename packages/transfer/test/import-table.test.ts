import { createReadStream } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { forwardStorage } from "@partita/core/internal";
import {
  exportTable,
  type ImportOptions,
  type ImportProgress,
  importTable,
  type TransferError,
} from "../src/index.ts";
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fill, rowsOf, sourceOf } from "@partita/test-support/rows";
import { textOf } from "./text-of.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
});
afterEach(() => storage.close());

const explorerFile = (name: string): AsyncIterable<Buffer> =>
  createReadStream(join(import.meta.dirname, "storage-explorer", name));

const run = (text: string, options?: ImportOptions): ReturnType<typeof importTable> =>
  importTable(storage, "Runners", sourceOf(text), options);

/** The lines that an import skips. */
async function badLines(text: string, format?: "csv" | "jsonl"): Promise<TransferError[]> {
  const found: TransferError[] = [];
  await run(text, { format, types: "text", onBadLine: (bad) => void found.push(bad) });
  return found;
}

test("a file of Storage Explorer is read, with all types", async () => {
  expect(await importTable(storage, "Runners", explorerFile("typed.csv"))).toMatchObject({
    read: 2,
    written: 2,
  });
  expect(await rowsOf(storage, "Runners")).toEqual([
    {
      PartitionKey: "3",
      RowKey: "ABC",
      HLA: "01/02",
      isGeneric: true,
      Count: 7,
      "Large@odata.type": "Edm.Int64",
      Large: "9223372036854775807",
      "Ratio@odata.type": "Edm.Double",
      Ratio: 5,
      "At@odata.type": "Edm.DateTime",
      At: expect.stringMatching(/^2020-06-22T15:16:05.333/) as string,
      "Id@odata.type": "Edm.Guid",
      Id: "c9da6455-213d-42c9-9a79-3e9149a57833",
      "Bytes@odata.type": "Edm.Binary",
      Bytes: "AAEC",
      Note: 'one, "two"\nthree',
    },
    // An empty text has a type, and what is absent has none.
    {
      PartitionKey: "3",
      RowKey: "ABD",
      HLA: "",
      isGeneric: false,
      "Large@odata.type": "Edm.Int64",
      Large: "-1",
      Ratio: 1.5,
    },
  ]);
});

test("a file of Storage Explorer with types in its first row is read", async () => {
  await importTable(storage, "Runners", explorerFile("typed-first-row.csv"));
  const at = { "date@odata.type": "Edm.DateTime", date: "2025-09-22T09:45:35.2743359Z" };
  expect(await rowsOf(storage, "Runners")).toEqual([
    { PartitionKey: "1979671", RowKey: "1000", aggType: 2, alarmDateStart: "", alarmStatus: "ACK", ...at },
    { PartitionKey: "1979671", RowKey: "11", aggType: 4, alarmStatus: "End", ...at },
    { PartitionKey: "1979671", RowKey: "12" },
  ]);
});

test("cells without types are text if that is requested, and empty ones are absent", async () => {
  await importTable(storage, "Runners", explorerFile("untyped.csv"), { types: "text" });
  expect(await rowsOf(storage, "Runners")).toEqual([
    { PartitionKey: "a", RowKey: "1", Name: "first", Rating: "3" },
    { PartitionKey: "a", RowKey: "2", Rating: "NULL" },
  ]);
});

test("CR is a part of a cell, with quotation marks or without, and ends a line before LF only", async () => {
  await run('PartitionKey,RowKey,Note,Other\r\na,1,one\rtwo,"x\r"\r\na,2,"y","z"\r', { types: "text" });
  expect(await rowsOf(storage, "Runners")).toEqual([
    { PartitionKey: "a", RowKey: "1", Note: "one\rtwo", Other: "x\r" },
    { PartitionKey: "a", RowKey: "2", Note: "y", Other: "z" },
  ]);
});

test.each([
  ["Edm.Int32", "2147483648"],
  ["Edm.Int32", "1.0"],
  ["Edm.Int32", "null"],
  ["Edm.Int64", "9223372036854775808"],
  ["Int64", "0x10"],
  ["Edm.Double", "1e999"],
  ["Edm.Double", "1,5"],
  ["Edm.DateTime", "2026-02-29T00:00:00Z"],
  ["Edm.DateTime", "1600-12-31T00:00:00Z"],
  ["Edm.DateTime", "11/23/2026"],
  ["Edm.Guid", "c9da6455"],
  ["Edm.Binary", "AAE"],
  ["Edm.Boolean", "yes"],
  ["Edm.Decimal", "1"],
])("a cell of %s that is none makes its line a bad one", async (type, text) => {
  const csv = `PartitionKey,RowKey,Secret,Secret@type\r\na,1,"${text}",${type}\r\na,2,,${type.replace("Decimal", "Int32")}\r\n`;
  const [bad, ...others] = await badLines(csv);
  expect(others).toEqual([]);
  expect(bad).toMatchObject({ code: "transfer.line", details: { line: 2, property: "Secret" } });
  expect(`${bad?.message} ${JSON.stringify(bad?.details)}`).not.toContain(text);
  expect(bad?.cause).toBeUndefined();
});

test.each([
  ['{"PartitionKey":"a"}', "RowKey"],
  ['{"PartitionKey":1,"RowKey":"secret"}', "PartitionKey"],
  ['{"PartitionKey":"a","RowKey":"1","Secret":"secret', undefined],
  ['["secret"]', undefined],
  ['{"PartitionKey":"a","RowKey":"1","Name":{"secret":1}}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":9007199254740993}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":1e999}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":"1e999","Name@odata.type":"Edm.Double"}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":1.5,"Name@odata.type":"Edm.Int64"}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":"secret","Name@odata.type":"Edm.Guid"}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":"secret","Name@odata.type":"Edm.Secret"}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name":"\\ud800"}', "Name"],
  ['{"PartitionKey":"a","RowKey":"1","Name@odata.type":"Edm.Guid"}', "Name@odata.type"],
  ['{"PartitionKey":"a","RowKey":"1","Name":"secret","Name":"secret"}', undefined],
  ['{"PartitionKey":"a","RowKey":"1","Name":"x","N\\u0061me":"secret"}', undefined],
  ['{"PartitionKey":"a","RowKey":"1","RowKey" : "2"}', undefined],
])("%s is no row", async (line, property) => {
  const good = '{"PartitionKey":"a","RowKey":"2"}';
  const bad = await badLines(`${good}\n\n${line}\n${good}\n`);
  expect(bad).toHaveLength(1);
  expect(bad[0]).toMatchObject({ code: "transfer.line", details: { line: 3 } });
  expect(bad[0]?.details["property"]).toBe(property);
  expect(`${bad[0]?.message} ${JSON.stringify(bad[0]?.details)}`).not.toContain("secret");
  expect(bad[0]?.cause).toBeUndefined();
});

test.each([
  ["1.0", 1],
  ["-0.0", "-0.0"],
  ["2E3", 2000],
  ['"15e2","Name@odata.type":"Edm.Double"', 1500],
  ["5454161346626", 5_454_161_346_626],
  ['"-0","Name@odata.type":"Edm.Double"', "-0.0"],
  ['-0.0,"Name@odata.type":"Edm.Double"', "-0.0"],
  ['"INF","Name@odata.type":"Edm.Double"', "Infinity"],
])("%s of JSON is a Double, stored as one of Partita's own", async (json, stored) => {
  await run(`{"PartitionKey":"a","RowKey":"1","Note":"\\"\\\\\\":1.0,","Name" : ${json}}\n`);
  const [row] = await rowsOf(storage, "Runners");
  expect(row).toMatchObject({ Note: '"\\":1.0,', "Name@odata.type": "Edm.Double", Name: stored });
});

const header = "PartitionKey,RowKey,Note";

/** A text as a source of chunks of this size. */
const cut = (text: string, size: number): AsyncIterable<string> =>
  sourceOf(
    ...Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size)),
  );

test.each([
  ["CR", `${header}\ra,1,x\ra,2,"y\rz"\r\ra,3,w`],
  ["CR at the end", `${header}\ra,1,x\ra,2,"y\rz"\ra,3,w\r`],
  ["CRLF", `${header}\r\na,1,x\r\na,2,"y\rz"\r\na,3,w\r\n`],
  ["LF, with CR inside of a cell", `${header}\na,1,x\na,2,y\rz\na,3,w`],
])("lines of CSV may end with %s, however the file is cut", async (_name, text) => {
  const notes = ["x", "y\rz", "w"];
  for (let size = 1; size <= text.length; size++) {
    await importTable(storage, "Runners", cut(text, size), { types: "text" });
    expect((await rowsOf(storage, "Runners")).map((row) => row["Note"])).toEqual(notes);
    await storage.deleteTable("Runners");
  }
});

const first = '{"PartitionKey":"a","RowKey":"1","Note":"[{\\"}],"}';
const second = '{"PartitionKey":"a","RowKey":"2","Count":2.0}';

test.each([
  ["lines that end with LF", `${first}\n${second}\n`],
  ["lines that end with CRLF", `${first}\r\n${second}\r\n`],
  ["lines that end with CR", `${first}\r${second}`],
  ["a list", `[${first},${second}]`],
  ["a list with spaces", ` [\n  ${first} ,\n  ${second}\n]\n`],
  ["an answer", `{"value":[${first},${second}]}`],
  [
    "an answer with links",
    `{"odata.metadata":"https://a/$metadata#T","value":[${first},${second}],"odata.nextLink":"T?x","other":null}`,
  ],
  [
    "an answer that is indented",
    `{\n "odata.metadata" : "https://a/$metadata#T",\n "value" : [\n${first},\n${second}\n]\n}`,
  ],
])("rows of JSON may come as %s, however the file is cut", async (_name, text) => {
  for (const size of [1, 2, 3, 7, 50, text.length]) {
    expect(await importTable(storage, "Runners", cut(text, size))).toMatchObject({ read: 2, bad: 0 });
    expect(await rowsOf(storage, "Runners")).toEqual([
      { PartitionKey: "a", RowKey: "1", Note: '[{"}],' },
      { PartitionKey: "a", RowKey: "2", "Count@odata.type": "Edm.Double", Count: 2 },
    ]);
    await storage.deleteTable("Runners");
  }
});

test.each([
  `${header}\na,1,\uFEFFx\n`,
  '{"PartitionKey":"a","RowKey":"1","Note":"\uFEFFx"}',
  '[{"PartitionKey":"a","RowKey":"1","Note":"\uFEFFx"}]',
])("a byte order mark before rows is none of them, and one inside of a value is kept: %#", async (text) => {
  await importTable(storage, "Runners", sourceOf(Buffer.from(`\uFEFF${text}`)), { types: "text" });

  expect(await rowsOf(storage, "Runners")).toEqual([{ PartitionKey: "a", RowKey: "1", Note: "\uFEFFx" }]);
});

test("a list of many rows is read piece by piece", async () => {
  const rows = Array.from(
    { length: 5000 },
    (_, i) => `{"PartitionKey":"a","RowKey":"${i}","Note":"${"x".repeat(50)}"}`,
  );

  expect(await run(`[${rows.join(",\n")}]`)).toMatchObject({ read: 5000, written: 5000 });
});

test("a row of a list that is none is a bad line with its number, and the others are read", async () => {
  const bad = await badLines(`[\n${first},\n5,\n{"PartitionKey":"a"},\n[1,{"b":2}],\n${second}\n]`);

  expect(bad.map(({ code, details }) => [code, details["line"]])).toEqual([
    ["transfer.line", 3],
    ["transfer.line", 4],
    ["transfer.line", 5],
  ]);
  expect(await rowsOf(storage, "Runners")).toHaveLength(2);
});

test.each([`[${first},`, `[${first}`, `[${first},{"PartitionKey":"a`, `{"value":[${first}`, `[${first},}]`])(
  "a list that is not closed is refused: %#",
  async (text) => {
    await expect(run(text)).rejects.toMatchObject({ code: "transfer.text" });
  },
);

test.each([
  `[${first}]\n[${second}]`,
  `[${first}]\n${second}\n`,
  `{"value":[${first}],"odata.nextLink":"T?x"}\n{"value":[${second}]}`,
  `{"value":[${first}],"value":[${second}]}`,
  `{"value":[${first}],"more":[${second}]}`,
  `{"value":[${first}]`,
])("rows after the end of a list are refused instead of lost: %#", async (text) => {
  for (const size of [1, text.length]) {
    await expect(importTable(storage, "Runners", cut(text, size))).rejects.toMatchObject({
      code: "transfer.text",
    });
  }
});

test.each([`{\n"PartitionKey":"a",\n"RowKey":"1"\n}`, `${first}${second}`])(
  "rows of JSON that don't have a line each are refused with the forms that are read: %#",
  async (text) => {
    await expect(run(text)).rejects.toThrow(
      /it is not JSON\. Write each row on one line, or all rows as a list/,
    );
  },
);

test.each([
  ["gzip", gzipSync("PartitionKey,RowKey\na,1\n"), /compressed with gzip\. Decompress it first/],
  ["a spreadsheet", Buffer.from("PK\u0003\u0004\u00ff", "latin1"), /a zip archive or a spreadsheet/],
  ["UTF-16", Buffer.from("\uFEFFPartitionKey", "utf16le"), /it is UTF-16\. Save it as UTF-8/],
])("a file in another form is named: %s", async (_name, bytes, says) => {
  await expect(importTable(storage, "Runners", sourceOf(bytes))).rejects.toThrow(says);
});

test("a time without a zone is exported with a Z", async () => {
  await run(
    "PartitionKey,RowKey,At,At@type\na,1,2023-02-01T10:00:00,Edm.DateTime\na,2,2023-02-01,DateTime\n",
  );

  const [line, dated] = (await textOf(storage, "Runners", { format: "jsonl" })).split("\n");
  expect(JSON.parse(line as string)).toMatchObject({ At: "2023-02-01T10:00:00Z" });
  expect(JSON.parse(dated as string)).toMatchObject({ At: "2023-02-01T00:00:00Z" });
  expect(await textOf(storage, "Runners", { format: "csv", timestamps: false })).toBe(
    "PartitionKey,RowKey,At,At@type\r\na,1,2023-02-01T10:00:00Z,Edm.DateTime\r\na,2,2023-02-01T00:00:00Z,Edm.DateTime\r\n",
  );
});

test("null is no value, and ETag and Timestamp are the store's own", async () => {
  await run(
    '{"odata.etag":"x","PartitionKey":"a","RowKey":"1","Timestamp":"2020-01-01T00:00:00Z","Name":null,"Name@odata.type":"Edm.Guid"}\n',
  );
  expect(await rowsOf(storage, "Runners")).toEqual([{ PartitionKey: "a", RowKey: "1" }]);
});

test("the first bad line stops an import", async () => {
  await expect(run('{"PartitionKey":"a","RowKey":"1"}\nno row\n', { format: "jsonl" })).rejects.toMatchObject(
    {
      code: "transfer.line",
      message: expect.stringContaining(
        "Line 2 is not a row: it is not JSON. Correct it, or skip such lines with { onBadLine }.",
      ) as string,
    },
  );
});

test("a file that is none leaves no table, and one without rows an empty one", async () => {
  await expect(run("no file of rows")).rejects.toMatchObject({ code: "transfer.header" });
  await expect(run("{}\n")).rejects.toMatchObject({ code: "transfer.line" });
  expect(await storage.listTables()).toEqual([]);
  await run("");
  expect(await storage.listTables()).toEqual(["Runners"]);
});

test("the number of a line counts those inside of cells", async () => {
  const bad = await badLines('PartitionKey,RowKey,Name\n\na,1,"one\r\ntwo\n"\na,2\na,3,,\n,,\n');
  expect(bad.map(({ details }) => details)).toEqual([
    { line: 6, problem: "it has 2 cells, not 3" },
    { line: 7, problem: "it has 4 cells, not 3" },
    { line: 8, problem: "all of its cells are empty" },
  ]);
});

test.each([
  ["PartitionKey;RowKey;Name\na;1;x\n", "transfer.header"],
  ["PartitionKey,Name\na,x\n", "transfer.header"],
  ["PartitionKey,RowKey,Name,Name\na,1,x,y\n", "transfer.header"],
  ["PartitionKey,RowKey,Name@type\na,1,x\n", "transfer.header"],
  ["PartitionKey,RowKey,\na,1,x\n", "transfer.header"],
  ['PartitionKey,RowKey,Name\na,1,"x\na,2,y\n', "transfer.text"],
  ['PartitionKey,RowKey,Name\na,1,x"y\na,2,y\n', "transfer.text"],
  ['PartitionKey,RowKey,Name\na,1,"x"y\na,2,y\n', "transfer.text"],
  ['PartitionKey,RowKey,Name\na,1,"x"\ry\na,2,y\n', "transfer.text"],
])("%j cannot be divided into rows, whatever is skipped", async (text, code) => {
  await expect(run(text, { onBadLine: () => undefined })).rejects.toMatchObject({ code });
});

test("bytes that are not UTF-8 are refused, with the line they are at", async () => {
  const latin1 = Buffer.from('{"PartitionKey":"a","RowKey":"é"}\n', "latin1");
  const first = Buffer.from('{"PartitionKey":"a","RowKey":"1"}\n');
  await expect(importTable(storage, "Runners", sourceOf(first, latin1))).rejects.toMatchObject({
    code: "transfer.text",
    details: { line: 2 },
  });
  // A character that is cut off by the end.
  const cut = Buffer.from('{"PartitionKey":"a","RowKey":"é').subarray(0, -1);
  await expect(importTable(storage, "Runners", sourceOf(first, cut))).rejects.toMatchObject({
    code: "transfer.text",
  });
});

test("a quotation mark that is never closed does not collect a whole file", async () => {
  let chunks = 0;
  const endless = async function* (): AsyncGenerator<string> {
    yield 'PartitionKey,RowKey,Name\na,1,"';
    for (; ; chunks++) yield "x".repeat(1024 * 1024);
  };
  await expect(importTable(storage, "Runners", endless())).rejects.toMatchObject({ code: "transfer.text" });
  expect(chunks).toBeLessThan(64);
});

test("rows of some MiB are read", async () => {
  const text = "\u0001\n".repeat(16_000);
  const row = {
    PartitionKey: "a",
    RowKey: "1",
    ...Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`Text${i}`, text])),
  };
  await fill(storage, "Large", [row]);
  for (const format of ["jsonl", "csv"] as const) {
    await importTable(storage, format, exportTable(storage, "Large", { format }));
    expect(await rowsOf(storage, format)).toEqual([row]);
  }
});

test("rows of mixed partitions are written in whole transactions", async () => {
  let requests = 0;
  const counted = forwardStorage(storage, {
    write: (...call) => (requests++, storage.write(...call)),
    transact: (...call) => (requests++, storage.transact(...call)),
  });
  const lines = Array.from({ length: 5000 }, (_, i) => `${i % 10},${i}\n`);
  await importTable(counted, "Runners", sourceOf("PartitionKey,RowKey\n", ...lines));
  expect(requests).toBe(50);
  expect(await rowsOf(storage, "Runners")).toHaveLength(5000);
});

test("no more than 10,000 rows and a block of text are held", async () => {
  let [given, taken, most] = [0, 0, 0];
  const source = async function* (): AsyncGenerator<string> {
    yield "PartitionKey,RowKey\n";
    for (; given < 50_000; given += 100) {
      yield Array.from({ length: 100 }, (_, i) => `${i},${given}\n`).join("");
      most = Math.max(most, given - taken);
    }
  };
  const storing = forwardStorage(storage, {
    transact: async (_table, operations) => {
      taken += operations.length;
      return operations.map(() => ({}));
    },
  });
  await importTable(storing, "Runners", source());
  expect(taken).toBe(50_000);
  // A row is 8 characters or fewer, and a block has 65,536.
  expect(most).toBeLessThan(10_000 + 65_536 / 4);
});

test("a row that the store does not take is reported, and keeps no other one back", async () => {
  const lines = Array.from({ length: 100 }, (_, i) =>
    JSON.stringify({ PartitionKey: "a", RowKey: String(i), Name: i === 50 ? "x".repeat(40_000) : "x" }),
  );
  const report = await run(lines.join("\n"));
  expect(report).toMatchObject({ read: 100, written: 99, refused: 1, bad: 0 });
  expect(report.refusedRows).toMatchObject([
    { key: { partitionKey: "a", rowKey: "50" }, reason: { code: "storage.property-value-too-large" } },
  ]);
});

test("progress has rows and bytes", async () => {
  const seen: ImportProgress[] = [];
  const text = '{"PartitionKey":"a","RowKey":"é"}\n';
  await run(text, { onProgress: (progress) => void seen.push(progress) });
  expect(seen.at(-1)).toEqual({
    table: "Runners",
    read: 1,
    written: 1,
    skipped: 0,
    omitted: { messages: 0, markers: 0, indexRows: 0 },
    repeated: 0,
    refused: 0,
    bad: 0,
    bytes: Buffer.byteLength(text),
  });
});

test("after an import was stopped, the same import leaves the same rows", async () => {
  const rows = 12_000;
  const lines = Array.from({ length: rows }, (_, i) => `${i % 7},${i},${i}\n`).join("");
  const file = (): AsyncIterable<string> => sourceOf("PartitionKey,RowKey,Number\n", lines);
  const stop = new AbortController();
  const stopped = importTable(storage, "Runners", file(), {
    types: "text",
    signal: stop.signal,
    onProgress: ({ written }) => {
      if (written > 0) stop.abort();
    },
  });
  await expect(stopped).rejects.toMatchObject({ code: "storage.cancelled" });
  const half = await rowsOf(storage, "Runners");
  expect(half.length).toBeGreaterThan(0);
  expect(half.length).toBeLessThan(rows);
  await importTable(storage, "Runners", file(), { existing: "replace", types: "text" });
  expect(await rowsOf(storage, "Runners")).toHaveLength(rows);
});

test("a failure of the store ends an import, and nothing is written after it", async () => {
  let writes = 0;
  const failing = forwardStorage(storage, {
    write: async () => {
      writes++;
      throw new StorageError("storage.failed", "It failed.", { applied: "no", status: 403 });
    },
  });
  const lines = Array.from({ length: 1000 }, (_, i) => `${i},1\n`);
  await expect(
    importTable(failing, "Runners", sourceOf("PartitionKey,RowKey\n", ...lines)),
  ).rejects.toMatchObject({ code: "storage.failed" });
  expect(writes).toBeLessThanOrEqual(4);
});

test.each([[{ existing: "keep" }], [{ format: "xml" }], [{ onBadLine: true }], [{ concurrency: 0 }]])(
  "%o is refused",
  async (options) => {
    await expect(run("", options as never)).rejects.toMatchObject({ code: "transfer.option" });
  },
);

test("a text is no source, and the table of jobs is no target", async () => {
  await expect(importTable(storage, "Runners", "text" as never)).rejects.toMatchObject({
    code: "transfer.option",
  });
  await expect(importTable(storage, "PartitaJobs", sourceOf(""))).rejects.toMatchObject({
    code: "model.jobs-table",
  });
});
