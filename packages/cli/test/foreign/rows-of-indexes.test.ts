import { defineEntity, int32, openStorage, TableContext, createTables, text } from "@partita/core";
import { constant, padded } from "@partita/core/keys";
import { expect, test } from "vitest";
import { guessClasses } from "../../src/generate/class-guess.ts";
import { sampleTable } from "../../src/generate/sample-table.ts";

class Runner extends defineEntity({
  table: "Races",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(3)) },
  properties: { age: int32() },
  proof: "marker",
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
}) {}

test("classes are generated for entities, and not for index rows and markers", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  await using context = new TableContext(storage);
  for (let bib = 0; bib < 5; bib++) context.create(Runner, { race: "r", bib, age: 20 + bib });
  await context.saveChanges();

  const { rows, isComplete } = await sampleTable(storage, "Races", 100, new AbortController().signal);

  expect(rows.map(({ RowKey }) => RowKey)).toEqual(["BIB:000", "BIB:001", "BIB:002", "BIB:003", "BIB:004"]);
  expect(isComplete).toBe(true);
  const [only, ...others] = guessClasses("Races", rows);
  expect(only?.rows).toHaveLength(5);
  expect(others).toEqual([]);
});
