// `query-run.ts` and `read-families.ts` call `runPlan` to read all rows of a plan. It sends the plan's requests in
// order, follows their pages and reads ahead; `readPlanPage` reads a single response.

import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { cancelled } from "../../values/errors/storage-error.ts";
import { allOf, type FilterNode } from "../../values/filter/filter-node.ts";
import { filterOfBounds } from "../../values/filter/key-bounds.ts";
import { onlyText } from "../../values/keys/text-range.ts";
import { ScannedRow } from "../../model/codec/scan/scanned-row.ts";
import { repeatedToken, TokenWatch } from "../../storage/follow-pages.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import type { RowPage, ReadableRows } from "../../storage/store-engine.ts";
import type { ContinuationToken, RequestOptions, StoredQuery } from "../../storage/table-storage.ts";
import type { PlannedRequest, QueryPlan } from "../plan/query-plan.ts";

/** A position in a plan: a request, and the beginning of the next page in it. */
export interface PlanPosition {
  readonly request: number;
  readonly after?: ContinuationToken;
}

/** Rows of one response that passed every check, and the position to continue at. */
export interface PlanPage {
  readonly rows: readonly CheckedRow[];
  /** The time of the request, by the clock of the options. */
  readonly readAt: number;
  /** The RowKey of the last row that came, whether it passed the checks or not; absent where none came. */
  readonly last?: string;
  /** Absent at the end of the plan. */
  readonly next?: PlanPosition;
}

/** Rows on their way to the consumer. */
export type ReadPage = Pick<PlanPage, "rows" | "readAt">;

export interface RunOptions extends RequestOptions {
  /** Decides which rows match, and the class of each; undefined to leave a row out. */
  readonly check: (stored: StoredEntity, request: PlannedRequest) => CheckedRow | undefined;
  /** The time at which something is requested. */
  readonly clock: { readonly revision: number };
  /** Makes entities from the bytes of rows that need no check. */
  readonly reader?: RowReader | undefined;
  /** Stored names to return; all of them when absent. */
  readonly select?: readonly string[];
  /** Counts responses and their rows, while the query is traced. */
  readonly counts?: { pages: number; rows: number; unreadable: number } | undefined;
  /** The tokens of one run, to detect when they repeat. */
  readonly tokens?: TokenWatch;
}

/**
 * Reads the response at one position of a plan.
 *
 * @param top - rows that storage returns at most; those that pass the check may be fewer
 */
export async function readPlanPage(
  storage: ReadableRows,
  plan: QueryPlan,
  position: PlanPosition,
  top: number | undefined,
  { check, signal, retry, clock, select, tokens, reader, counts }: RunOptions,
): Promise<PlanPage> {
  if (signal?.aborted === true) throw cancelled(signal);
  const readAt = clock.revision;
  const request = plan.requests[position.request];
  if (request === undefined) return { rows: [], readAt };
  const options: RequestOptions = {
    ...(signal && { signal }),
    ...(retry && { retry }),
  };
  const page =
    request.type === "point"
      ? await readPoint(storage, plan.table, request, options)
      : await storage.readRows(
          plan.table,
          storedQuery(request, position.after, top, select, plan.reversed === "backwards"),
          request.needsCheck ? undefined : reader,
          options,
        );
  // The first page of a request has none to be like.
  const isLater = page.next !== undefined && position.after !== undefined;
  const isRepeated =
    isLater && (page.next === position.after || tokens?.repeats(page.next, position.request) === true);
  if (isRepeated) throw repeatedToken(plan.table);

  const rows: CheckedRow[] = [];
  const found = page.rows;
  if (counts !== undefined) {
    counts.pages++;
    counts.rows += found.length;
  }
  for (const row of found) {
    // A row that a reader made from bytes needs no check: readers are used only for requests without checks.
    if (reader !== undefined && ScannedRow.is(row)) rows.push(row);
    else {
      const checked = check(row as StoredEntity, request);
      if (checked !== undefined) rows.push(checked);
    }
  }
  const next =
    page.next === undefined
      ? { request: position.request + 1 }
      : { request: position.request, after: page.next };
  const last = found.at(-1);
  return {
    rows,
    readAt,
    ...(last && { last: rowKeyOf(last) }),
    ...(next.request < plan.requests.length && { next }),
  };
}

const rowKeyOf = (row: StoredEntity | object): string =>
  "RowKey" in row ? (row as StoredEntity).RowKey : (row as ScannedRow).rowKey;

/** The options for reading a complete plan. */
export interface PlanRunOptions extends RunOptions {
  /** Whether all of it is wanted: else requests ahead start one by one, as the consumer goes on. */
  readonly isEager?: boolean;
  /**
   * Processes the rows before they are returned. It may leave rows out: others replace them if `take` limits their
   * number.
   */
  readonly prepare?: (page: ReadPage) => Promise<ReadPage>;
}

/**
 * Reads a complete plan, page by page and in key order: one page ahead of the consumer in the request it is at, and
 * the first pages of the next requests at the same time, at most one of each. Stops, and cancels the requests in
 * progress, when the consumer stops.
 *
 * @param take - rows at most, over all pages
 */
export async function* runPlan(
  storage: ReadableRows,
  plan: QueryPlan,
  take: number | undefined,
  { isEager = false, prepare, ...options }: PlanRunOptions,
): AsyncGenerator<ReadPage> {
  let left = take ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const tokens = new TokenWatch();
  const read = (position: PlanPosition, signal: AbortSignal | undefined): Promise<PlanPage> => {
    // Rows that are still to be checked must not use up the number that the caller requested.
    const { needsCheck, isReread } = plan.requests[position.request] ?? { needsCheck: true };
    const mayCut = Number.isFinite(left) && (!needsCheck || isReread === true);
    const own: RunOptions = { ...options, tokens, ...(signal !== undefined && { signal }) };
    return quiet(readPlanPage(storage, plan, position, mayCut ? left : undefined, own));
  };
  // Created for the first read ahead: many queries have none.
  let stopped: AbortController | undefined;
  let signal: AbortSignal | undefined;
  const readAhead = (position: PlanPosition): Promise<PlanPage> => {
    stopped ??= new AbortController();
    signal ??=
      options.signal === undefined ? stopped.signal : AbortSignal.any([options.signal, stopped.signal]);
    return read(position, signal);
  };
  const ahead = new Map<number, Promise<PlanPage>>();
  let width = isEager && take === undefined ? maxAhead : 1;
  let coming: Promise<PlanPage> | undefined = read({ request: 0 }, options.signal);
  try {
    for (let request = 0; coming !== undefined;) {
      for (let i = request + 1; i < Math.min(request + width, plan.requests.length); i++)
        if (!ahead.has(i)) ahead.set(i, readAhead({ request: i }));
      const page: PlanPage = await coming;
      const { readAt, next } = page;
      const wanted = take === undefined ? page.rows : await firstRows(page, left, prepare);
      left -= wanted.length;
      coming = undefined;
      if (next !== undefined && left > 0) {
        if (next.request > request) width = Math.min(2 * width, maxAhead);
        coming = next.after === undefined ? (ahead.get(next.request) ?? readAhead(next)) : readAhead(next);
        ahead.delete(next.request);
        request = next.request;
      }
      const read = { rows: wanted, readAt };
      // Where all are wanted, the next page is on its way meanwhile.
      yield take === undefined && prepare !== undefined ? await prepare(read) : read;
    }
  } finally {
    if (coming !== undefined || ahead.size > 0) stopped?.abort();
  }
}

/** So many rows of a page, or all that are left of it after they are prepared. */
async function firstRows(
  { rows, readAt }: ReadPage,
  count: number,
  prepare: ((page: ReadPage) => Promise<ReadPage>) | undefined,
): Promise<readonly CheckedRow[]> {
  if (prepare === undefined) return rows.slice(0, count);
  const prepared: CheckedRow[] = [];
  for (let at = 0; at < rows.length && prepared.length < count;) {
    const some = rows.slice(at, at + count - prepared.length);
    at += some.length;
    prepared.push(...(await prepare({ rows: some, readAt })).rows);
  }
  return prepared;
}

/** Concurrent requests of one plan, including the current one. */
const maxAhead = 8;

/** A page that was requested ahead may fail after the consumer has stopped: then its error is ignored. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

async function readPoint(
  storage: ReadableRows,
  table: string,
  { bounds }: PlannedRequest,
  options: RequestOptions,
): Promise<RowPage> {
  const key = {
    partitionKey: onlyText(bounds.partitionKey) as string,
    rowKey: onlyText(bounds.rowKey) as string,
  };
  const found = await storage.get(table, key, options);
  return { rows: found === undefined ? [] : [found] };
}

function storedQuery(
  request: PlannedRequest,
  after: ContinuationToken | undefined,
  top: number | undefined,
  select: readonly string[] | undefined,
  isBackwards: boolean,
): StoredQuery {
  const parts = [filterOfBounds(request.bounds), request.filter].filter(
    (node): node is FilterNode => node !== undefined,
  );
  const filter = allOf(parts);
  return {
    ...(filter !== undefined && { filter }),
    ...(top !== undefined && { top: Math.min(top, maxPageSize) }),
    ...(after !== undefined && { after }),
    ...(select !== undefined && { select }),
    ...(isBackwards && { isBackwards }),
  };
}
