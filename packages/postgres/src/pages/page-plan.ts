import {
  evaluateFilter,
  keyBoundsOf,
  lookupIn,
  onlyText,
  checkFilter,
  checkTop,
  parsePosition,
  restOf,
  filterSql,
  toOrderedText,
} from "@partita/core/internal/sql";
import type { FilterSql, KeyBounds, Position, TextRange } from "@partita/core/internal/sql";
import type { StoredEntity, StoredQuery } from "@partita/core/storage";
import { postgresDialect } from "./postgres-dialect.ts";

/** Rows that a page scans, whether they match or not, so each page takes a limited time. */
const maxScanned = 10_000;

/** Bytes of rows that a page reads to filter them, for the same reason. */
const maxScannedBytes = 64 * 1024 * 1024;

/** Bytes of stored text after which a page ends; the same as in the service. */
const maxBytes = 4 * 1024 * 1024;

/** Bytes of a small row: a page of such rows does not exceed the limit, so the database need not add up their sizes. */
const smallBytes = 4096;

/** A checked query: its statement, and the work on its rows. */
export interface PagePlan {
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Whether the text depends on keys only, so there are few different ones. */
  readonly isPrepared: boolean;
  readonly top: number;
  readonly select: readonly string[] | undefined;
  /** Evaluates the filter for a row that PostgreSQL cannot decide. */
  readonly isWanted: (entity: StoredEntity) => boolean;
}

/**
 * @param mayHaveLarge - whether rows may be large; otherwise the body of a large row is null, and the page has to be
 *   read again
 * @throws StorageError `storage.invalid-input`
 */
export function planPage(table: string, query: StoredQuery, s: string, mayHaveLarge: boolean): PagePlan {
  const { select, after, isBackwards = false } = query;
  const top = checkTop(query.top);
  const filter = query.filter && checkFilter(query.filter);
  const start = after === undefined ? undefined : parsePosition(after);
  const bounds = keyBoundsOf(filter);
  const rest = bounds && restOf(filter, bounds);
  const values: (string | number)[] = [table];
  const bind = (value: string | number): string => `$${values.push(value)}`;
  const range = bounds && { where: whereOf(bounds, start, isBackwards, bind), isBackwards };
  let condition: FilterSql | undefined;
  if (rest !== undefined) {
    condition = filterSql(rest, postgresDialect(values.length));
    values.push(...(condition.values as readonly string[]));
  }
  // One more row than asked for: whether there is a next page.
  const limit = range === undefined ? "0" : `${bind(top + 1)}::int`;
  const readsBody = rest !== undefined || select === undefined || select.length > 0;
  return {
    sql: sqlOf({ s, range, condition, limit, readsBody, mayHaveLarge }),
    values,
    isPrepared: rest === undefined,
    top,
    select,
    isWanted: rest === undefined ? () => true : (entity) => evaluateFilter(rest, lookupIn(entity)),
  };
}

type Bind = (value: string) => string;

/** The condition on the key columns. */
function whereOf(
  { partitionKey, rowKey }: KeyBounds,
  start: Position | undefined,
  isBackwards: boolean,
  bind: Bind,
): string {
  const isOne = onlyText(partitionKey) !== undefined;
  const conditions = ["t = tid", ...conditionsOn("pk", partitionKey, bind)];
  // The RowKey range only applies if the PartitionKey is a single value.
  if (isOne) conditions.push(...conditionsOn("rk", rowKey, bind));
  if (start !== undefined) {
    const [pk, rk] = start;
    const sign = isBackwards ? "<" : ">";
    conditions.push(isOne ? `rk ${sign} ${bind(rk)}` : `(pk, rk) ${sign} (${bind(pk)}, ${bind(rk)})`);
  }
  return conditions.join(" and ");
}

function conditionsOn(column: "pk" | "rk", range: TextRange, bind: Bind): string[] {
  const only = onlyText(range);
  if (only !== undefined) return [compare(column, "=", only, bind)];
  const { lower, upper } = range;
  return [
    ...(lower === undefined ? [] : [compare(column, lower.inclusive ? ">=" : ">", lower.text, bind)]),
    ...(upper === undefined ? [] : [compare(column, upper.inclusive ? "<=" : "<", upper.text, bind)]),
  ];
}

/** Neither keys nor values of a statement can contain U+0000, so text is compared up to the first one. */
function compare(column: "pk" | "rk", sign: string, text: string, bind: Bind): string {
  const [before = "", ...others] = text.split("\0");
  if (others.length === 0) return `${column} ${sign} ${bind(toOrderedText(text))}`;
  if (sign === "=") return "false";
  return `${column} ${sign.startsWith("<") ? "<=" : ">"} ${bind(toOrderedText(before))}`;
}

/** The parts of a page's statement. */
interface PageParts {
  /** The schema. */
  readonly s: string;
  /** Undefined if no key can match. */
  readonly range: { readonly where: string; readonly isBackwards: boolean } | undefined;
  readonly condition: FilterSql | undefined;
  readonly limit: string;
  readonly readsBody: boolean;
  readonly mayHaveLarge: boolean;
}

/** The kinds of rows in a page's statement, by the first column. */
export const rowKinds = {
  /** The last scanned row, if there may be more. */
  boundary: 1,
  /** A row of the page. The others are added to this. */
  row: 2,
  /** The row must be evaluated here. */
  uncertain: 4,
  /** The page ends with this row because of its size. */
  last: 8,
} as const;

/**
 * One statement for each page, also if its table does not exist: then it returns no row. A table without a matching row
 * gives a row of nulls.
 */
function sqlOf({ s, range, condition, limit, readsBody, mayHaveLarge }: PageParts): string {
  const { boundary, row, uncertain, last } = rowKinds;
  const table = `(select id tid from ${s}.tables where lower(name) = lower($1::text collate "C")) t`;
  if (range === undefined) return `select null, null from ${table}`;
  const direction = range.isBackwards ? " desc" : "";
  const order = `order by pk${direction}, rk${direction}`;
  const inRange = `from ${s}.rows where ${range.where}`;
  const body = readsBody ? "body" : "'{}'";
  const page = (isUncertain: string, found: string): string =>
    `select ${row}${isUncertain} + case when total >= ${maxBytes} then ${last} else 0 end kind, pk, rk, version, at, ${body} body
      from (select *, sum(bytes) over (rows unbounded preceding) total from ${found}) x where total - bytes < ${maxBytes}`;
  const inTable = (rows: string): string => `select x.* from ${table} left join lateral (${rows}) x on true`;
  if (condition === undefined && !(readsBody && mayHaveLarge)) {
    const small = readsBody ? `case when bytes < ${smallBytes} then body end` : body;
    return inTable(
      `select ${row} kind, pk, rk, version, at, ${small} body ${inRange} ${order} limit ${limit}`,
    );
  }
  if (condition === undefined)
    return inTable(
      page("", `(select pk, rk, version, at, bytes, body ${inRange} ${order} limit ${limit}) f`),
    );

  // The sum is that of all rows up to this one. It does not read bodies, which are the large part.
  const scanned = (columns: string, also = ""): string =>
    `select *, sum(bytes) over (${order} rows unbounded preceding) scanned
      from (select ${columns} ${inRange}${also} ${order} limit ${maxScanned}) s`;
  const found = `select pk, rk, version, at, body, bytes, ${condition.certain} sure from (${scanned("*")}) x
    where scanned - bytes < ${maxScannedBytes} and ${condition.possible} ${order} limit ${limit}`;
  // If the page is full, the end of the scan does not matter.
  const isOpen = ` and (select count(*) from found) < ${limit}`;
  const counted = `select *, row_number() over (${order}) n from (${scanned("pk, rk, bytes", isOpen)}) x`;
  return inTable(`with found as materialized (${found})
    (${page(` + case when sure then 0 else ${uncertain} end`, "found")})
    union all (select ${boundary}, pk, rk, null, null, null from (${counted}) y
      where scanned >= ${maxScannedBytes} or n = ${maxScanned} limit 1)`);
}
