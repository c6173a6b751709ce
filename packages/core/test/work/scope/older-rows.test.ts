import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { rename, retype, upgrades } from "../../../src/upgrades.ts";

/** Version 1 had its tenant under another name, and a number as text. */
const chain = upgrades({ Owner: text(), Rank: text() }).to(
  2,
  rename("Owner", "tenant"),
  retype("Rank", "rank", int32(), wholeNumber),
);

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { box: text() },
  rowKey: { id: text() },
  properties: { tenant: text(), rank: int32() },
  version: chain,
  scopedBy: "tenant",
}) {}

function wholeNumber(rank: string): number {
  if (!/^\d+$/.test(rank)) throw new Error(`${rank} is no number`);
  return Number(rank);
}

async function openNotes(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const rows = [
    { RowKey: "1", Owner: "acme", Rank: "1" },
    { RowKey: "2", Owner: "beta", Rank: "2" },
    { RowKey: "3", Owner: "beta", Rank: "secret" },
    { RowKey: "4", tenant: "acme", rank: 4, SchemaVersion: 2 },
  ];
  for (const row of rows)
    await storage.write("Notes", { type: "insert", entity: { PartitionKey: "b", ...row } });
  return storage;
}

test("the scope of an older row is that of the row it is upgraded to", async () => {
  await using storage = await openNotes();
  const context = new TableContext(storage, { scope: { tenant: "acme" }, unreadableRows: "raw" });

  expect(await context.query(Note).where({ box: "b" }).toArray()).toMatchObject([{ id: "1" }, { id: "4" }]);
  expect(await context.query(Note).where({ box: "b" }).count()).toBe(2);
  expect(await context.find(Note, { box: "b", id: "1" })).toMatchObject({ tenant: "acme", rank: 1 });
});

test("a row of another scope that cannot be upgraded is no error, and is not returned", async () => {
  await using storage = await openNotes();

  for (const unreadableRows of ["error", "raw", "skip"] as const) {
    const context = new TableContext(storage, { scope: { tenant: "acme" }, unreadableRows });
    expect(await context.query(Note).where({ box: "b" }).toArray()).toHaveLength(2);
    expect(await context.find(Note, { box: "b", id: "3" })).toBeUndefined();
  }
});

test("upgrades are written only to rows of the scope", async () => {
  await using storage = await openNotes();
  const context = new TableContext(storage, { scope: { tenant: "acme" }, upgrade: "write" });

  await context.query(Note).where({ box: "b" }).toArray();
  await context.find(Note, { box: "b", id: "2" });

  const rows = (await storage.query("Notes", {})).entities;
  expect(rows.map(({ Owner, tenant }) => [Owner, tenant])).toEqual([
    [undefined, "acme"],
    ["beta", undefined],
    ["beta", undefined],
    [undefined, "acme"],
  ]);
});
