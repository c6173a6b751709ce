import type { StoredEntity, StoredPage } from "@partita/core/storage";
import { printPosition, project } from "@partita/core/internal/sql";
import type { Column } from "../connection/statements.ts";
import { readRow, type RowColumns } from "../rows/read-row.ts";
import { type PagePlan, rowKinds } from "./page-plan.ts";

/** A row of a page's statement. */
type PageRow = readonly [kind: number, ...RowColumns];

/** The page of a statement's rows: or that the table does not exist, or that the plan must allow for large rows. */
export function readPage(rows: readonly Column[][], plan: PagePlan): StoredPage | "no table" | "large rows" {
  if (rows.length === 0) return "no table";
  const entities: StoredEntity[] = [];
  let count = 0;
  let last: PageRow | undefined;
  let next: PageRow | undefined;
  for (const row of rows as unknown as PageRow[]) {
    const [kind, pk, rk, version, at, body] = row;
    // The table has no matching row.
    if (pk === null) break;
    if (kind === rowKinds.boundary) {
      next ??= row;
      continue;
    }
    if (count++ === plan.top) {
      next = last;
      break;
    }
    last = row;
    if ((kind & rowKinds.last) !== 0) next = row;
    if (body === null) return "large rows";
    const entity = readRow([pk, rk, version, at, body]);
    if ((kind & rowKinds.uncertain) !== 0 && !plan.isWanted(entity)) continue;
    entities.push(plan.select === undefined ? entity : project(entity, plan.select));
  }
  return { entities, ...(next !== undefined && { next: printPosition([next[1], next[2]]) }) };
}
