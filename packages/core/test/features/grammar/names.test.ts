import { importTable } from "@partita/transfer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defineEntity, int32, odata, openStorage, type TableStorage, text } from "../../../src/index.ts";
import { parseFilter } from "../../../src/values/filter/parse-filter.ts";
import { modelOf } from "../../../src/model/declaration/model-registry.ts";
import { rowsOf, sourceOf } from "@partita/test-support/rows";

// Names of properties at every place where they come in. Source: learn.microsoft.com "Understanding the Table service data model".

const accepted = ["a", "_", "_a", "aB1", "ä", "名前", "a\u0300", "a_b", "x".repeat(255), "not1", "eq"];
const refused = ["my-col", "1a", "a b", "a.b", "a$", "€", "a\u0000", "x".repeat(256), "\u0300a"];

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Names");
});
afterEach(() => storage.close());

const keys = { PartitionKey: "p", RowKey: "r" };
const imported = (file: string): Promise<unknown> =>
  importTable(storage, "Names", sourceOf(file), { existing: "replace", types: "text" });

const doors: readonly (readonly [name: string, code: string, write: (name: string) => unknown])[] = [
  [
    "a write to a store",
    "storage.",
    (name) => storage.write("Names", { type: "insert", entity: { ...keys, [name]: 1 } }),
  ],
  ["a line of JSON", "transfer.line", (name) => imported(JSON.stringify({ ...keys, [name]: 1 }))],
  ["a header of CSV", "transfer.header", (name) => imported(`PartitionKey,RowKey,${name}\np,r,1\np,s,2\n`)],
  ["a filter", "query.filter-syntax", (name) => parseFilter(`${name} eq 1`)],
  [
    "a filter made by hand",
    "storage.invalid-input",
    (name) => storage.query("Names", { filter: { op: "eq", name, literal: { edm: "Edm.Int32", value: 1 } } }),
  ],
  ["odata", "query.filter-syntax", (name) => odata(Object.assign([`${name} eq 1`], { raw: [] }))],
  [
    "a class",
    "model.",
    (name) =>
      modelOf(
        defineEntity({
          table: "Names",
          partitionKey: { tenant: text() },
          rowKey: { id: text() },
          properties: { [name]: int32() },
        }),
      ),
  ],
];

describe.each(doors)("%s", (_door, code, write) => {
  test.each(accepted)("takes the name %j", async (name) => {
    await expect(Promise.resolve().then(() => write(name))).resolves.not.toThrow();
  });

  test.each(refused)("refuses the name %j", async (name) => {
    const refusal = { code: expect.stringContaining(code) as string };
    await expect(Promise.resolve().then(() => write(name))).rejects.toMatchObject(refusal);
  });
});

test("a header with a name that is none is refused once, at line 1, and nothing is written", async () => {
  const file = `PartitionKey,RowKey,my-col\n${"p,r,1\n".repeat(3)}`;
  const bad: unknown[] = [];

  await expect(
    importTable(storage, "Names", sourceOf(file), { onBadLine: (line) => bad.push(line) }),
  ).rejects.toMatchObject({ code: "transfer.header", details: { line: 1 } });
  expect(bad).toEqual([]);
  expect(await rowsOf(storage, "Names")).toEqual([]);
});
