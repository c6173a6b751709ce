import { expect, test } from "vitest";
import { keptRows } from "../../src/page/state/kept-rows.ts";
import { type Address, addressOf, searchOf } from "../../src/page/state/address.ts";

const full: Address = {
  table: "Places & more",
  className: "City",
  view: "keys",
  text: "name eq 'a&b=c' and number lt 9998000000",
  isScanAllowed: true,
  line: 12_345,
  selected: [
    { partitionKey: "", rowKey: '"\u202e' },
    { partitionKey: "#?", rowKey: "ü" },
  ],
};

test("an address is read as it was written, with any text", () => {
  expect(addressOf(searchOf(full))).toEqual(full);
});

test("an address without members, or with wrong ones, has the defaults", () => {
  const empty = { table: undefined, className: undefined, view: "rows", text: "", isScanAllowed: false };

  expect(addressOf("")).toEqual({ ...empty, line: 0, selected: [] });
  expect(addressOf("?view=none&line=-4&row=x&row=[1,2]&row=null&scan=yes")).toEqual({
    ...empty,
    line: 0,
    selected: [],
  });
});

test("a long selection is not part of an address", () => {
  const selected = Array.from({ length: 21 }, (_, i) => ({ partitionKey: "p", rowKey: String(i) }));

  expect(searchOf({ ...full, selected })).not.toContain("row=");
});

test("a long selection is kept without values, which later requests read again", () => {
  const rows = Array.from({ length: 30_000 }, (_, i) => ({
    partitionKey: "p",
    rowKey: String(i),
    etag: "e",
    className: "Blog",
    cells: [["title", "String", "x"] as const],
  }));

  expect(keptRows(rows.slice(0, 200))).toEqual(rows.slice(0, 200));
  expect(keptRows(rows)).toHaveLength(20_000);
  expect(keptRows(rows)[0]).toEqual({ ...rows[0], cells: [] });
});
