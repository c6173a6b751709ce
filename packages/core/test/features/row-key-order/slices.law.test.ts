import { isLong } from "@partita/test-support/effort";
import { test as propertyTest } from "@fast-check/vitest";
import { fc } from "@fast-check/vitest";
import { afterAll, beforeAll, expect } from "vitest";
import {
  createTables,
  defineEntity,
  type EntityClass,
  openStorage,
  type Query,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { bucket, constant, day, month, newestFirst, oldestFirst, slices, week } from "../../../src/keys.ts";

/** Entries by slices of time, with the bucket before or after the slice. */
class Entry extends defineEntity({
  table: "ByMonth",
  partitionKey: { run: text(), at: month(newestFirst), user: bucket(2) },
  rowKey: { at: newestFirst, user: text() },
  properties: {},
}) {}
class ByDay extends defineEntity({
  table: "ByDay",
  partitionKey: { run: text(), user: bucket(2), at: day },
  rowKey: { at: constant("AT:", oldestFirst), user: text() },
  properties: {},
}) {}
class BySeason extends defineEntity({
  table: "BySeason",
  partitionKey: {
    run: text(),
    at: slices({ by: month(newestFirst) }, { months: [6, 7], by: week(newestFirst) }),
  },
  rowKey: { at: newestFirst, user: text() },
  properties: {},
}) {}
/** While rows move from months to weeks, each moment has two slices. */
class Moving extends defineEntity({
  table: "Moving",
  partitionKey: { run: text(), at: slices({ by: [week(newestFirst), month(newestFirst)] }) },
  rowKey: { at: newestFirst, user: text() },
  properties: {},
}) {}
/** RowKeys in the other direction than slices. */
class Opposite extends defineEntity({
  table: "Opposite",
  partitionKey: { run: text(), at: month },
  rowKey: { at: newestFirst, user: text() },
  properties: {},
}) {}

const classes = [Entry, ByDay, BySeason, Moving, Opposite] as unknown as readonly EntityClass<Entry>[];
/** The RowKeys of each slice are all before those of the next. */
const inOrder = classes.slice(0, 3);
const isOldestFirst = (entityClass: EntityClass<Entry>): boolean =>
  entityClass === (ByDay as unknown as EntityClass<Entry>);

const passes = ({ user }: Pick<Entry, "user">): boolean => user < "c";

const from = Date.UTC(2008, 3, 29);
/** Moments of a few weeks, dense and sparse, some of them at the ends of slices. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 90 * 24 }).map((hours) => new Date(from + hours * 3_600_000)),
  fc.constantFrom(
    ...[2, 3, 4, 5, 6].flatMap((m) => [new Date(Date.UTC(2008, m)), new Date(Date.UTC(2008, m) - 1)]),
  ),
  fc.constantFrom(new Date(Date.UTC(1990, 0)), new Date(Date.UTC(2050, 11, 31))),
);

const runs = isLong ? 5000 : 100;
let storage: TableStorage;
let run = 0;
beforeAll(async () => {
  storage = await openStorage("memory:");
  await createTables(storage, classes as never);
});
afterAll(() => storage.close());

propertyTest.prop(
  [
    fc.record({
      entityClass: fc.constantFrom(...classes, ...inOrder, ...inOrder),
      rows: fc.uniqueArray(fc.record({ at: moment, user: fc.constantFrom("a", "b", "c", "d") }), {
        selector: ({ at, user }) => `${at.getTime()} ${user}`,
        maxLength: 60,
      }),
      lower: fc.option(moment, { nil: undefined }),
      upper: fc.option(moment, { nil: undefined }),
      runs: fc.constantFrom("one", "one", "one", "listed", "listed", "some", "any"),
      isFiltered: fc.boolean(),
      take: fc.integer({ min: 0, max: 30 }),
      size: fc.integer({ min: 1, max: 12 }),
    }),
  ],
  { numRuns: runs },
)("slices that are opened one after another give all rows in RowKey order", async (drawn) => {
  const { entityClass, rows, lower, upper, runs: asked, isFiltered, take, size } = drawn;
  const own = `r${run++}`;
  const writer = new TableContext(storage);
  for (const row of rows) writer.create(entityClass, { ...row, run: own } as never);
  await writer.saveChanges();
  const query = (): Query<Entry> => {
    let query = new TableContext(storage).query(entityClass).inRowKeyOrder();
    if (asked === "one") query = query.where({ run: own });
    else if (asked === "listed") query = query.where((e) => e.run.in([own, "none"]));
    else if (asked === "some") query = query.where((e) => e.run.startsWith(own));
    else query = query.scan();
    if (isFiltered) query = query.filterInMemory(passes);
    if (lower !== undefined) query = query.where((e) => e.at.ge(lower));
    if (upper !== undefined) query = query.where((e) => e.at.lt(upper));
    return query;
  };
  const textOf = ({ at, user }: Pick<Entry, "at" | "user">): string => `${at.toISOString()} ${user}`;
  const sign = isOldestFirst(entityClass) ? 1 : -1;
  const expected = rows
    .filter(({ at }) => (lower === undefined || at >= lower) && (upper === undefined || at < upper))
    .filter((row) => !isFiltered || passes(row))
    .toSorted((a, b) => sign * (a.at.getTime() - b.at.getTime()) || (a.user < b.user ? -1 : 1))
    .map(textOf);
  const about = String(query().explain());

  // Where slices overlap, or are in another order than RowKeys, their list has to be bounded. Other parts always have to be.
  const isListed = asked === "one" || asked === "listed";
  if (query().explain().merge === undefined && query().explain().requests.length > 0) {
    if (isListed) expect(["Moving", "Opposite"]).toContain(query().explain().table);
    await expect(query().take(1).toArray(), about).rejects.toMatchObject({ code: "query.order-unbounded" });
    return;
  }
  expect(isListed || query().explain().requests.length === 0, about).toBe(true);
  expect((await query().take(take).toArray()).map(textOf), about).toEqual(expected.slice(0, take));
  expect((await query().toArray()).map(textOf), about).toEqual(expected);
  const streamed: string[] = [];
  for await (const each of query()) streamed.push(textOf(each));
  expect(streamed, about).toEqual(expected);
  const paged: string[] = [];
  for await (const { entities } of query().pages({ size })) paged.push(...entities.map(textOf));
  expect(paged, about).toEqual(expected);
});
