import type { TableStorage } from "@partita/core";
import { followPages, isEntityRow, retriesOf, retryReads, rowProperty } from "@partita/core/internal";
import { parseFilter } from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";
import { CommandError, sayPlan, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { warnOfKeyNames } from "./key-names.ts";
import { checkScan, planRows } from "./plan-rows.ts";

/** Options of commands that change the rows of a filter. */
export interface FilterOptions {
  readonly filter?: string;
  readonly scan?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Their keys and ETags are held in memory, so only the versions that were counted are changed. */
const mostRows = 1_000_000;

/**
 * Prints the plan of a filter, and reads the keys, the ETags and some columns of the rows that match. Rows that
 * Partita uses for itself are left out.
 *
 * @throws UsageError if the filter scans the table without permission
 */
export async function matchingRows(
  storage: TableStorage,
  table: string,
  columns: readonly string[],
  { filter = "", scan = false }: FilterOptions,
  { say, bar, signal }: Session,
): Promise<readonly StoredEntity[]> {
  warnOfKeyNames(filter, { say });
  const plan = planRows(table, filter);
  checkScan(plan, { scan });
  sayPlan({ say }, plan.text);
  const reads = retryReads(storage, retriesOf(storage));
  const query = { filter: parseFilter(filter), select: [...columns, rowProperty] };
  const rows: StoredEntity[] = [];
  let own = 0;
  for await (const { entities } of followPages(reads, table, query, { signal })) {
    for (const row of entities)
      if (isEntityRow(row)) rows.push(withoutTimestamp(row, rows.at(-1)?.PartitionKey));
      else own++;
    bar.say(`${table}  ${rows.length.toLocaleString("en")} rows match`);
    if (rows.length > mostRows)
      throw new CommandError(
        `More than ${counted(mostRows, "row")} match. Narrow the filter by keys, and use several calls.`,
      );
  }
  bar.end();
  say(`${counted(rows.length, "row")} of ${printable(table)} ${rows.length === 1 ? "matches" : "match"}.`);
  if (own > 0) say(`${counted(own, "row")} of Partita itself (indexes, markers, messages) will not change.`);
  return rows;
}

/** Rows of one partition share the text of its key. */
function withoutTimestamp(row: StoredEntity, lastPartitionKey: string | undefined): StoredEntity {
  const { Timestamp: _timestamp, PartitionKey, ...others } = row;
  return {
    PartitionKey: PartitionKey === lastPartitionKey ? lastPartitionKey : PartitionKey,
    ...others,
  } as StoredEntity;
}
