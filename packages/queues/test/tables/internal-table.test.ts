import { openStorage } from "@partita/core";
import { internalTables, isInternalTable } from "@partita/core/internal";
import { expect, test } from "vitest";
import { tableQueues } from "../../src/index.ts";

test("the table that queues make is internal", async () => {
  await using storage = await openStorage("memory:");

  await tableQueues(storage).createQueue("orders");

  expect(await storage.listTables()).toEqual([internalTables.queues]);
  expect(isInternalTable(internalTables.queues)).toBe(true);
});
