import { expect, test } from "vitest";
import { hasRows, textAsCells, typedCells } from "../../src/page/grid/range-text.ts";

test("text of spreadsheets may end with a line end, and quote cells with line ends", () => {
  expect(textAsCells("a\tb\r\nc\td\r\n")).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  expect(textAsCells('"one\ntwo"\t"say ""hi"""')).toEqual([["one\ntwo", 'say "hi"']]);
  expect(textAsCells('5" disk')).toEqual([['5" disk']]);
  expect(textAsCells("")).toEqual([[""]]);
});

test("cells without a value stay without one", () => {
  const json = JSON.stringify([[undefined, ["A", "Int64", "1"]]]);

  expect(typedCells(json)).toEqual([[undefined, ["A", "Int64", "1"]]]);
  expect(typedCells("")).toBeUndefined();
});

test("rows are told from other text", () => {
  for (const text of [
    '{"PartitionKey":"a","RowKey":"b"}\n',
    ' [ {"RowKey":"b","PartitionKey":"a"}]',
    "PartitionKey,RowKey,A,A@type\na,b,1,Edm.Int32",
  ])
    expect(hasRows(text)).toBe(true);
  for (const text of ["PartitionKey", "a\tb", '{"a":1}', "PartitionKey and RowKey", "x\nPartitionKey,RowKey"])
    expect(hasRows(text)).toBe(false);
});
