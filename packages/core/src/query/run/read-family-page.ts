import { intersect, onlyText } from "../../values/keys/text-range.ts";
import type { Page } from "../options/page-options.ts";
import type { PlannedRequest, QueryPlan } from "../plan/query-plan.ts";
import type { Family, FamilyPlace } from "./assemble-families.ts";
import { parsePageToken, printPageToken, type TokenQuery } from "./page-token.ts";
import type { FamilyReader } from "./read-families.ts";

/**
 * One page of at most `size` parents, each with all of its children: a token resumes after a family.
 *
 * @throws QueryError `query.foreign-token` for a token of another query or an altered one
 */
export async function readFamilyPage(
  reader: FamilyReader,
  query: TokenQuery,
  { size, after }: { readonly size: number; readonly after: string | undefined },
): Promise<Page<object>> {
  const start =
    after === undefined ? { place: undefined, left: query.take } : parsePageToken<FamilyPlace>(query, after);
  const plan = start.place === undefined ? query.plan : planAfter(query.plan, start.place);
  const most = Math.min(size, start.left ?? size);
  const entities: object[] = [];
  let last: Family | undefined;
  let next: Family | undefined;
  if (most > 0)
    for await (const families of reader.families(plan, start.place)) {
      for (const family of families) {
        if (entities.length === most) next = family;
        if (next !== undefined) break;
        entities.push(...reader.build(family));
        last = family;
      }
      if (next !== undefined) break;
    }
  const left = start.left === undefined ? undefined : start.left - entities.length;
  if (next === undefined || left === 0 || last === undefined) return { entities };
  return { entities, next: printPageToken(query, { place: placeAfter(last, next), left }) };
}

function placeAfter({ parent: { row }, end }: Family, { parent: { row: next } }: Family): FamilyPlace {
  const isAmong = next.PartitionKey === row.PartitionKey && next.RowKey < end;
  return [row.PartitionKey, isAmong ? next.RowKey : end];
}

/** The plan for the keys from a place on, in key order. */
function planAfter(plan: QueryPlan, [partitionKey, rowKey]: FamilyPlace): QueryPlan {
  const requests = plan.requests.flatMap((request): PlannedRequest[] => {
    const { bounds } = request;
    const own = {
      lower: { text: partitionKey, inclusive: true },
      upper: { text: partitionKey, inclusive: true },
    };
    const inSame = intersect(bounds.partitionKey, own);
    // In a range of several partitions, RowKeys are not bounded.
    const rowKeys = onlyText(bounds.partitionKey) === undefined ? {} : bounds.rowKey;
    const rest = intersect(rowKeys, { lower: { text: rowKey, inclusive: true } });
    const later = intersect(bounds.partitionKey, { lower: { text: partitionKey, inclusive: false } });
    return [
      ...(inSame === undefined || rest === undefined
        ? []
        : [{ ...request, bounds: { partitionKey: inSame, rowKey: rest } }]),
      ...(later === undefined ? [] : [{ ...request, bounds: { ...bounds, partitionKey: later } }]),
    ];
  });
  return { ...plan, requests };
}
