import {
  accepted,
  type CheckOptions,
  defineOptions,
  oneOf,
  queryTypes,
  required,
  wholeNumber,
  worse,
} from "@partita/core/internal";
import type { ExplainedRequest, QueryType } from "@partita/core/models";
import type { Explanation } from "@partita/core";
import { patternOption } from "./domain-options.ts";

/** What every plan of an access pattern must meet. */
export interface PatternBounds<Index extends string = string> {
  /** The worst type a plan may have, from best to worst `point` to `table scan`. */
  readonly atMost: QueryType;
  /** The index that answers the query. A query that asks for none by `via()` has to be given it by the planner. */
  readonly via?: Index | undefined;
  /**
   * Requests at most; a range that has more than one page takes one for each. A point over an index that has no copies
   * takes two; any other plan that reads each entity by its own key has no bound, and is refused.
   */
  readonly requests?: number | undefined;
  /** Partitions at most. A plan that cannot know how many it reads is refused. */
  readonly partitions?: number | undefined;
  /** `nothing`: keys and the store's filter say all, so that every row that is read is wanted. */
  readonly client?: "nothing" | undefined;
}

export const checkBounds: CheckOptions = defineOptions<PatternBounds>(
  "pattern(Class, parameters, build, options)",
  {
    atMost: required(oneOf(...queryTypes)),
    via: accepted("the name of an index", (name) => typeof name === "string" && name !== ""),
    requests: wholeNumber(1),
    partitions: wholeNumber(1),
    client: oneOf("nothing"),
  },
  patternOption,
);

/** How one bound is looked at: what a plan does that the bound does not allow; undefined where it is met. */
type BoundCheck = (plan: Explanation, bounds: PatternBounds) => string | undefined;

/** One check for each bound. */
const checks: Readonly<Record<keyof PatternBounds, BoundCheck>> = {
  atMost: ({ type }, { atMost }) =>
    worse(type, atMost) === atMost ? undefined : `becomes a ${type}, and may be a ${atMost} at most`,
  via: ({ requests, index }, { via }) =>
    via === undefined || requests.length === 0 || index === via
      ? undefined
      : `is answered by ${index === undefined ? "the keys of its class" : `the index ${index}`}, and is to be by the index ${via}`,
  requests: (plan, { requests: most }) => {
    const count = countRequests(plan);
    if (most === undefined || (count !== undefined && count <= most)) return undefined;
    return `becomes ${count === undefined ? "one request for each entity" : `${count} requests`}, and may be ${most} at most`;
  },
  partitions: ({ partitions }, { partitions: most }) =>
    most === undefined || (partitions !== undefined && partitions <= most)
      ? undefined
      : `reads ${partitions ?? "any number of"} partitions, and may read ${most} at most`,
  client: ({ requests }, { client }) => {
    const checked = client === undefined ? undefined : requests.find(isCheckedHere);
    return checked && `checks ${checked.client ?? "rows"} on the client, and may check nothing there`;
  },
};

/** Requests of a plan, pages not counted; undefined where each entity that is found takes one more. */
export function countRequests({ requests, index, reads, type }: Explanation): number | undefined {
  if (index === undefined || reads === "copies" || requests.length === 0) return requests.length;
  return type === "point" ? 2 * requests.length : undefined;
}

/** A point reads one row, whatever its kind is found to be: only conditions on it count. */
const isCheckedHere = ({ type, client, isChecked }: ExplainedRequest): boolean =>
  client !== undefined || (isChecked && type !== "point");

/** What a plan does that the bounds do not allow; undefined where it meets all of them. */
export function exceeded(plan: Explanation, bounds: PatternBounds): string | undefined {
  for (const check of Object.values(checks)) {
    const found = check(plan, bounds);
    if (found !== undefined) return found;
  }
  return undefined;
}
