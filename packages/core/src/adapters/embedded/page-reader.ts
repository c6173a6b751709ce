import type { StoredEntity } from "../../edm/stored-entity.ts";
import { cancelled } from "../../errors/storage-error.ts";
import type { Page } from "../../storage/table-storage.ts";
import { type PagePlan, type Position, printPosition, seek } from "./page-plan.ts";
import { checkRow } from "./row-checksum.ts";
import { parseRow, project, type Row, rowColumns } from "./stored-row.ts";
import { rowsOf, type Statements } from "./table-statements.ts";

/** Bytes of stored text in one page: as many as the service sends in one answer. */
const maxPageBytes = 4 * 1024 * 1024;
/** Rows that one page passes at most. The service ends a page after 5 seconds; rows are the same on every machine. */
const maxPassedRows = 100_000;

/** Rows of the first statement, and of any statement. */
const firstChunk = 16;
const maxChunk = 2000;
/** Stored text of one statement's rows, about, so that they stay within memory. */
const chunkBytes = 1024 * 1024;
/** How long a statement may take, about. It decides when the event loop turns, never where a page ends. */
const chunkMs = 2;

/** Where a page is read. */
export interface PageSource {
  readonly statements: Statements;
  readonly tableId: number;
  /** Whether rows may be damaged, so that those that are passed over are checked too. */
  readonly isOnDisk: boolean;
}

/** Reads a page that one chunk answers, which needs no transaction; undefined when it takes more. */
export function readShortPage(source: PageSource, plan: PagePlan): Page | undefined {
  const builder = new PageBuilder(plan);
  return builder.add(readChunk(source, plan, plan.after, Math.min(firstChunk, builder.rowsLeft)));
}

/**
 * Reads a page whose rows are all wanted, which are at most 1000, at once. To be called in a transaction, so that all
 * chunks see one state.
 */
export function readSeek(source: PageSource, plan: PagePlan): Page {
  const steps = readSteps(source, plan);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Reads a page of rows that a filter decides on. The event loop turns between chunks, so the source must show one state
 * for as long as this takes.
 */
export async function scanPage(
  source: PageSource,
  plan: PagePlan,
  signal: AbortSignal | undefined,
): Promise<Page> {
  const steps = readSteps(source, plan);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) throw cancelled(signal);
  }
}

/** One chunk a step. */
function* readSteps(source: PageSource, plan: PagePlan): Generator<void, Page> {
  const builder = new PageBuilder(plan);
  let position = plan.after;
  let limit = firstChunk;
  for (;;) {
    const started = performance.now();
    const chunk = readChunk(source, plan, position, Math.min(limit, builder.rowsLeft));
    const page = builder.add(chunk);
    if (page !== undefined) return page;
    position = chunk.end;
    limit = nextLimit(chunk, performance.now() - started);
    yield;
  }
}

function nextLimit({ rows, passed }: Chunk, ms: number): number {
  const bytes = rows.reduce((sum, row) => sum + row[3].length, 0);
  const byTime = passed * Math.min(4, Math.max(0.25, chunkMs / ms));
  const byBytes = (chunkBytes * rows.length) / Math.max(bytes, 1);
  return Math.floor(Math.max(1, Math.min(maxChunk, byTime, rows.length === 0 ? maxChunk : byBytes)));
}

/** Collects a page; it ends by rows returned, bytes returned and rows passed, and by nothing else. */
class PageBuilder {
  readonly #plan: PagePlan;
  readonly #entities: StoredEntity[] = [];
  #bytes = 0;
  #last: Position | undefined;
  #passed = 0;

  constructor(plan: PagePlan) {
    this.#plan = plan;
  }

  /** Rows that the next chunk may pass. */
  get rowsLeft(): number {
    const { isSeek, top } = this.#plan;
    return isSeek ? top - this.#entities.length : maxPassedRows - this.#passed;
  }

  /** The page, once it is done. */
  add({ rows, passed, end }: Chunk): Page | undefined {
    const { isWanted, select, top } = this.#plan;
    for (const row of rows) {
      const entity = parseRow(row);
      if (!isWanted(entity)) continue;
      this.#bytes += Buffer.byteLength(row[3]);
      if (this.#last !== undefined && this.#bytes > maxPageBytes) return this.#endAfter(this.#last);
      this.#last = [row[0], row[1]];
      this.#entities.push(select === undefined ? entity : project(entity, select));
      if (this.#entities.length === top) return this.#endAfter(this.#last);
    }
    if (end === undefined) return { entities: this.#entities };
    this.#passed += passed;
    return this.#passed >= maxPassedRows ? this.#endAfter(end) : undefined;
  }

  #endAfter(position: Position): Page {
    return { entities: this.#entities, next: printPosition(position) };
  }
}

/** The rows of one statement. */
interface Chunk {
  /** Whole rows that may be wanted. */
  readonly rows: readonly Row[];
  /** How many were looked at. */
  readonly passed: number;
  /** The last of them; undefined at the end of the bounds. */
  readonly end: Position | undefined;
}

/**
 * Looks at `limit` rows behind a position. SQLite tests the stored text, so that rows that cannot be wanted are not
 * parsed. From a disk they are read and compared with their checksums all the same: a damaged byte could be the one
 * that hides a row from the test.
 */
function readChunk(source: PageSource, plan: PagePlan, after: Position | undefined, limit: number): Chunk {
  return source.isOnDisk || plan.test === undefined
    ? readChecked(source, plan, after, limit)
    : readTested(source, plan, plan.test, after, limit);
}

function readChecked(
  { statements, tableId }: PageSource,
  { bounds, test }: PagePlan,
  after: Position | undefined,
  limit: number,
): Chunk {
  const { sql, values } = seek(bounds, after, undefined);
  // A condition stops at the first part that decides, a value would not.
  const hit = test === undefined ? "" : `, CASE WHEN ${test.sql} THEN 1 ELSE 0 END`;
  const found = statements
    .get(`SELECT ${rowColumns}${hit} FROM ${rowsOf(tableId)} WHERE ${sql} ORDER BY pk, rk LIMIT ?`)
    .all(...(test?.values ?? []), ...values, limit) as unknown as [...Row, isHit: number][];
  for (const [pk, rk, ts, body, crc] of found) checkRow(pk, rk, ts, body, crc);
  const last = found.length < limit ? undefined : found.at(-1);
  return {
    rows: (test === undefined ? found : found.filter((row) => row[5] === 1)) as unknown as Row[],
    passed: found.length,
    end: last && [last[0], last[1]],
  };
}

/** Finds by index where the chunk ends, then only the rows that pass the test. */
function readTested(
  { statements, tableId }: PageSource,
  { bounds }: PagePlan,
  test: NonNullable<PagePlan["test"]>,
  after: Position | undefined,
  limit: number,
): Chunk {
  const from = seek(bounds, after, undefined);
  const end = statements
    .get(`SELECT pk, rk FROM ${rowsOf(tableId)} WHERE ${from.sql} ORDER BY pk, rk LIMIT 1 OFFSET ?`)
    .get(...from.values, limit - 1) as unknown as [string, string] | undefined;
  const { sql, values } = seek(bounds, after, end);
  const rows = statements
    .get(`SELECT ${rowColumns} FROM ${rowsOf(tableId)} WHERE ${sql} AND ${test.sql} ORDER BY pk, rk`)
    .all(...values, ...test.values) as unknown as Row[];
  for (const [pk, rk, ts, body, crc] of rows) checkRow(pk, rk, ts, body, crc);
  return { rows, passed: limit, end };
}
