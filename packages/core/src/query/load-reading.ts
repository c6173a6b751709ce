import type { PlannedQuery } from "./planned-query.ts";
import type { QueryRun } from "./run/query-run.ts";
import type * as Reading from "./run/reading.ts";

let reading: typeof Reading | undefined;

/** Loads what reads queries: beside a storage that is opened, or by the first query over a storage that a program made. */
export async function loadReading(): Promise<typeof Reading> {
  return (reading ??= await import("./run/reading.ts"));
}

/** A query on its way; a promise where it is the first one, and what reads it is still to be loaded. */
export const runOf = (query: PlannedQuery): QueryRun | Promise<QueryRun> =>
  reading === undefined
    ? loadReading().then(({ QueryRun }) => new QueryRun(query))
    : new reading.QueryRun(query);

/** The entities of a query, one page ahead. */
export const streamOf = (query: PlannedQuery): AsyncGenerator<unknown> =>
  reading === undefined ? streamLater(query) : new reading.QueryRun(query).stream();

async function* streamLater(query: PlannedQuery): AsyncGenerator<unknown> {
  yield* (await runOf(query)).stream();
}
