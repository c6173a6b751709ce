import type { Row, RowKey } from "./cells.ts";

/** A query of one table. */
export interface RowQuery {
  readonly table: string;
  /** The class of the rows. Undefined for stored rows of any class. */
  readonly className?: string | undefined;
  /** Conditions in OData syntax, with property names of the class or stored names. Empty for all rows. */
  readonly text: string;
  /** Whether a scan of the complete table is allowed. A query without conditions needs no permission. */
  readonly allowScan?: boolean | undefined;
}

/** The rating of a plan, from one row read by its key to a complete table. */
type PlanRating = "best" | "good" | "fair" | "poor" | "worst";

/** The plan of a query, before it runs. */
export interface Plan {
  /** Undefined for a query without conditions, which reads the table page by page. */
  readonly rating: PlanRating | undefined;
  readonly type: string;
  /** The plan in one line. */
  readonly text: string;
  readonly requests: readonly PlannedRequest[];
  /** The missing key parts that make it a scan. */
  readonly missing: readonly string[];
  readonly index: string | undefined;
  /** Whether it runs only after the user allows a scan. */
  readonly needsPermission: boolean;
}

/** A plan, or the reason why there is none, for example because the query is still being typed. */
export type PlanResponse = { readonly plan: Plan } | { readonly problem: string };

/** One request of a plan. */
interface PlannedRequest {
  readonly keys: string | undefined;
  readonly filter: string | undefined;
  /** The part of the filter that runs on the client. */
  readonly client: string | undefined;
}

/** Rows, and the start of the next page. */
export interface RowPage {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** The position of one page of a query. With it, the page can be read when the user scrolls there. */
export interface PageMark {
  /** The token before the page. Undefined for the first page. */
  readonly after: string | undefined;
  readonly count: number;
  /** The first row, if it is known. The page before ends there. */
  readonly first?: RowKey | undefined;
}

/** The pages found in one step of reading to the end. */
export interface Extent {
  readonly pages: readonly PageMark[];
  /** The start of the next step. Undefined at the end. */
  readonly next: string | undefined;
}
