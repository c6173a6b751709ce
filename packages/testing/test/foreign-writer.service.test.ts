import { TableClient } from "@azure/data-tables";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { buildIndex, dropIndex, verifyIndex } from "@partita/maintenance";
import type { IndexState } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import { constant, padded, verbatim } from "@partita/core/keys";
import { startTableServer } from "@partita/server";
import { isLong } from "@partita/test-support/effort";
import { randomNumbers } from "@partita/testing";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const runnerIn = (retired: { readonly state?: IndexState }) =>
  class Runner extends defineEntity({
    table: "Races",
    partitionKey: { race: text() },
    rowKey: { bib: constant("BIB:", padded(4)) },
    properties: { age: int32(), club: text().optional(), email: text().optional() },
    indexes: {
      byAge: { rowKey: { age: constant("AGE:", padded(3)), bib: padded(4) }, ...retired },
      byClub: { rowKey: { club: constant("CLUB:", verbatim) }, copy: ["age"], ...retired },
      byEmail: { rowKey: { email: constant("MAIL:", verbatim) }, unique: true, ...retired },
    },
  }) {};
class Runner extends runnerIn({}) {}

const runners = 120;
const foreignWrites = isLong ? 1500 : 60;
const indexes = ["byAge", "byClub", "byEmail"] as const;

describe.each(["Azurite", "our server"])("%s", (name) => {
  let azurite: Azurite | undefined;
  let server: Awaited<ReturnType<typeof startTableServer>> | undefined;
  let storage: TableStorage;
  let client: TableClient;
  beforeAll(async () => {
    if (name === "Azurite") azurite = await startAzurite();
    else server = await startTableServer();
    const connection = azurite?.connectionString ?? server?.connectionString ?? "";
    storage = await openStorage(connection);
    client = TableClient.fromConnectionString(connection, "Races", { allowInsecureConnection: true });
  });
  afterAll(async () => {
    await storage.close();
    await azurite?.stop();
    await server?.close();
  });

  test("verify finds exactly the differences that a foreign writer left, and repairs them", async () => {
    await createTables(storage, [Runner]);
    const context = new TableContext(storage);
    for (let bib = 0; bib < runners; bib++)
      context.add(new Runner({ race: `R${bib % 2}`, bib, age: 18 + (bib % 60), ...valuesOf(bib) }));
    await context.saveChanges();
    expect(await verifyIndex(storage, Runner)).toMatchObject({ entities: runners, isClean: true });

    await writeForeign(client);
    const expected = differencesIn(await allRows(client));
    const found = await verifyIndex(storage, Runner);
    const repaired = await verifyIndex(storage, Runner, undefined, { repair: true });

    expect(expected.length).toBeGreaterThan(foreignWrites / 3);
    const shown = found.differences.map(({ type, key }) => `${type} ${key.partitionKey} ${key.rowKey}`);
    // A report lists 1,000 of them.
    expect(shown.length).toBe(Math.min(1000, expected.length));
    expect(found.missing + found.extra + found.different).toBe(expected.length);
    expect(expected.filter((difference) => shown.includes(difference)).length).toBe(shown.length);
    expect(repaired).toMatchObject({ repaired: expected.length, isClean: true });
    expect(differencesIn(await allRows(client))).toEqual([]);
    expect(await verifyIndex(storage, Runner)).toMatchObject({ missing: 0, extra: 0, different: 0 });
  });

  test("indexes are dropped and built again while the foreign writer goes on", async () => {
    for (const index of indexes)
      expect(await dropIndex(storage, runnerIn({ state: "retired" }), index)).toMatchObject({
        isClean: true,
      });
    expect((await allRows(client)).filter((row) => !isMain(row))).toEqual([]);

    const [, ...reports] = await Promise.all([
      writeForeign(client),
      ...indexes.map((index) => buildIndex(storage, Runner, index)),
    ]);

    for (const { verification } of reports) expect(verification.duplicateCount).toBe(0);
    // The foreign writer may have been the last one.
    const report = await verifyIndex(storage, Runner, undefined, { repair: true });
    expect(report.isClean).toBe(true);
    expect(differencesIn(await allRows(client))).toEqual([]);
  });
});

const valuesOf = (n: number): { readonly club?: string; readonly email?: string } => ({
  ...(n % 3 > 0 && { club: `Club ${n % 7}` }),
  ...(n % 5 > 0 && { email: `runner${n}@example.org` }),
});

/** Changes, adds and removes runners, without knowing that there are indexes. */
async function writeForeign(client: TableClient): Promise<void> {
  const random = randomNumbers(20_261_126);
  const below = (n: number): number => Math.floor(random() * n);
  for (let n = 0; n < foreignWrites; n++) {
    const partitionKey = `R${below(2)}`;
    const bib = below(2 * runners);
    const rowKey = `BIB:${String(bib).padStart(4, "0")}`;
    const entity = { partitionKey, rowKey, age: below(100) };
    const choice = below(5);
    if (choice === 0) await client.deleteEntity(partitionKey, rowKey).catch(unlessMissing);
    else if (choice === 1)
      // One value for each key, so that none is of two runners.
      await client.upsertEntity({ ...entity, email: `${partitionKey}-${bib}@example.org` }, "Merge");
    else if (choice === 2) await client.upsertEntity({ ...entity, club: `Club ${below(7)}` }, "Replace");
    else if (choice === 3) await client.upsertEntity({ ...entity, shoe: below(50) }, "Merge");
    else await client.updateEntity({ partitionKey, rowKey, club: "Moved" }, "Merge").catch(unlessMissing);
  }
}

function unlessMissing(error: unknown): void {
  if ((error as { readonly statusCode?: number }).statusCode !== 404) throw error;
}

async function allRows(client: TableClient): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  for await (const {
    partitionKey = "",
    rowKey = "",
    etag: _etag,
    timestamp: _timestamp,
    ...values
  } of client.listEntities())
    rows.push({ PartitionKey: partitionKey, RowKey: rowKey, ...(values as object) });
  return rows;
}

const isMain = ({ RowKey }: StoredEntity): boolean => RowKey.startsWith("BIB:");

/** The differences between the rows in indexes and those that the runners' rows should have: made without the library. */
function differencesIn(rows: readonly StoredEntity[]): string[] {
  const found = new Map(rows.filter((row) => !isMain(row)).map((row) => [keyOf(row), textOf(row)]));
  const expected = new Map<string, string>();
  for (const { PartitionKey, RowKey, ...values } of rows.filter(isMain)) {
    const put = (rowKey: string, held: object): unknown =>
      expected.set(`${PartitionKey} ${rowKey}`, textOf({ PartitionKey, RowKey: rowKey, ...held }));
    const { age, club, email } = values;
    // A row without an age has none in the index by age.
    if (age !== undefined)
      put(`AGE:${String(age).padStart(3, "0")}${separator}${RowKey.slice(4)}`, {
        _row: "index:byAge",
        ...values,
      });
    if (club !== undefined)
      put(`CLUB:${String(club)}${separator}${RowKey}`, {
        _row: "index:byClub",
        ...(age !== undefined && { age }),
      });
    if (email !== undefined) put(`MAIL:${String(email)}`, { _row: "index:byEmail", _k: RowKey });
  }
  const of = (type: string, keys: readonly string[]): string[] => keys.map((key) => `${type} ${key}`);
  const isSame = (key: string): boolean => expected.get(key) === found.get(key);
  return [
    ...of(
      "missing",
      [...expected.keys()].filter((key) => !found.has(key)),
    ),
    ...of(
      "extra",
      [...found.keys()].filter((key) => !expected.has(key)),
    ),
    ...of(
      "different",
      [...found.keys()].filter((key) => expected.has(key) && !isSame(key)),
    ),
  ];
}

const separator = "_";
const keyOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey} ${RowKey}`;
const textOf = (row: StoredEntity): string =>
  JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
