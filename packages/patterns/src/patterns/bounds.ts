import {
  accepted,
  type CheckOptions,
  defineOptions,
  numberAboveZero,
  oneOf,
  optionsOf,
  queryTypes,
  required,
  wholeNumber,
  worse,
} from "@partita/core/internal";
import type { ExplainedRequest, QueryType } from "@partita/core/models";
import type { Explanation } from "@partita/core";
import { patternOption } from "./domain-options.ts";

/** The bounds that every plan of an access pattern must meet. */
export interface PatternBounds<Index extends string = string> {
  /** The worst allowed type of a plan, from best to worst `point` to `table scan`. */
  readonly atMost: QueryType;
  /** The index of the query. If the query does not use `via()`, the planner must choose this index. */
  readonly via?: Index | undefined;
  /**
   * Maximum number of requests. A range with several pages takes one for each page. A point over an index
   * without copies takes two. Any other plan that reads each entity by its own key has no bound and is
   * refused.
   */
  readonly requests?: number | undefined;
  /** Maximum number of partitions. A plan with an unknown number is refused. */
  readonly partitions?: number | undefined;
  /**
   * `nothing`: keys and the storage's filter decide everything, so every row that is read is in the result.
   */
  readonly client?: "nothing" | undefined;
  /** How the program uses the pattern, for the table of plans. Nothing is checked. */
  readonly use?: PatternUse | undefined;
}

/** How a program uses an access pattern. */
export interface PatternUse {
  /** How often it runs, in times per minute. */
  readonly perMinute?: number | undefined;
  /** The usual number of rows of a result. */
  readonly rows?: number | undefined;
  /** How long a result may take, in milliseconds. */
  readonly withinMs?: number | undefined;
}

const checkUse: CheckOptions = defineOptions<PatternUse>(
  "use",
  { perMinute: numberAboveZero, rows: wholeNumber(0), withinMs: numberAboveZero },
  patternOption,
);

export const checkBounds: CheckOptions = defineOptions<PatternBounds>(
  "pattern(Class, parameters, build, options)",
  {
    atMost: required(oneOf(...queryTypes)),
    via: accepted("the name of an index", (name) => typeof name === "string" && name !== ""),
    requests: wholeNumber(1),
    partitions: wholeNumber(1),
    client: oneOf("nothing"),
    use: optionsOf(checkUse),
  },
  patternOption,
);

/** Checks one bound. Returns the plan's violation, or undefined if the bound is met. */
type BoundCheck = (plan: Explanation, bounds: PatternBounds) => string | undefined;

/** One check for each bound. */
const checks: Readonly<Record<Exclude<keyof PatternBounds, "use">, BoundCheck>> = {
  atMost: ({ type }, { atMost }) =>
    worse(type, atMost) === atMost ? undefined : `becomes a ${type}, but may be at most a ${atMost}`,
  via: ({ requests, index }, { via }) =>
    via === undefined || requests.length === 0 || index === via
      ? undefined
      : `is answered by ${index === undefined ? "the keys of its class" : `the index ${index}`}, but should be answered by the index ${via}`,
  requests: (plan, { requests: most }) => {
    const count = countRequests(plan);
    if (most === undefined || (count !== undefined && count <= most)) return undefined;
    return `becomes ${count === undefined ? "one request for each entity" : `${count} requests`}, but may be at most ${most}`;
  },
  partitions: ({ partitions }, { partitions: most }) =>
    most === undefined || (partitions !== undefined && partitions <= most)
      ? undefined
      : `reads ${partitions ?? "any number of"} partitions, but may read at most ${most}`,
  client: ({ requests }, { client }) => {
    const checked = client === undefined ? undefined : requests.find(isCheckedHere);
    return checked && `checks ${checked.client ?? "rows"} on the client, but may check nothing there`;
  },
};

/** Requests of a plan, without further pages. Undefined if each found entity takes one more. */
export function countRequests({ requests, index, reads, type }: Explanation): number | undefined {
  if (index === undefined || reads === "copies" || requests.length === 0) return requests.length;
  return type === "point" ? 2 * requests.length : undefined;
}

/** A point reads one row of any kind, so only conditions on it count. */
const isCheckedHere = ({ type, client, isChecked }: ExplainedRequest): boolean =>
  client !== undefined || (isChecked && type !== "point");

/** The plan's first violation of the bounds. Undefined if it meets all of them. */
export function exceeded(plan: Explanation, bounds: PatternBounds): string | undefined {
  for (const check of Object.values(checks)) {
    const found = check(plan, bounds);
    if (found !== undefined) return found;
  }
  return undefined;
}
