import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { cellsAsText, textAsCells } from "../../src/page/grid/range-text.ts";

test.prop([
  fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  }),
])("cells are the same after they were written as text for spreadsheets and read", (table) => {
  const text = cellsAsText(table.map((line) => line.map((value) => ["A", "String", value])));

  // A single empty cell and no cell look the same at the end of a text.
  const read = textAsCells(text);
  expect(read).toEqual(table);
});
