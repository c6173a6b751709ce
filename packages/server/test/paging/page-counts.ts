import { createTables, defineEntity, type Query, TableContext, type TableStorage, text } from "@partita/core";
import type { ContinuationToken } from "@partita/core/storage";
import { compare, textLiteral } from "@partita/core/protocol";
import { constant, verbatim } from "@partita/core/keys";
import { expect } from "vitest";

/** An entity with rows in two indexes: those of one come before the rows of entities, those of the other after them. */
const rowClass = (table: string) =>
  class Row extends defineEntity({
    table,
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { tag: text() },
    indexes: {
      byTag: { rowKey: { tag: constant("TAG:", verbatim), id: verbatim } },
      keysByTag: { rowKey: { tag: constant("zKEY:", verbatim), id: verbatim }, copy: "none" },
    },
  }) {};

/** An entity with no rows but its own. */
const plainClass = (table: string) =>
  class Plain extends defineEntity({
    table,
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { tag: text() },
  }) {};

const groups = ["g1", "g2", "g3"];
/** Groups in which some have no rows. */
const withEmpty = ["g0", "g1", "g11", "g2", "g3", "g4", "g5"];
const ids = Array.from({ length: 9 }, (_, i) => `r${i}`);

const mostRows = 9;
const mostSize = 5;

/** Queries whose keys decide on rows: a page of theirs names a next one only where there is one. */
const shapes: Readonly<
  Record<string, (context: TableContext, n: number) => Query<{ group: string; id: string }>>
> = {
  "a table": (context, n) => context.query(plainClass(`Plain${n}`)).scan(),
  "a partition": (context, n) => context.query(plainClass(`Plain${n}`)).where({ group: "g1" }),
  "an empty partition": (context, n) => context.query(plainClass(`Plain${n}`)).where({ group: "g4" }),
  "a range of keys": (context, n) =>
    context.query(plainClass(`Plain${n}`)).where((r) => r.group.eq("g1").and(r.id.ge("r2"))),
  "several partitions": (context, n) =>
    context.query(plainClass(`Plain${n}`)).where((r) => r.group.in(withEmpty)),
  "several partitions in RowKey order": (context, n) =>
    context
      .query(plainClass(`Plain${n}`))
      .where((r) => r.group.in(withEmpty))
      .inRowKeyOrder(),
  "several partitions with index rows in RowKey order": (context, n) =>
    context
      .query(rowClass(`Rows${n}`))
      .where((r) => r.group.in(withEmpty))
      .inRowKeyOrder(),
  "single rows": (context, n) =>
    context.query(plainClass(`Plain${n}`)).where((r) => r.group.eq("g1").and(r.id.in(ids))),
  "copies of an index": (context, n) =>
    context
      .query(rowClass(`Rows${n}`))
      .where({ group: "g1", tag: "t" })
      .via("byTag"),
  "keys of an index": (context, n) =>
    context
      .query(rowClass(`Rows${n}`))
      .where({ group: "g1", tag: "t" })
      .via("keysByTag"),
  "the first four": (context, n) =>
    context
      .query(plainClass(`Plain${n}`))
      .scan()
      .take(4),
};

/** Queries where rows are turned away by what they hold: one empty page may follow the last row. A class
 * with indexes filters their rows by key. */
const filtered: typeof shapes = {
  "a partition with index rows": (context, n) => context.query(rowClass(`Rows${n}`)).where({ group: "g1" }),
  "several partitions with index rows": (context, n) =>
    context.query(rowClass(`Rows${n}`)).where((r) => r.group.in(withEmpty)),
  "a table with index rows": (context, n) => context.query(rowClass(`Rows${n}`)).scan(),
  "a property": (context, n) =>
    context
      .query(plainClass(`Plain${n}`))
      .where((r) => r.tag.eq("t"))
      .scan(),
  "part of a partition": (context, n) =>
    context.query(plainClass(`Plain${n}`)).where((r) => r.group.eq("g1").and(r.id.ne("r1"))),
};

/** Tables of 0 to 9 rows, each in three partitions, before another partition that no query asks for. */
export async function fill(storage: TableStorage): Promise<void> {
  for (let n = 0; n <= mostRows; n++) {
    const classes = [plainClass(`Plain${n}`), rowClass(`Rows${n}`)];
    await createTables(storage, classes);
    const context = new TableContext(storage);
    for (const each of classes)
      for (let i = 0; i < n; i++)
        context.create(each, { group: groups[i % 3] as string, id: `r${Math.floor(i / 3)}`, tag: "t" });
    await context.saveChanges();
  }
}

/** Every page of a query, and the number of pages. */
async function follow(query: Query<{ group: string; id: string }>, size: number) {
  const keys: string[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const page = await query.page({ size, after: after as never });
    keys.push(...page.entities.map(({ group, id }) => `${group} ${id}`));
    after = page.next;
    pages++;
  } while (after !== undefined);
  return { keys, pages };
}

const expectedPages = (rows: number, size: number): number => Math.max(1, Math.ceil(rows / size));

/** Reads each shape over each table by pages of each size. Returns how many were read. */
export async function checkPages(storage: TableStorage): Promise<number> {
  let cells = 0;
  for (const [title, shape] of Object.entries({ ...shapes, ...filtered }))
    for (let n = 0; n <= mostRows; n++) {
      const query = (): Query<{ group: string; id: string }> =>
        shape(new TableContext(storage), n).mergeOption("noTracking");
      const all = (await query().toArray()).map(({ group, id }) => `${group} ${id}`);
      for (let size = 1; size <= mostSize; size++) {
        const found = await follow(query(), size);
        const pages = expectedPages(all.length, size);
        const most = title in filtered && all.length % size === 0 && all.length > 0 ? pages + 1 : pages;
        expect(found.keys, `${title}: ${n} rows by ${size}`).toEqual(all);
        expect(found.pages, `${title}: ${n} rows by ${size}`).toBeOneOf([pages, most]);
        cells++;
      }
    }
  return cells;
}

/** The same of the storage's own pages. */
export async function checkStoredPages(storage: TableStorage): Promise<number> {
  let cells = 0;
  const inPartition = compare("eq", "PartitionKey", textLiteral("g2"));
  for (const filter of [undefined, inPartition])
    for (let n = 0; n <= mostRows; n++)
      for (let size = 1; size <= mostSize; size++) {
        let after: ContinuationToken | undefined;
        let [rows, pages] = [0, 0];
        do {
          const query = { top: size, ...(filter && { filter }), ...(after !== undefined && { after }) };
          const page = await storage.query(`Plain${n}`, query);
          rows += page.entities.length;
          after = page.next;
          pages++;
        } while (after !== undefined);
        const expected = filter === undefined ? n : Math.floor((n + 1) / 3);
        expect([rows, pages], `${n} rows by ${size}`).toEqual([expected, expectedPages(expected, size)]);
        cells++;
      }
  return cells;
}
