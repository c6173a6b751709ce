import { expect, test } from "vitest";
import {
  type ColumnLayout,
  laidOut,
  plainLayout,
  withHidden,
  withMove,
  withPin,
  withWidth,
} from "../../src/page/state/column-layout.ts";

const columns = ["key", "a", "b", "c"].map((id) => ({ id, isKey: id === "key", width: 100 }));
const ids = (layout: ColumnLayout, of = columns): string =>
  laidOut(of, layout)
    .map(({ id }) => id)
    .join(" ");

test("keys are pinned until the user chooses others", () => {
  expect(ids(plainLayout, columns.toReversed())).toBe("key c b a");
  expect(ids(withPin(plainLayout, columns, "b"))).toBe("key b a c");
  expect(ids(withPin(withPin(plainLayout, columns, "b"), columns, "key"))).toBe("b key a c");
});

test("columns move, hide and show again", () => {
  const moved = withMove(plainLayout, columns, "c", "a");

  expect(ids(moved)).toBe("key c a b");
  expect(ids(withHidden(moved, ["c", "b"], true))).toBe("key a");
  expect(ids(withHidden(withHidden(moved, ["c", "b"], true), ["b"], false))).toBe("key a b");
  expect(ids(withMove(plainLayout, columns, "c", "missing"))).toBe("key a b c");
});

test("columns that are found later follow those that were moved", () => {
  const moved = withMove(plainLayout, columns, "c", "a");

  expect(ids(moved, [...columns, { id: "d", isKey: false, width: 100 }])).toBe("key c a b d");
});

test("a width is kept in bounds, and stays with its column", () => {
  const narrow = withWidth(withWidth(plainLayout, "a", 300), "b", 1);

  expect(laidOut(columns, narrow).map(({ width }) => width)).toEqual([100, 300, 48, 100]);
});
