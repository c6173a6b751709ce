import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { TokenWatch } from "../../storage/follow-pages.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import { type PlanPage, type PlanPosition, readPlanPage, type RunOptions } from "./run-plan.ts";

/** Rows that are requested if some of them may not pass the checks. */
const checkedAtOnce = 16;

/** The first row of a request that passes the checks; undefined if there is none. */
export async function firstRow(
  storage: ReadableRows,
  plan: QueryPlan,
  request: number,
  options: RunOptions,
): Promise<CheckedRow | undefined> {
  const { reader: _reader, ...run } = options;
  const own = { ...run, tokens: new TokenWatch() };
  const top = plan.requests[request]?.needsCheck === true ? checkedAtOnce : 1;
  for (let at: PlanPosition | undefined = { request }; at?.request === request;) {
    const page: PlanPage = await readPlanPage(storage, plan, at, top, own);
    const [row] = page.rows;
    if (row !== undefined) return row;
    at = page.next;
  }
  return undefined;
}
