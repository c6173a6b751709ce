import { expect, test } from "vitest";
import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { fill } from "@partita/test-support/rows";
import { importTable, readRows, rowsAsText } from "../src/index.ts";
import { textOf } from "./text-of.ts";

const row: StoredEntity = {
  "odata.etag": 'W/"1"',
  PartitionKey: "",
  RowKey: 'a,"b ',
  Timestamp: "2026-11-23T10:00:00Z",
  "Large@odata.type": "Edm.Int64",
  Large: "9007199254740993",
  "Zero@odata.type": "Edm.Double",
  Zero: "-0.0",
  Text: "",
  Lines: "\r\n",
  Count: 5,
};
const { "odata.etag": _etag, Timestamp: _timestamp, ...written } = row;

async function allOf(rows: AsyncIterable<StoredEntity>): Promise<StoredEntity[]> {
  const all: StoredEntity[] = [];
  for await (const each of rows) all.push(each);
  return all;
}

test.each(["jsonl", "csv"] as const)(
  "rows are the same after they were written as %s and read",
  async (format) => {
    const text = rowsAsText([row, { PartitionKey: "a", RowKey: "2" }], { format });

    expect(await allOf(readRows(text))).toEqual([written, { PartitionKey: "a", RowKey: "2" }]);
  },
);

test.each(["jsonl", "csv"] as const)("rows have the text that an export as %s has", async (format) => {
  await using storage = await openStorage("memory:");
  await fill(storage, "Rows", [written as StoredEntity]);

  expect(rowsAsText([row], { format, timestamps: false })).toBe(
    await textOf(storage, "Rows", { format, timestamps: false }),
  );
});

test.each(["jsonl", "csv"] as const)("only named columns are written as %s", async (format) => {
  const text = rowsAsText([row], { format, columns: ["Count"] });

  expect(await allOf(readRows(text))).toEqual([{ PartitionKey: "", RowKey: 'a,"b ', Count: 5 }]);
});

test("text is JSON lines, a list or a response, and a text without rows has none", async () => {
  const json = JSON.stringify({ PartitionKey: "a", RowKey: "1" });

  for (const text of [json, `[${json}]`, `{"value":[${json}]}`, "PartitionKey,RowKey\na,1"])
    expect(await allOf(readRows(text))).toEqual([{ PartitionKey: "a", RowKey: "1" }]);
  expect(await allOf(readRows(""))).toEqual([]);
  expect(rowsAsText([], { format: "jsonl" })).toBe("");
});

test("a line that is not a row stops the reading, or is skipped and reported", async () => {
  const text = '{"PartitionKey":"a"}\n{"PartitionKey":"a","RowKey":"1"}';
  const bad: unknown[] = [];

  await expect(allOf(readRows(text))).rejects.toMatchObject({ code: "transfer.line", details: { line: 1 } });
  expect(await allOf(readRows(text, { onBadLine: ({ code }) => void bad.push(code) }))).toHaveLength(1);
  expect(bad).toEqual(["transfer.line"]);
});

test("a property that CSV has no column for is refused", () => {
  const odd = { PartitionKey: "a", RowKey: "1", ["x@type"]: "y", ["Price@type"]: 1 } as StoredEntity;

  expect(() => rowsAsText([{ ...odd, [`x${String.fromCodePoint(0xd8_00)}`]: 1 }], { format: "csv" })).toThrow(
    expect.objectContaining({ code: "transfer.column" }),
  );
});

test("wrong arguments are refused", async () => {
  const wrong = [
    () => rowsAsText(row as never, { format: "csv" }),
    () => rowsAsText([row], {} as never),
    () => rowsAsText([row], { format: "jsonl", escapeFormulas: true }),
    () => readRows(5 as never),
    () => readRows("", { format: "xml" as never }),
  ];

  for (const call of wrong) expect(call).toThrow(expect.objectContaining({ code: "transfer.option" }));
  await using storage = await openStorage("memory:");
  await expect(importTable(storage, "Rows", "text" as never)).rejects.toMatchObject({
    code: "transfer.option",
  });
});
