import { openStorage } from "@partita/core";
import { internalTables, isInternalTable } from "@partita/core/internal";
import { copyTable } from "@partita/transfer";
import { expect, test } from "vitest";

test("the table that jobs make is internal", async () => {
  await using storage = await openStorage("memory:");
  await using source = await openStorage("memory:");
  await source.createTable("Things");
  await copyTable(source, storage, "Things");

  const made = (await storage.listTables()).filter((name) => name !== "Things");
  expect(made).toEqual([internalTables.jobs]);
  expect(made.every(isInternalTable)).toBe(true);
});

test.each([
  ["PartitaQueues", true],
  ["partitaqueues", true],
  ["PARTITASCHEMA", true],
  ["PartitaJobs2", false],
  ["MyPartitaJobs", false],
  ["Partita", false],
  ["Orders", false],
])("%s: %s", (table, isInternal) => {
  expect(isInternalTable(table)).toBe(isInternal);
});
