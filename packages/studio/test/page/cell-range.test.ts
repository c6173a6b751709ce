import { expect, test } from "vitest";
import {
  type CellRange,
  type GridSize,
  moved,
  rangeAt,
  rectangleOf,
} from "../../src/page/state/cell-range.ts";

const size: GridSize = { lines: 100, columns: 5, page: 10 };
const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
const press = (range: CellRange, key: string, held: Partial<typeof plain> = {}): CellRange =>
  moved(range, { ...plain, ...held, key }, size) ?? range;

test("arrows, Home, End and pages move the cursor, and stop at the edges", () => {
  const at = (key: string, held = {}): unknown => press(rangeAt(50, 2), key, held).cursor;

  expect(at("ArrowDown")).toEqual({ line: 51, column: 2 });
  expect(at("ArrowLeft")).toEqual({ line: 50, column: 1 });
  expect(at("Home")).toEqual({ line: 50, column: 0 });
  expect(at("End")).toEqual({ line: 50, column: 4 });
  expect(at("PageDown")).toEqual({ line: 60, column: 2 });
  expect(at("Home", { ctrlKey: true })).toEqual({ line: 0, column: 0 });
  expect(at("End", { metaKey: true })).toEqual({ line: 99, column: 4 });
  expect(at("ArrowRight", { ctrlKey: true })).toEqual({ line: 50, column: 4 });
  expect(press(rangeAt(99, 4), "ArrowDown").cursor).toEqual({ line: 99, column: 4 });
  expect(press(rangeAt(5, 0), "PageUp").cursor).toEqual({ line: 0, column: 0 });
  expect(moved(rangeAt(0, 0), { ...plain, key: "x" }, size)).toBeUndefined();
});

test("Up leads from the first row to the header, but a range stays in the rows", () => {
  expect(press(rangeAt(0, 1), "ArrowUp").cursor).toEqual({ line: -1, column: 1 });
  expect(press(rangeAt(-1, 1), "ArrowDown").cursor).toEqual({ line: 0, column: 1 });
  expect(press(rangeAt(0, 1), "ArrowUp", { shiftKey: true }).cursor).toEqual({ line: 0, column: 1 });
});

test("Shift extends a range from where it began", () => {
  const down = press(press(rangeAt(3, 3), "ArrowDown", { shiftKey: true }), "ArrowLeft", { shiftKey: true });

  expect(rectangleOf(down)).toEqual({ top: 3, bottom: 4, left: 2, right: 3 });
  expect(rectangleOf(press(down, "ArrowUp"))).toEqual({ top: 3, bottom: 3, left: 2, right: 2 });
});

test("rows, columns and the table are selected by Space and A", () => {
  const range = press(rangeAt(3, 1), "ArrowDown", { shiftKey: true });

  expect(rectangleOf(press(range, " ", { shiftKey: true }))).toEqual({
    top: 3,
    bottom: 4,
    left: 0,
    right: 4,
  });
  expect(rectangleOf(press(range, " ", { ctrlKey: true }))).toEqual({
    top: 0,
    bottom: 99,
    left: 1,
    right: 1,
  });
  expect(rectangleOf(press(range, "a", { ctrlKey: true }))).toEqual({
    top: 0,
    bottom: 99,
    left: 0,
    right: 4,
  });
  expect(moved(range, { ...plain, key: " " }, size)).toBeUndefined();
});
