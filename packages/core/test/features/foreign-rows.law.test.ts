import { isFull } from "@partita/test-support/effort";
import {
  canonicalOf,
  type DeclaredType,
  declaredTypes,
  foreignKeys,
  foreignValues,
  type ForeignReading,
  type ForeignValue,
  readingOf,
} from "@partita/test-support/foreign-rows";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer } from "@partita/server";
import { expect, test } from "vitest";
import {
  binary,
  bool,
  convert,
  createTables,
  dateTime,
  defineEntity,
  double,
  enumOf,
  guid,
  int32,
  int64,
  json,
  openStorage,
  TableContext,
  type TableStorage,
  text,
  Ticks,
  UnreadableRow,
} from "../../src/index.ts";
import type { AnyPropertyType } from "../../src/models.ts";
import type { StoredEntity } from "../../src/storage.ts";

// Anything another client may legally store can be read, or is refused by an error that names its row and can be skipped. A
// value that was not touched never counts as changed, and one that is stored again keeps its type and digits.

const types: Readonly<Record<DeclaredType, () => AnyPropertyType>> = {
  text,
  bool,
  int32,
  int64,
  double,
  dateTime,
  ticks: () => dateTime({ ticks: true }),
  guid,
  binary,
  json: () => json<unknown>(),
  enum: () => enumOf(["open", "done"]),
  convert: () => convert<URL>({ toText: ({ href }) => href, fromText: (href) => new URL(href) }),
};

interface Entity {
  p: string;
  id: string;
  value: unknown;
  other: string | undefined;
}

type EntityClass = new () => Entity;

const classOf = (declared: DeclaredType): EntityClass =>
  class extends defineEntity({
    table: `Foreign${declared}`,
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: { value: types[declared]().optional() as never, other: text().optional() },
  }) {} as unknown as EntityClass;

interface Cell {
  readonly name: string;
  readonly row: StoredEntity;
  readonly expected: ForeignReading;
}

/** A row for each value, under keys of any form, and one without a value. */
function cellsOf(declared: DeclaredType): Cell[] {
  const values: readonly (ForeignValue | undefined)[] = [...foreignValues, undefined];
  return values.map((value, i) => ({
    name: `${declared} ${value?.name ?? "absent"}`,
    row: {
      PartitionKey: foreignKeys[i % foreignKeys.length] as string,
      RowKey: `${foreignKeys[(i * 7) % foreignKeys.length]?.slice(0, 500)}${i}`,
      ...(value?.annotation !== undefined && { "value@odata.type": value.annotation }),
      ...(value !== undefined && { value: value.value }),
    },
    expected: value === undefined ? { plain: undefined } : readingOf(declared, value),
  }));
}

/** What an entity has, in the form of the table. */
function plainOf(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (value instanceof URL) return value.href;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Ticks) return value.toString();
  return value;
}

const keyOf = ({ PartitionKey, RowKey }: StoredEntity) => ({ partitionKey: PartitionKey, rowKey: RowKey });
const idOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey}\n${RowKey}`;

/** Where the two differ in JSON of thousands of levels, their texts are not for messages. */
const isEqual = (found: unknown, expected: unknown): boolean =>
  typeof found === "object" && found !== null
    ? sameText(found, expected)
    : Object.is(found, expected) || (found === 0 && expected === 0);

function sameText(found: unknown, expected: unknown): boolean {
  let [mine, theirs] = [found, expected] as [unknown, unknown];
  // The first member of each level, down to the last.
  for (let depth = 0; depth <= 5001; depth++) {
    if (typeof mine !== "object" || mine === null) return Object.is(mine, theirs);
    if (typeof theirs !== "object" || theirs === null) return false;
    const names = Object.keys(mine);
    if (names.join("\n") !== Object.keys(theirs).join("\n")) return false;
    if (names.length === 0) return true;
    mine = Object.values(mine)[0];
    theirs = Object.values(theirs)[0];
  }
  return false;
}

let cells = 0;

/** What is wrong with one reading of all cells. */
function wrongReadings(way: string, all: readonly Cell[], found: ReadonlyMap<string, unknown>): unknown[] {
  return all.flatMap(({ name, row, expected }): object[] => {
    cells++;
    const one = found.get(idOf(row));
    if ("refused" in expected) {
      const error = one instanceof UnreadableRow ? one.error : undefined;
      const { partitionKey, rowKey, property, table } = (error?.details ?? {}) as Record<string, unknown>;
      const names = { partitionKey, rowKey, property };
      const isRight =
        error?.code === expected.refused &&
        canonicalJson(names) === canonicalJson({ ...keyOf(row), property: "value" }) &&
        error.message.includes(String(table)) &&
        error.message.includes(JSON.stringify(rowKey)) &&
        error.message.includes(".value");
      return isRight ? [] : [{ way, name, expected, code: error?.code, message: error?.message }];
    }
    const value =
      one instanceof UnreadableRow ? one.error.message : plainOf((one as Entity | undefined)?.value);
    return isEqual(value, expected.plain) ? [] : [{ way, name, expected: expected.plain, value }];
  });
}

const canonicalJson = (value: object): string => JSON.stringify(value, Object.keys(value).toSorted());

const byId = (found: readonly (Entity | UnreadableRow)[]): Map<string, unknown> =>
  new Map(
    found.map((one) => [
      one instanceof UnreadableRow ? idOf(one.row) : idOf({ PartitionKey: one.p, RowKey: one.id }),
      one,
    ]),
  );

async function fill(storage: TableStorage, entityClass: EntityClass, all: readonly Cell[]): Promise<string> {
  await createTables(storage, [entityClass]);
  const { table } = (entityClass as unknown as { shape: { table: string } }).shape;
  for (const { row } of all) await storage.write(table, { type: "insert", entity: row });
  return table;
}

/** The stored value of each cell, in the form that stands for all its spellings. */
async function storedOf(storage: TableStorage, table: string, all: readonly Cell[]): Promise<string[]> {
  const rows = await Promise.all(all.map(({ row }) => storage.get(table, keyOf(row))));
  return rows.map((row, i) => `${all[i]?.name}: ${canonicalOf(row?.["value"], row?.["value@odata.type"])}`);
}

async function check(storage: TableStorage, declared: DeclaredType): Promise<void> {
  const all = cellsOf(declared);
  const entityClass = classOf(declared);
  const table = await fill(storage, entityClass, all);
  const before = await storedOf(storage, table, all);
  const query = (context: TableContext) => context.query(entityClass).scan().unreadableRows("raw");

  // Read: each way twice, and often enough for rows to be read from their bytes.
  for (let round = 0; round < 5; round++) {
    const context = new TableContext(storage);
    const tracked = byId(await query(context).toArray());
    const untracked = byId(await query(context).mergeOption("noTracking").toArray());

    expect(wrongReadings("query", all, tracked).slice(0, 3)).toEqual([]);
    expect(wrongReadings("untracked", all, untracked).slice(0, 3)).toEqual([]);
    expect(context.pendingChanges()).toEqual([]);
  }
  const readable = all.filter(({ expected }) => "plain" in expected);
  const finder = new TableContext(storage, { unreadableRows: "raw" });
  const found = new Map<string, unknown>();
  for (const { row } of all)
    found.set(idOf(row), await finder.find(entityClass, { p: row.PartitionKey, id: row.RowKey } as never));
  expect(wrongReadings("find", all, found).slice(0, 3)).toEqual([]);
  const skipping = new TableContext(storage, { unreadableRows: "skip" });
  expect(await skipping.query(entityClass).scan().count()).toBe(readable.length);

  // Another entity changes: nothing else is sent.
  const context = new TableContext(storage, { unreadableRows: "skip" });
  const entities = (await context.query(entityClass).scan().toArray()) as Entity[];
  context.create(entityClass, { p: "new", id: "new" } as never);
  expect(await context.saveChanges()).toMatchObject([{ operation: "insert", outcome: "committed" }]);

  // Another property of each changes, as a merge and with the whole row.
  for (const update of ["merge", "replace"] as const) {
    for (const entity of entities) entity.other = update;
    const results = await context.saveChanges({ update });
    expect(results.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(
      entities.map(() => `${update} committed`),
    );
    expect(await storedOf(storage, table, all)).toEqual(before);
    expect(context.pendingChanges()).toEqual([]);
  }

  // The same by modify().
  for (const { name, row } of readable) {
    const key = { p: row.PartitionKey, id: row.RowKey } as never;
    await new TableContext(storage).modify(entityClass, key, (entity) => void (entity.other = "modified"));
    const now = await storage.get(table, keyOf(row));
    cells++;
    expect(`${name}: ${canonicalOf(now?.["value"], now?.["value@odata.type"])}`).toBe(
      before[all.findIndex((cell) => cell.name === name)],
    );
  }
}

const declared = Object.keys(declaredTypes) as DeclaredType[];

test(`${declared.length} declared types read ${foreignValues.length} values of other clients, over memory, file and REST`, async () => {
  await using memory = await openStorage("memory:");
  await using folder = await temporaryFolder();
  await using file = await openStorage(`file:${folder.file("foreign.db")}`);
  await using server = await startTableServer();
  await using rest = await openStorage(server.connectionString);

  // Each type over each storage, or over one of them.
  for (const [i, storage] of [memory, file, rest].entries())
    for (const [j, type] of declared.entries()) if (isFull || j % 3 === i) await check(storage, type);

  expect(cells).toBeGreaterThan(isFull ? 20_000 : 8000);
});
