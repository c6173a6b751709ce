// Whatever another client has stored keeps its keys, its type and its digits on every way that moves whole rows, and in an
// upgrade that does not touch it.
import {
  canonicalOf,
  foreignKeys,
  type ForeignValue,
  foreignValues,
} from "@partita/test-support/foreign-rows";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer } from "@partita/server";
import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { compareTables, copyTable, exportTable, importTable } from "../src/index.ts";
import { rename, upgrades } from "@partita/core/upgrades";
import { census, upgradeTable } from "@partita/maintenance";

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

/** Opens storages of each kind; a name gives each test files and accounts of its own. */
const storages: Readonly<Record<string, (own: AsyncDisposableStack) => Promise<TableStorage>>> = {
  memory: async (own) => own.use(await openStorage("memory:")),
  "a file": async (own) =>
    own.use(await openStorage(`file:${own.use(await temporaryFolder()).file("foreign.db")}`)),
  "our server": async (own) => {
    const { connectionString } = own.use(await startTableServer());
    return own.use(await openStorage(connectionString));
  },
};

async function fill(storage: TableStorage): Promise<TableStorage> {
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

const pairs = Object.keys(storages).flatMap((from) => Object.keys(storages).map((to) => [from, to] as const));

describe.each(Object.entries(ways))("%s", (_way, move) => {
  test.each(pairs)(`from %s to %s keeps the types and digits of ${rows.length} rows`, async (from, to) => {
    await using own = new AsyncDisposableStack();
    const [source, target] = [await storages[from]?.(own), await storages[to]?.(own)] as [
      TableStorage,
      TableStorage,
    ];
    await fill(source);

    await move(source, target);

    expect(await shown(target, "Foreign")).toEqual(await shown(source, "Foreign"));
    expect(await compareTables(source, target, "Foreign")).toMatchObject({ isEqual: true });
  });
});

class Renamed extends defineEntity({
  table: "Foreign",
  partitionKey: { p: text() },
  rowKey: { id: text() },
  properties: { worth: text().optional().named("Worth") },
  version: upgrades({ Value: text().optional() }).to(2, rename("Value", "Worth")),
}) {}

test.each(Object.keys(storages))(
  `an upgrade over %s that renames a property keeps the types and digits of ${rows.length} rows`,
  async (kind) => {
    await using own = new AsyncDisposableStack();
    const storage = await fill((await storages[kind]?.(own)) as TableStorage);
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
  },
);

test(`census counts each of ${rows.length} rows, and a query that skips unreadable ones goes on`, async () => {
  await using storage = await fill(await openStorage("memory:"));
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
