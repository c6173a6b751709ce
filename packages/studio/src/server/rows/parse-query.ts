import type { FilterNode } from "@partita/core/storage";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { expandLists } from "./expand-lists.ts";
import { queryTokens } from "./query-tokens.ts";

/**
 * Parses the page's query language: OData filters, and also `name in ('a', 'b')`, `startswith(name, 'a')` and large
 * whole numbers without `L`. They become comparisons, so the planner turns them into key ranges.
 *
 * @returns undefined for an empty query
 * @throws QueryError `query.filter-syntax`; RequestError for a wrong `in` or `startswith`
 */
export function parseQuery(core: StudioCore, text: string): FilterNode | undefined {
  if (text.trim() === "") return undefined;
  const tokens = expandLists(core, queryTokens(core, text));
  if (tokens.some((token) => token.type === ","))
    throw RequestError.wrongInput("A comma belongs into in (…) or startswith(…).");
  return core.parseTokens(tokens as Parameters<StudioCore["parseTokens"]>[0]);
}
