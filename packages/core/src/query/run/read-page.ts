// `query-run.ts` calls this file for `page()`. It reads one page of a plan, or of a merge over partitions, and
// returns a token that resumes after the last entity returned.

import { TokenWatch } from "../../storage/follow-pages.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { ContinuationToken } from "../../storage/table-storage.ts";
import type { MergePosition } from "../plan/row-key-order.ts";
import type { Page } from "../options/page-options.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import { parsePageToken, printPageToken, type TokenQuery } from "./page-token.ts";
import { placeOf, readLast } from "./read-last.ts";
import type { MovingRows } from "./moving-rows.ts";
import { mergeOf } from "./run-merge.ts";
import { runMoving } from "./run-moving.ts";
import { firstRow } from "./first-row.ts";
import {
  type PlanPage,
  type PlanPosition,
  type ReadPage,
  readPlanPage,
  type RunOptions,
} from "./run-plan.ts";

interface PageRequest<Entity> {
  readonly size: number;
  readonly after: string | undefined;
  /** The entities of rows. */
  readonly build: (page: ReadPage) => Promise<Iterable<Entity>>;
}

/**
 * One page of at most `size` entities, full unless the query ends. Its token names the next row: a page that ends
 * with the last row has none, as far as keys decide which rows match. A storage that filters rows may name one that
 * it then rejects, and the page after it is empty.
 *
 * @throws QueryError `query.foreign-token` for a token of another query or an altered one
 */
export async function readPage<Entity>(
  storage: ReadableRows,
  query: TokenQuery,
  options: RunOptions,
  { size, after, build }: PageRequest<Entity>,
): Promise<Page<Entity>> {
  const start =
    after === undefined
      ? { place: [0, null] as const, left: query.take }
      : parsePageToken<readonly [number, ContinuationToken | null]>(query, after);
  const most = Math.min(size, start.left ?? size);
  const entities: Entity[] = [];
  const run: RunOptions = { ...options, tokens: new TokenWatch() };
  const [request, token] = start.place;
  let next: PlanPosition | undefined =
    most === 0 ? undefined : { request, ...(token !== null && { after: token }) };
  while (next !== undefined && entities.length < most) {
    // Never more rows than are still wanted, so the token resumes right after the last row returned.
    const page: PlanPage = await readPlanPage(storage, query.plan, next, most - entities.length, run);
    entities.push(...(await build(page)));
    next = page.next;
  }
  const left = start.left === undefined ? undefined : start.left - entities.length;
  if (left !== 0) next = await nextRow(storage, query.plan, next, run);
  return next === undefined || left === 0
    ? { entities }
    : { entities, next: printPageToken(query, { place: [next.request, next.after ?? null], left }) };
}

/** Requests that are looked into at one time for a next row. */
const lookedAhead = 8;

/**
 * The position of the next row. Storage reports whether a request continues; a request that was not made yet is
 * tried, so no token leads to nothing.
 */
async function nextRow(
  storage: ReadableRows,
  plan: QueryPlan,
  position: PlanPosition | undefined,
  options: RunOptions,
): Promise<PlanPosition | undefined> {
  if (position === undefined || position.after !== undefined) return position;
  for (let first = position.request; first < plan.requests.length; first += lookedAhead) {
    const some = plan.requests.slice(first, first + lookedAhead).map((_, i) => first + i);
    const found = await Promise.all(some.map((request) => hasRows(storage, plan, request, options)));
    const at = found.indexOf(true);
    if (at >= 0) return { request: first + at };
  }
  return undefined;
}

/** Whether a request has a row that passes the checks. If that cannot be read, the next page reports the error. */
async function hasRows(
  storage: ReadableRows,
  plan: QueryPlan,
  request: number,
  options: RunOptions,
): Promise<boolean> {
  try {
    return (await firstRow(storage, plan, request, options)) !== undefined;
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return true;
  }
}

/** The start of a page that begins at a row, and the number of entities left. */
const mergeStart = (
  query: TokenQuery,
  after: PageRequest<never>["after"],
): { readonly place: MergePosition | undefined; readonly left: number | undefined } =>
  after === undefined ? { place: undefined, left: query.take } : parsePageToken<MergePosition>(query, after);

/** The same for a reversed plan over a service: each page reads to the row that it ends before. */
export async function readHeldPage<Entity>(
  storage: ReadableRows,
  query: TokenQuery,
  options: RunOptions,
  { size, after, build }: PageRequest<Entity>,
): Promise<Page<Entity>> {
  const start = mergeStart(query, after);
  const most = Math.min(size, start.left ?? size);
  const entities: Entity[] = [];
  for (let { place } = start; entities.length < most;) {
    const wanted = most - entities.length;
    const pages = await readLast(storage, query.plan, wanted + 1, options, place);
    const found = pages.flatMap(({ rows, readAt }) => rows.map((row) => ({ rows: [row], readAt })));
    const given = found.slice(0, wanted);
    for (const page of given) entities.push(...(await build(page)));
    const last = given.at(-1)?.rows[0];
    if (last === undefined || found.length === given.length) return { entities };
    place = placeOf(last);
    const left = start.left === undefined ? undefined : start.left - entities.length;
    if (left === 0) return { entities };
    if (entities.length === most) return { entities, next: printPageToken(query, { place, left }) };
  }
  return { entities };
}

/** The same for classes with former keys. */
export async function readMovingPage<Entity>(
  storage: MovingRows,
  query: TokenQuery,
  options: RunOptions,
  { size, after, build }: PageRequest<Entity>,
): Promise<Page<Entity>> {
  const start = mergeStart(query, after);
  const most = Math.min(size, start.left ?? size);
  const entities: Entity[] = [];
  for (let { place } = start; entities.length < most;) {
    const wanted = most - entities.length;
    let found = 0;
    for await (const { rows, readAt } of runMoving(storage, query.plan, wanted + 1, options, place))
      for (const row of rows) {
        if (++found > wanted) break;
        entities.push(...(await build({ rows: [row], readAt })));
        place = placeOf(row);
      }
    const left = start.left === undefined ? undefined : start.left - entities.length;
    if (found <= wanted || left === 0 || place === undefined) return { entities };
    if (entities.length === most) return { entities, next: printPageToken(query, { place, left }) };
  }
  return { entities };
}

/**
 * The same for a merge. Its position is the last row returned: rows that were read ahead are read again for the next
 * page.
 */
export async function readMergedPage<Entity>(
  storage: ReadableRows,
  query: TokenQuery,
  options: RunOptions,
  { size, after, build }: PageRequest<Entity>,
): Promise<Page<Entity>> {
  const start = mergeStart(query, after);
  const most = Math.min(size, start.left ?? size);
  const merge = mergeOf(storage, query.plan, options, { wanted: most }, start.place);
  const entities: Entity[] = [];
  while (entities.length < most && !merge.isAtEnd)
    entities.push(...(await build(await merge.next(most - entities.length))));
  const left = start.left === undefined ? undefined : start.left - entities.length;
  if (left !== 0)
    await merge.lookAhead().catch((error: unknown) => {
      if (options.signal?.aborted === true) throw error;
    });
  return merge.isAtEnd || left === 0
    ? { entities }
    : { entities, next: printPageToken(query, { place: merge.place, left }) };
}
