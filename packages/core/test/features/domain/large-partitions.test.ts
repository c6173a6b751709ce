// The acceptance cases Q3 and Q5 at their full size, in the embedded store.

import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
} from "../../../src/index.ts";
import { constant, padded, verbatim } from "../../../src/keys.ts";

class Row extends defineEntity({
  table: "Rows",
  partitionKey: { list: verbatim },
  rowKey: { n: padded(8) },
  properties: { value: int32() },
}) {}

class Base extends defineEntity({
  table: "Kinds",
  partitionKey: { list: verbatim },
  rowKey: { n: padded(8) },
  properties: {},
}) {}
class Even extends defineKind(Base, { kind: { name: "E", key: "prefix" } }) {}
class Odd extends defineKind(Base, { kind: { name: "O", key: "prefix" } }) {}

class Indexed extends defineEntity({
  table: "IndexedRows",
  partitionKey: { list: verbatim },
  rowKey: { n: padded(4) },
  properties: { value: int32() },
  proof: "marker",
  indexes: { byValue: { rowKey: { value: constant("VALUE:", padded(4)) } } },
}) {}

/** The same rows for a release that does not know the index. */
class Unaware extends defineEntity({
  table: "IndexedRows",
  partitionKey: { list: verbatim },
  rowKey: { n: padded(4) },
  properties: { value: int32() },
}) {}

const total = 100_000;
let folder: TemporaryFolder;
let storage: TableStorage;
beforeAll(async () => {
  folder = await temporaryFolder();
  storage = await openStorage(`file:${folder.file("rows.db")}`, { durability: "normal" });
  await createTables(storage, [Row, Base, Even, Odd, Indexed]);
  for (let from = 0; from < total; from += 100)
    await storage.transact(
      "Rows",
      Array.from({ length: 100 }, (_, i) => ({ type: "insert", entity: rowOf(from + i) })),
    );
});
afterAll(async () => {
  await storage.close();
  await folder[Symbol.asyncDispose]();
});

const rowOf = (n: number, list = "a") => ({
  PartitionKey: list,
  RowKey: String(n).padStart(8, "0"),
  value: n,
});

/** A context, and how many rows and responses it has read. */
function counting(of: TableStorage = storage) {
  const seen = { requests: 0, rows: 0 };
  const received = ({ entities = 0 }: { readonly entities?: number }): void => {
    seen.requests++;
    seen.rows += entities;
  };
  return { seen, context: new TableContext(of, { hooks: { received } }) };
}

test("Q3: the last five of 100,000 rows, and the five before, are read and no others", async () => {
  const { seen, context } = counting();
  const rows = context.query(Row).where({ list: "a" });
  const numbers = (found: readonly Row[]): number[] => found.map(({ n }) => n);

  expect(numbers(await rows.last(5))).toEqual([99_995, 99_996, 99_997, 99_998, 99_999]);
  expect(seen.rows).toBe(5);
  expect(numbers(await rows.reverse().take(5).toArray())).toEqual([99_999, 99_998, 99_997, 99_996, 99_995]);
  expect(seen.rows).toBe(10);
  const first = await rows.reverse().page({ size: 5 });
  const second = await rows.reverse().page({ size: 5, after: first.next });
  expect(numbers([...first.entities, ...second.entities])).toEqual(
    Array.from({ length: 10 }, (_, i) => 99_999 - i),
  );
  expect(seen.rows).toBe(20);
});

test("reverse order holds for every row, with and without a filter, over many pages", async () => {
  const { context } = counting();
  const rows = context.query(Row).where({ list: "a" }).mergeOption("noTracking").reverse();
  let [next, wrong] = [total, 0];
  for await (const { n } of rows) if (n !== --next) wrong++;

  const odd = await rows.where((r) => r.value.between(10, 3000)).toArray();

  expect([next, wrong]).toEqual([0, 0]);
  expect(odd.map(({ n }) => n)).toEqual(Array.from({ length: 2991 }, (_, i) => 3000 - i));
});

test("Q5: a range of keys is counted without reading a row, a condition on a property by reading", async () => {
  const { seen, context } = counting();
  const rows = context.query(Row).where({ list: "a" });

  expect(await rows.where((r) => r.n.between(10, 89_999)).count()).toBe(89_990);
  expect(await rows.count()).toBe(total);
  expect(await rows.where((r) => r.n.ge(99_990)).count()).toBe(10);
  expect(seen).toEqual({ requests: 3, rows: 0 });
  expect(await rows.where((r) => r.value.ge(99_000)).count()).toBe(1000);
  expect(seen.rows).toBe(1000);
});

test("Q5: a kind is counted by its prefix", async () => {
  const writer = new TableContext(storage);
  for (let n = 0; n < 90; n++) writer.create(n % 3 === 0 ? Odd : Even, { list: "k", n });
  await writer.saveChanges();
  const { seen, context } = counting();

  expect(await context.query(Even).where({ list: "k" }).count()).toBe(60);
  expect(await context.query(Odd).where({ list: "k" }).count()).toBe(30);
  expect(seen).toEqual({ requests: 2, rows: 0 });
  expect(await context.query(Base).where({ list: "k" }).count()).toBe(90);
});

test("Q5: index rows and markers are not counted, whether the class knows of them or not", async () => {
  const writer = new TableContext(storage);
  for (let n = 0; n < 20; n++) writer.create(Indexed, { list: "i", n, value: n });
  await writer.saveChanges();
  const stored = await storage.query("IndexedRows", {});
  expect(stored.entities.length).toBeGreaterThan(40);

  for (const Class of [Indexed, Unaware]) {
    const query = new TableContext(storage).query<Indexed | Unaware>(Class).where({ list: "i" });
    expect(await query.count()).toBe(20);
    expect(await query.where((e) => e.n.between(5, 9)).count()).toBe(5);
  }
});

test("Q5: a count is of one moment, while another process writes", async () => {
  await using other = await openStorage(`file:${folder.file("rows.db")}`, { durability: "normal" });
  const counts: number[] = [];
  let isDone = false;
  const writing = (async () => {
    for (let n = 0; n < 30_000; n += 100)
      await other.transact(
        "Rows",
        Array.from({ length: 100 }, (_, i) => ({ type: "insert", entity: rowOf(n + i, "growing") })),
      );
    isDone = true;
  })();
  const query = new TableContext(storage).query(Row).where({ list: "growing" });
  while (!isDone) {
    counts.push(await query.count());
    counts.push(await query.where((r) => r.n.between(0, 99_999)).count());
  }
  await writing;

  // Each transaction has a hundred rows, and is counted as a whole or not at all.
  expect(counts.filter((count) => count % 100 !== 0)).toEqual([]);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(await query.count()).toBe(30_000);
});
