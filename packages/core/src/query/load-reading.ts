import type { QueryPlan } from "./plan/query-plan.ts";
import type { PlannedQuery } from "./planned-query.ts";
import type { ReadableRows } from "../storage/store-engine.ts";
import type { QueryRun } from "./run/query-run.ts";
import type * as Reading from "./run/reading.ts";
import type { PlanRunOptions, ReadPage } from "./run/run-plan.ts";

let loaded: typeof Reading | undefined;

/**
 * Loads what reads queries, as `openStorage` does. A program that makes its storage itself may call it, so that its first
 * query is sent at once; else that query loads it.
 */
export async function loadReading(): Promise<void> {
  loaded ??= await import("./run/reading.ts");
}

/** Reads a query in some way: at once, unless what reads it is still to be loaded. */
export async function read<Result>(
  query: PlannedQuery,
  how: (run: QueryRun) => Promise<Result>,
): Promise<Result> {
  if (loaded === undefined) await loadReading();
  const asking = query.askIndexStates();
  if (asking !== undefined) await asking;
  return how(new (loaded as typeof Reading).QueryRun(query));
}

/** The entities of a query, one page ahead; begins when the first one is asked for. */
export const streamOf = (query: PlannedQuery): AsyncGenerator<unknown> =>
  loaded === undefined || query.mayUseIndexes
    ? later(
        ({ QueryRun }) => new QueryRun(query).stream(),
        () => query.askIndexStates(),
      )
    : new loaded.QueryRun(query).stream();

/** The rows of a plan, page by page; begins when the first page is asked for. */
export const pagesOf = (
  storage: ReadableRows,
  plan: QueryPlan,
  take: number | undefined,
  options: PlanRunOptions,
): AsyncGenerator<ReadPage> =>
  loaded === undefined
    ? later(({ runPlan }) => runPlan(storage, plan, take, options))
    : loaded.runPlan(storage, plan, take, options);

async function* later<Item>(
  begin: (reading: typeof Reading) => AsyncGenerator<Item>,
  before?: () => Promise<unknown> | undefined,
): AsyncGenerator<Item> {
  await loadReading();
  await before?.();
  yield* begin(loaded as typeof Reading);
}
