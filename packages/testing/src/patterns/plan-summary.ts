import { countRequests } from "@partita/patterns";
import type { Explanation } from "@partita/core";
import type { QueryType, Rating } from "@partita/core/models";

/** The worst plan of a pattern, without values. */
export interface PlanSummary {
  readonly type: QueryType;
  readonly rating: Rating;
  /** The largest number of requests; undefined if a plan takes one request per entity. */
  readonly requests: number | undefined;
  /** The largest number of partitions; undefined if it is unknown for a plan. */
  readonly partitions: number | undefined;
  /** The key range of its first request, with `…` for each value; undefined for all keys, or without a request. */
  readonly ranges: string | undefined;
  /** The conditions that the store filters in addition to the keys, with `…` for each value. */
  readonly filter: string | undefined;
  /** The index that it uses; undefined for the keys of the class itself. */
  readonly index: string | undefined;
  /** Whether rows are also filtered on the client. */
  readonly isChecked: boolean;
}

/** From best to worst. */
const ratings: readonly Rating[] = ["best", "good", "fair", "poor", "worst"];

/** Combines the plans of one pattern. */
export class PlanSummaries {
  #worst: Explanation | undefined;
  #requests: number | undefined = 0;
  #partitions: number | undefined = 0;
  #isChecked = false;

  note(plan: Explanation): void {
    if (this.#worst === undefined || isWorse(plan, this.#worst)) this.#worst = plan;
    this.#requests = greatest(this.#requests, countRequests(plan));
    this.#partitions = greatest(this.#partitions, plan.partitions);
    this.#isChecked ||= plan.requests.some(({ isChecked }) => isChecked);
  }

  worst(): PlanSummary {
    const [first] = this.#worst?.requests ?? [];
    return {
      type: this.#worst?.type ?? "point",
      rating: this.#worst?.rating ?? "best",
      requests: this.#requests,
      partitions: this.#partitions,
      ranges: withoutValues(first?.keys),
      filter: withoutValues(first?.filter),
      index: this.#worst?.index,
      isChecked: this.#isChecked,
    };
  }
}

const greatest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.max(a, b);

/** Compares types, then requests, so a plan without requests never represents one with requests. */
function isWorse(plan: Explanation, than: Explanation): boolean {
  const difference = ratings.indexOf(plan.rating) - ratings.indexOf(than.rating);
  return difference > 0 || (difference === 0 && plan.requests.length > than.requests.length);
}

/** The filter text with `…` for every value. A list of comparisons that differ only in their values becomes one. */
function withoutValues(filter: string | undefined): string | undefined {
  return filter
    ?.replaceAll(/ (eq|ne|gt|ge|lt|le) (?:[A-Za-z]*'(?:[^']|'')*'|[^\s()]+)/g, " $1 …")
    .replaceAll(/(\w+ eq …)(?: or \1)+/g, "$1 or …");
}
