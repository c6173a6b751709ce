import { TokenWatch } from "../../storage/follow-pages.ts";
import type { ContinuationToken, TableStorage } from "../../storage/table-storage.ts";
import { type MergePosition, planBehind } from "../plan/row-key-order.ts";
import type { QueryPage } from "../options/page-options.ts";
import { parsePageToken, printPageToken, type TokenQuery } from "./page-token.ts";
import { RowKeyMerge } from "./run-merge.ts";
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
