import { fc } from "@fast-check/vitest";
import { expect } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  double,
  int32,
  type Query,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { Field } from "../query-law/random-model.ts";
import { build, holds, printTree, randomPredicate, type Tree } from "../query-law/random-predicate.ts";
import { observed } from "./observed.ts";

class Item extends defineEntity({
  table: "RowKeyOrder",
  partitionKey: { run: text(), p: text() },
  rowKey: { r: text() },
  properties: { n: int32().default(0), weight: double().optional() },
}) {}
class Left extends defineKind(Item, { kind: "Left" }) {}
class Right extends defineKind(Item, { kind: "Right" }) {}

const partitions = ["", "a", "b", "\u{10000}", "\uffff", "z", "zz"];
const rowTexts = [
  "",
  "A",
  "A1",
  "Aa",
  "B",
  "^",
  "a",
  "é",
  "\ud7ff",
  "\u{10000}",
  "\u{10ffff}",
  "\ue000",
  "\uffff",
];

interface Row {
  readonly p: string;
  readonly r: string;
  readonly isLeft: boolean;
  readonly n: number;
  readonly weight: number | undefined;
}

export interface OrderCase {
  readonly rows: readonly Row[];
  readonly partitions: readonly string[];
  /** Undefined for all rows. */
  readonly predicate: Tree | undefined;
  readonly isLeftOnly: boolean;
  readonly take: number;
  readonly size: number;
  readonly longestPage: number;
}

const field = (name: string, operands: fc.Arbitrary<unknown>, isText: boolean): Field => ({
  name,
  operands,
  values: operands,
  isText,
  isOrdered: true,
  isOptional: false,
});

const rowText = fc.oneof(
  fc.constantFrom(...rowTexts),
  fc.array(fc.constantFrom(...rowTexts), { maxLength: 3 }).map((texts) => texts.join("")),
);

const fields: readonly Field[] = [
  field("r", fc.constantFrom(...rowTexts), true),
  field("r", rowText, true),
  field("p", fc.constantFrom(...partitions), true),
  field("n", fc.integer({ min: -1, max: 3 }), false),
  // What is not finite, no store compares.
  field("weight", fc.constantFrom(0, 1, Number.NaN, Number.POSITIVE_INFINITY), false),
];

export const orderCase: fc.Arbitrary<OrderCase> = fc
  .record({
    rows: fc.uniqueArray(
      fc.record({
        p: fc.constantFrom(...partitions),
        r: rowText,
        isLeft: fc.boolean(),
        n: fc.integer({ min: 0, max: 3 }),
        weight: fc.constantFrom(undefined, 0, 1, Number.NaN),
      }),
      { selector: ({ p, r }) => `${p}\0${r}`, maxLength: 60 },
    ),
    partitions: fc.oneof(
      fc.constant(partitions),
      fc.uniqueArray(fc.constantFrom(...partitions), { maxLength: partitions.length }),
    ),
    predicate: fc.oneof(
      { weight: 1, arbitrary: fc.constant(undefined) },
      { weight: 4, arbitrary: randomPredicate(fields) },
    ),
    isLeftOnly: fc.boolean(),
    take: fc.nat(12),
    size: fc.integer({ min: 1, max: 9 }),
    longestPage: fc.constantFrom(1, 3, 1000),
  })
  .map((drawn) => ({
    ...drawn,
    [fc.toStringMethod]: () =>
      [
        ...drawn.rows.map((row) => fc.stringify(row)),
        drawn.predicate === undefined ? "all" : printTree(drawn.predicate),
        fc.stringify({ ...drawn, rows: undefined, predicate: undefined }),
      ].join("\n"),
  }));

let runs = 0;

/** Creates the table that the law is about. */
export const createOrderTable = (storage: TableStorage): Promise<unknown> =>
  createTables(storage, [Item, Left, Right]);

/**
 * The law: a query in RowKey order returns exactly the entities for which its predicate is true, each once, sorted by
 * RowKey and PartitionKey; whole, streamed, by `take` and by pages. It tracks what it hands over and nothing else, and its
 * requests are bounded.
 */
export async function checkOrderLaw(inner: TableStorage, drawn: OrderCase): Promise<void> {
  const { rows, predicate, isLeftOnly, take, size, longestPage } = drawn;
  // Each run has partitions of its own: to empty a table takes longer.
  const run = `${process.pid}-${++runs}`;
  const writer = new TableContext(inner);
  for (const { isLeft, ...row } of rows) writer.create(isLeft ? Left : Right, { ...row, run });
  await writer.saveChanges();

  const seen = observed(inner, longestPage);
  const query = (context = new TableContext(seen.storage)): Query<Item> =>
    context
      .query<Item>(isLeftOnly ? Left : Item)
      .where((item) => item.run.eq(run).and(item.p.in(drawn.partitions)))
      .where((item) => (predicate === undefined ? item.r.exists() : build(predicate, item as never)))
      .inRowKeyOrder();
  const isWanted = (row: Row): boolean =>
    drawn.partitions.includes(row.p) &&
    (row.isLeft || !isLeftOnly) &&
    (predicate === undefined || holds(predicate, { ...row }));
  const expected = rows
    .filter(isWanted)
    .toSorted((a, b) => byUnits(a.r, b.r) || byUnits(a.p, b.p))
    .map(textOf);
  const { requests, partitions: read = 0 } = query().explain();
  const about = String(query().explain());

  expect((await query().toArray()).map(textOf), about).toEqual(expected);
  expect(await query().count(), about).toBe(expected.length);
  const streamed: string[] = [];
  for await (const item of query()) streamed.push(textOf(item));
  expect(streamed, about).toEqual(expected);

  const isDecided = requests.every(({ isChecked }) => !isChecked);
  // Rows that are checked here come in pages that double: of 16, 32 and 64.
  const most = longestPage < 1000 ? Number.POSITIVE_INFINITY : requests.length + (isDecided ? 0 : 2 * read);
  const checkCost = (wanted: number, mostMore = 0): void => {
    expect(seen.queries.length + seen.gets, about).toBeLessThanOrEqual(most + mostMore);
    expect(seen.mostAtOnce, about).toBeLessThanOrEqual(16);
    if (isDecided) for (const { top } of seen.queries) expect(top, about).toBeLessThanOrEqual(wanted);
  };
  seen.reset();
  const context = new TableContext(seen.storage);
  expect((await query(context).take(take).toArray()).map(textOf), about).toEqual(expected.slice(0, take));
  expect(context.size, about).toBe(Math.min(take, expected.length));
  checkCost(take);

  for (const [paged, whole] of [
    [query, expected],
    [() => query().take(take + size), expected.slice(0, take + size)],
  ] as const) {
    const found: string[] = [];
    let after: string | undefined;
    do {
      seen.reset();
      const page = await paged().page({ size, after });
      // Where no other partition has a row left, the last row's own is asked whether there is another page.
      checkCost(size, 1);
      found.push(...page.entities.map(textOf));
      // Only the last page is not full.
      if (page.next !== undefined) expect(page.entities, about).toHaveLength(size);
      after = page.next;
    } while (after !== undefined);
    expect(found, about).toEqual(whole);
  }
}

const textOf = ({ p, r, n }: Pick<Row, "p" | "r" | "n">): string => `${r}\0${p}\0${n}`;

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
