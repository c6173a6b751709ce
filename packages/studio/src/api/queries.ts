import type { Row } from "./cells.ts";

/** A question about one table. */
export interface RowQuery {
  readonly table: string;
  /** The class whose rows are asked for; undefined for all rows as they are stored. */
  readonly className?: string | undefined;
  /** Conditions in OData syntax, by the names of the class's properties, or by stored names; empty for all rows. */
  readonly text: string;
  /** Whether a scan of the whole table is allowed; a query with no conditions needs no permission. */
  readonly allowScan?: boolean | undefined;
}

/** How good a plan is, from one row that is read by its key to a whole table. */
type PlanRating = "best" | "good" | "fair" | "poor" | "worst";

/** What a query would do, before it runs. */
export interface Plan {
  readonly rating: PlanRating;
  readonly type: string;
  /** The plan in one line. */
  readonly text: string;
  readonly requests: readonly PlannedRequest[];
  /** The parts of keys without which it is a scan. */
  readonly missing: readonly string[];
  readonly index: string | undefined;
  /** Whether it runs only after a scan was allowed. */
  readonly needsPermission: boolean;
}

/** A plan, or why there is none: a query that is being written is often not complete. */
export type PlanResponse = { readonly plan: Plan } | { readonly problem: string };

/** One request of a plan. */
interface PlannedRequest {
  readonly keys: string | undefined;
  readonly filter: string | undefined;
  /** What is checked after the rows were read. */
  readonly client: string | undefined;
}

/** Rows, and where the next page begins. */
export interface RowPage {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** One page of a query, without its rows: enough to scroll to any row and read its page then. */
export interface PageMark {
  /** What the page begins after; undefined for the first. */
  readonly after: string | undefined;
  readonly count: number;
}

/** The pages that were found in one step of reading to the end. */
export interface Extent {
  readonly pages: readonly PageMark[];
  /** Where the next step begins; undefined at the end. */
  readonly next: string | undefined;
}
