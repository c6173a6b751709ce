// Text in CSV that a spreadsheet would run as a formula. Source: owasp.org "CSV Injection".
import { fc, test as propertyTest } from "@fast-check/vitest";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { importTable } from "../src/index.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { escapeFormula, unescapeFormula } from "../src/csv-text.ts";
import { fill, rowsOf, sourceOf } from "@partita/test-support/rows";
import { textOf } from "./text-of.ts";

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
});
afterEach(() => storage.close());

const texts = [
  "=1+1",
  "+1",
  "-1",
  "@sum(A1)",
  "\t=1",
  "\r=1",
  "'=1",
  "''-1",
  "'",
  "'a",
  "a=1",
  "",
  '="x",\n',
];
const rows = texts.map((value, i): StoredEntity => ({
  PartitionKey: value.replaceAll(/[\t\r\n]/g, "="),
  RowKey: `-${i}`,
  Note: value,
  Count: -i - 1,
  Ratio: -1.5,
  "Large@odata.type": "Edm.Int64",
  Large: "-9007199254740993",
  "Bytes@odata.type": "Edm.Binary",
  Bytes: "+/+/",
  "At@odata.type": "Edm.DateTime",
  At: "2026-01-01T00:00:00Z",
}));

test("no cell of text begins as a formula does, numbers stay, and an import gives the same rows back", async () => {
  await fill(storage, "Notes", rows);
  const csv = await textOf(storage, "Notes", { format: "csv", escapeFormulas: true, timestamps: false });

  // Cells of this file with a line break or a comma stand in quotation marks.
  for (const cell of csv.matchAll(/(?<=^|,|\n)(?:"((?:[^"]|"")*)"|([^,\r\n"]*))/g)) {
    const text = cell[1] ?? cell[2] ?? "";
    // A number alone is none.
    expect(text).not.toMatch(/^(?:[=+@\t\r]|-(?!\d+(?:\.\d+)?$))/);
  }
  expect(csv).toContain(",-1.5,Edm.Double");
  expect(csv).toContain(",'-0,");

  await importTable(storage, "Again", sourceOf(csv), { escapeFormulas: true });
  expect(await rowsOf(storage, "Again")).toEqual(await rowsOf(storage, "Notes"));
});

test("without the option, text is as it is, in both directions", async () => {
  await fill(storage, "Notes", rows);
  const csv = await textOf(storage, "Notes", { format: "csv" });
  expect(csv).toContain(",=1+1,Edm.String");

  await importTable(storage, "Again", sourceOf(csv));
  expect(await rowsOf(storage, "Again")).toEqual(await rowsOf(storage, "Notes"));
});

test("it is of CSV alone", async () => {
  await expect(textOf(storage, "Notes", { format: "jsonl", escapeFormulas: true })).rejects.toMatchObject({
    code: "transfer.option",
  });
});

describe("escaping", () => {
  const anyText = fc.oneof(fc.stringMatching(/^['=+@\t\ra-]{0,6}$/), fc.string({ unit: "binary" }));

  propertyTest.prop([anyText], { numRuns: 5000 })("is undone exactly, and leaves no formula", (text) => {
    const escaped = escapeFormula(text);

    expect(unescapeFormula(escaped)).toBe(text);
    expect(escaped).not.toMatch(/^[=+\-@\t\r]/);
  });
});
