import { QueryError } from "../../values/errors/query-error.ts";
import type { FilterNode } from "../../values/filter/filter-node.ts";
import { loadCrypto } from "../../values/keys/load-crypto.ts";
import type { PageToken } from "../options/page-options.ts";
import type { Conditions } from "../plan/conditions.ts";
import type { QueryPlan } from "../plan/query-plan.ts";

/** The query that a token is valid for: the same plan, conditions and number of entities. */
export interface TokenQuery {
  readonly plan: QueryPlan;
  readonly conditions: Conditions;
  readonly raw: FilterNode | undefined;
  readonly take: number | undefined;
}

/** The contents of a token. */
export interface PageStart<Place extends TokenPlace> {
  readonly place: Place;
  /** The remaining number of `take`; undefined without one. */
  readonly left: number | undefined;
}

/** A position in the rows of a plan: its two members depend on how the plan is read. */
export type TokenPlace = readonly [request: number, after: string | null] | readonly [string, string];

/** Writes a token bound to its query by a digest. */
export function printPageToken(query: TokenQuery, { place, left }: PageStart<TokenPlace>): PageToken {
  const body = Buffer.from(JSON.stringify([...place, left ?? null])).toString("base64url");
  return `${body}.${digest(query, body)}` as PageToken;
}

/** Reads a token back. @throws QueryError `query.foreign-token` for another query's, or an altered one */
export function parsePageToken<Place extends TokenPlace>(query: TokenQuery, token: string): PageStart<Place> {
  const [body, mark, ...rest] = String(token).split(".");
  if (body === undefined || rest.length > 0 || mark !== digest(query, body))
    throw new QueryError(
      "query.foreign-token",
      "This page token belongs to another query, or was altered. Use a token only with the query that returned it: the same conditions in the same order, with the same values, and the same take(). If a condition uses the current time, keep the time of the first page.",
    );
  const [one, other, left] = JSON.parse(Buffer.from(body, "base64url").toString()) as unknown[];
  return { place: [one, other] as unknown as Place, left: (left as number | null) ?? undefined };
}

/** Ties a token to its query and shows damage; it is no secret and protects none. */
function digest(query: TokenQuery, body: string): string {
  return loadCrypto()
    .createHash("sha256")
    .update(printed(query))
    .update("\0")
    .update(body)
    .digest("base64url")
    .slice(0, 16);
}

/** All that a query is, as text. */
const printed = ({ plan, conditions, raw, take }: TokenQuery): string =>
  JSON.stringify([plan, conditions.list, raw ?? null, take ?? null], printable);

/** Values that JSON does not distinguish. */
function printable(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return value.name;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
