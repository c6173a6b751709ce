import { describe, expect, test } from "vitest";
import type { Cell, Row } from "../../src/api/cells.ts";
import type { ClassInfo } from "../../src/api/tables.ts";
import { columnWindow, columnsIn, scrollToColumn } from "../../src/page/grid/column-window.ts";
import { columnsOf } from "../../src/page/grid/columns.ts";
import { compareCells } from "../../src/page/state/compare-cells.ts";
import { SeenColumns } from "../../src/page/state/seen-columns.ts";

const row = (cells: readonly Cell[], className?: string): Row => ({
  partitionKey: "p",
  rowKey: "r",
  etag: "e",
  className,
  cells,
});

function seen(...rows: readonly Row[]): SeenColumns {
  const found = new SeenColumns();
  found.see(rows);
  return found;
}

const blog: ClassInfo = {
  name: "Blog",
  kind: undefined,
  version: undefined,
  hasUpgrades: false,
  children: [],
  indexes: [],
  fields: [
    { name: "title", type: "String", isRequired: true },
    { name: "channel", type: "String", key: "PartitionKey", isRequired: true },
  ],
};

describe("columns", () => {
  test("of stored rows are the keys and every property, however many there are", () => {
    const names = Array.from({ length: 3000 }, (_, i) => `P${i}`);

    const columns = columnsOf([], undefined, seen(row(names.map((name) => [name, "Int32", 1]))));

    expect(columns.map(({ name }) => name)).toEqual(["PartitionKey", "RowKey", ...names]);
  });

  test("have all types of their values, and a new value has the type of its row", () => {
    const [number, text] = [row([["A", "Int64", "1"]]), row([["A", "String", "x"]])];

    const column = columnsOf([], undefined, seen(number, text)).find(({ name }) => name === "A");

    expect(column?.types).toEqual(["Int64", "String"]);
    expect([number, text, row([])].map((each) => column?.typeIn(each))).toEqual(["Int64", "String", "Int64"]);
  });

  test("of a class are its properties, keys first, and a row that it cannot read adds its own", () => {
    const entity = row([["title", "String", "x"]], "Blog");
    const names = (...rows: readonly Row[]): string[] =>
      columnsOf([blog], "Blog", seen(...rows)).map(({ name }) => name);

    expect(names()).toEqual(["channel", "title"]);
    expect(names(entity)).toEqual(["channel", "title"]);
    expect(names(entity, row([["Odd", "Binary", ""]]))).toEqual([
      "PartitionKey",
      "RowKey",
      "channel",
      "title",
      "Odd",
      "Class",
    ]);
  });

  test("that are not properties differ from properties with the same name", () => {
    const stored = { ...row([["Class", "String", "x"]]), timestamp: "2026-01-01T00:00:00Z" };

    const ids = columnsOf([blog], "Blog", seen(stored, row([], "Blog"))).map(({ id }) => id);

    expect(ids).toEqual(["@PartitionKey", "@RowKey", "channel", "title", "Class", "@Class", "@Timestamp"]);
  });

  test("of keys cannot be edited", () => {
    const [key] = columnsOf([blog], "Blog", seen());

    expect([key?.name, key?.typeIn(row([], "Blog"))]).toEqual(["channel", undefined]);
  });
});

describe("a window on columns", () => {
  const widths = Array.from({ length: 1000 }, () => 100);

  test("has few of many columns, wherever it is scrolled", () => {
    for (const left of [0, 5000, 99_000]) {
      const found = columnWindow(widths, 2, left, 1000);
      expect(columnsIn(found).length).toBeLessThan(20);
      expect(columnsIn(found).slice(0, 2)).toEqual([0, 1]);
    }
  });

  test("lets pinned columns scroll that would cover more than a half", () => {
    expect(columnWindow(widths, 8, 0, 1000).pinned).toBe(4);
    expect(columnWindow(widths, 8, 0, 200).pinned).toBe(0);
  });

  test("scrolls to a column that is hidden by the edge or by pinned ones", () => {
    const found = columnWindow(widths, 2, 0, 1000);

    expect(scrollToColumn(500, found, 0, 1000)).toBe(49_158);
    expect(scrollToColumn(3, found, 3000, 1000)).toBe(100);
    expect(scrollToColumn(4, found, 0, 1000)).toBeUndefined();
    expect(scrollToColumn(0, found, 3000, 1000)).toBeUndefined();
  });
});

describe("sorted cells", () => {
  const sorted = (...cells: readonly Cell[]): unknown[] =>
    cells.toSorted(compareCells).map(([, , value]) => value);

  test("are in the order of their values", () => {
    expect(
      sorted(
        ["A", "Double", "NaN"],
        ["A", "Int64", "9007199254740993"],
        ["A", "Double", 9007199254740992],
        ["A", "Int32", -5],
        ["A", "Double", "-Infinity"],
        ["A", "Double", "Infinity"],
      ),
    ).toEqual(["-Infinity", -5, 9007199254740992, "9007199254740993", "Infinity", "NaN"]);
    expect(
      sorted(
        ["A", "DateTime", "9999-12-31T23:59:59.9999999Z"],
        ["A", "DateTime", "2024-01-01T00:00:00.5Z"],
        ["A", "DateTime", "2024-01-01T00:00:00Z"],
        ["A", "DateTime", "1601-01-01T00:00:00Z"],
      ),
    ).toEqual([
      "1601-01-01T00:00:00Z",
      "2024-01-01T00:00:00Z",
      "2024-01-01T00:00:00.5Z",
      "9999-12-31T23:59:59.9999999Z",
    ]);
    expect(sorted(["A", "String", "b"], ["A", "String", "B"], ["A", "String", ""])).toEqual(["", "B", "b"]);
  });

  test("of several types are grouped by type", () => {
    expect(sorted(["A", "String", "1"], ["A", "Int32", 2], ["A", "Boolean", true])).toEqual([true, 2, "1"]);
  });
});
