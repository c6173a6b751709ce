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
export const maxScanned = 10_000;

/** Bytes of rows that a page reads to filter them, for the same reason. */
const maxScannedBytes = 64 * 1024 * 1024;

/** Bytes of stored text after which a page ends; the same as in the service. */
const maxBytes = 4 * 1024 * 1024;

/** A checked query: its statement, and what to do with the rows. */
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

/** @throws StorageError `storage.invalid-input` */
export function planPage(table: string, query: StoredQuery, s: string): PagePlan {
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
    sql: sqlOf({ s, range, condition, limit, readsBody }),
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
  const conditions = ["t = (select id from t)", ...conditionsOn("pk", partitionKey, bind)];
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
}

/**
 * The first column says what a row is. 0: the table exists; with the time of the database. 1: a row of the page, and
 * whether the page ends with it because of its size. 2: the last scanned row, if there may be more.
 */
function sqlOf({ s, range, condition, limit, readsBody }: PageParts): string {
  const table = `t as materialized (select id from ${s}.tables where lower(name) = lower($1::text collate "C"))`;
  const exists = `select 0, null, null, null, ${s}.now_us()::text, null, null::boolean, null::boolean from t`;
  if (range === undefined) return `with ${table} ${exists}`;
  const direction = range.isBackwards ? " desc" : "";
  const order = `order by pk${direction}, rk${direction}`;
  const inRange = `from ${s}.rows where ${range.where}`;
  // The sum is that of all rows up to this one. It does not read bodies, which are the large part.
  const scanned = (columns: string, also = ""): string =>
    `select *, sum(bytes) over (${order} rows unbounded preceding) scanned from (select ${columns} ${inRange}${also} ${order} limit ${maxScanned}) s`;
  const columns = (sure: string): string => `select pk, rk, version, at, body, bytes, ${sure} sure`;
  const found =
    condition === undefined
      ? `${columns("true")} ${inRange} ${order} limit ${limit}`
      : `${columns(condition.certain)} from (${scanned("*")}) x where scanned - bytes < ${maxScannedBytes} and ${condition.possible} ${order} limit ${limit}`;
  const sized = "select *, sum(bytes) over (rows unbounded preceding) total from found";
  const body = readsBody ? "body::text" : "'{}'";
  const rows = `select 1, pk, rk, version::text, at::text, ${body}, sure, total >= ${maxBytes} from (${sized}) y where total - bytes < ${maxBytes}`;
  const page = `with ${table}, found as materialized (${found}) ${exists} union all (${rows})`;
  if (condition === undefined) return page;
  // If the page is full, the end of the scan does not matter.
  const isOpen = ` and (select count(*) from found) < ${limit}`;
  const last = `select *, row_number() over (${order}) n from (${scanned("pk, rk, bytes", isOpen)}) x`;
  return `${page} union all (select 2, pk, rk, null, null, null, null, null from (${last}) y where scanned >= ${maxScannedBytes} or n = ${maxScanned} limit 1)`;
}
