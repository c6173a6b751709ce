import { abortSignal, accepted, required, wholeNumber } from "../../options/checks.ts";
import { type CheckOptions, defineOptions } from "../../options/define-options.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import { repeatedToken, TokenWatch } from "../../storage/follow-pages.ts";
import type { ContinuationToken, TableStorage } from "../../storage/table-storage.ts";
import { type MergePosition, planBehind } from "../plan/row-key-order.ts";
import type { ReadOptions } from "./read-options.ts";
import { type PageToken, parsePageToken, printPageToken, type TokenQuery } from "./page-token.ts";
import { RowKeyMerge } from "./run-merge.ts";
import {
  type PlanPage,
  type PlanPosition,
  type ReadPage,
  readPlanPage,
  type RunOptions,
} from "./run-plan.ts";

/** One page of a query, for lists that people leaf through. */
export interface QueryPage<Entity> {
  readonly entities: readonly Entity[];
  /** Where the next page begins; absent at the end. */
  readonly next?: PageToken;
}

/** Which page to read. */
export interface PageOptions extends ReadOptions {
  /** Entities at most: 1 or more. */
  readonly size: number;
  /** The `next` of the page before, as it came in a URL; without one, the first page. */
  readonly after?: string | null | undefined;
}

/** @throws OptionError `query.page-size`, `context.option` */
export const checkPageOptions: CheckOptions = defineOptions<PageOptions>("page(options)", {
  size: required({ ...wholeNumber(1), code: "query.page-size" }),
  signal: abortSignal,
  retry: aRetryPolicy,
  // A text that is no token is refused where it is read.
  after: accepted("the next of the page before", () => true),
});

interface PageRequest<Entity> {
  readonly size: number;
  readonly after: string | undefined;
  /** The entities of rows. */
  readonly build: (page: ReadPage) => Promise<Iterable<Entity>>;
}

/**
 * One page of at most `size` entities, full unless the query ends.
 *
 * @throws QueryError `query.foreign-token` for a token of another query or an altered one
 */
export async function readPage<Entity>(
  storage: TableStorage,
  query: TokenQuery,
  options: RunOptions,
  { size, after, build }: PageRequest<Entity>,
): Promise<QueryPage<Entity>> {
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
    // Never more rows than are still wanted, so that the token stands right behind the last one handed over.
    const page: PlanPage = await readPlanPage(storage, query.plan, next, most - entities.length, run);
    entities.push(...(await build(page)));
    next = page.next;
  }
  const left = start.left === undefined ? undefined : start.left - entities.length;
  return next === undefined || left === 0
    ? { entities }
    : { entities, next: printPageToken(query, { place: [next.request, next.after ?? null], left }) };
}

/**
 * The same of a merge. Its place is the last row that was handed over: what was read ahead of it is read again for the
 * next page.
 */
export async function readMergedPage<Entity>(
  storage: TableStorage,
  query: TokenQuery,
  options: RunOptions,
  { size, after, build }: PageRequest<Entity>,
): Promise<QueryPage<Entity>> {
  const start =
    after === undefined
      ? { place: undefined, left: query.take }
      : parsePageToken<MergePosition>(query, after);
  const plan = start.place === undefined ? query.plan : planBehind(query.plan, start.place);
  const most = Math.min(size, start.left ?? size);
  const merge = new RowKeyMerge(storage, plan, options, { wanted: most });
  const entities: Entity[] = [];
  while (entities.length < most && !merge.isAtEnd)
    entities.push(...(await build(await merge.next(most - entities.length))));
  const left = start.left === undefined ? undefined : start.left - entities.length;
  return merge.isAtEnd || left === 0
    ? { entities }
    : { entities, next: printPageToken(query, { place: merge.place, left }) };
}

/** Every page, one after the other. @throws StorageError when tokens repeat, so that pages would never end */
export async function* readPages<Entity>(
  read: (options: PageOptions) => Promise<QueryPage<Entity>>,
  options: PageOptions,
  table: string,
): AsyncGenerator<QueryPage<Entity>> {
  let { after } = options ?? {};
  const tokens = new TokenWatch();
  do {
    const page = await read({ ...options, after });
    if (page.next !== undefined && tokens.repeats(page.next)) throw repeatedToken(table);
    if (page.entities.length > 0) yield page;
    after = page.next;
  } while (after !== undefined);
}
