import {
  canonicalOf,
  foreignKeys,
  foreignValues,
  type ForeignValue,
} from "@partita/test-support/foreign-rows";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  openStorage,
  type StoredEntity,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { compareTables, copyTable, exportTable, importTable } from "../../../src/transfer.ts";
import { census, rename, upgrades, upgradeTable } from "../../../src/upgrades.ts";

// Whatever another client has stored keeps its keys, its type and its digits on every way that moves whole rows, and in an
// upgrade that does not touch it.

/** A row for each value, under keys of any form, and one without a value. */
const rows: readonly StoredEntity[] = [...foreignValues, undefined].map(
  (value: ForeignValue | undefined, i) => ({
    PartitionKey: foreignKeys[i % foreignKeys.length] as string,
    RowKey: `${foreignKeys[(i * 7) % foreignKeys.length]?.slice(0, 500)}${i}`,
    ...(value?.annotation !== undefined && { "Value@odata.type": value.annotation }),
    ...(value !== undefined && { Value: value.value }),
  }),
);

async function stored(storage: TableStorage, table: string): Promise<readonly StoredEntity[]> {
  const { entities } = await storage.query(table, {});
  return entities;
}

/** Each row in the form that stands for all its spellings. */
async function shown(storage: TableStorage, table: string, property = "Value"): Promise<readonly string[]> {
  return (await stored(storage, table)).map(
    (row) =>
      `${JSON.stringify([row.PartitionKey, row.RowKey])} ${canonicalOf(row[property], row[`${property}@odata.type`])}`,
  );
}

async function filled(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await storage.createTable("Foreign");
  for (const entity of rows) await storage.write("Foreign", { type: "insert", entity });
  return storage;
}

const ways: Readonly<Record<string, (from: TableStorage, to: TableStorage) => Promise<unknown>>> = {
  "export and import of JSON lines": (from, to) =>
    importTable(to, "Foreign", exportTable(from, "Foreign", { format: "jsonl" })),
  "export and import of CSV": (from, to) =>
    importTable(to, "Foreign", exportTable(from, "Foreign", { format: "csv" }), { format: "csv" }),
  "export and import of CSV without formulas": (from, to) =>
    importTable(to, "Foreign", exportTable(from, "Foreign", { format: "csv", escapeFormulas: true }), {
      format: "csv",
      escapeFormulas: true,
    }),
  "a copy": (from, to) => copyTable(from, to, "Foreign"),
};

test.each(Object.entries(ways))(
  `%s keeps the types and digits of ${rows.length} rows`,
  async (_way, move) => {
    await using from = await filled();
    await using to = await openStorage("memory:");

    await move(from, to);

    expect(await shown(to, "Foreign")).toEqual(await shown(from, "Foreign"));
    expect(await compareTables(from, to, "Foreign")).toMatchObject({ isEqual: true });
  },
);

class Renamed extends defineEntity({
  table: "Foreign",
  partitionKey: { p: text() },
  rowKey: { id: text() },
  properties: { worth: text().optional().named("Worth") },
  version: upgrades({ Value: text().optional() }).to(2, rename("Value", "Worth")),
}) {}

test(`an upgrade that renames a property keeps the types and digits of ${rows.length} rows`, async () => {
  await using storage = await filled();
  const before = await shown(storage, "Foreign");

  const report = await upgradeTable(storage, [Renamed]);

  expect(report.upgraded + report.leftCount).toBe(rows.length);
  expect(report.left.every(({ key, reason }) => key.rowKey !== "" && reason.message !== "")).toBe(true);
  const left = new Set(report.left.map(({ key }) => JSON.stringify([key.partitionKey, key.rowKey])));
  const all = await stored(storage, "Foreign");
  const after = all.map((row) => {
    const key = JSON.stringify([row.PartitionKey, row.RowKey]);
    const name = left.has(key) ? "Value" : "Worth";
    return `${key} ${canonicalOf(row[name], row[`${name}@odata.type`])}`;
  });
  expect(after).toEqual(before);
});

test(`census counts each of ${rows.length} rows, and a query that skips unreadable ones goes on`, async () => {
  await using storage = await filled();
  class Text extends defineEntity({
    table: "Foreign",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { value: text().optional().named("Value") },
  }) {}
  await createTables(storage, [Text]);

  const counted = (await census(storage, [Text])).reduce((sum, { count }) => sum + count, 0);
  const texts = new TableContext(storage).query(Text).scan().unreadableRows("skip");

  expect(counted).toBe(rows.length);
  expect(await texts.count()).toBe(
    rows.filter(
      ({ Value, ...row }) =>
        Value === undefined || (typeof Value === "string" && row["Value@odata.type"] === undefined),
    ).length,
  );
});
