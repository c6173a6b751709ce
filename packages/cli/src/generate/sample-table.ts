import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { isEntityRow, isInternalTable } from "@partita/core/internal";
import { CommandError } from "../session/session.ts";

/** The first rows of entities of a table. */
export interface Sample {
  readonly table: string;
  readonly rows: readonly StoredEntity[];
  /** Whether the sample has all rows. */
  readonly isComplete: boolean;
}

/** Reads a number of rows of a table. @throws StorageError */
export async function sampleTable(
  storage: TableStorage,
  table: string,
  most: number,
  signal: AbortSignal,
): Promise<Sample> {
  const rows: StoredEntity[] = [];
  let after: Parameters<TableStorage["query"]>[1]["after"];
  do {
    const top = Math.min(1000, most - rows.length);
    const page = await storage.query(table, { top, ...(after !== undefined && { after }) }, { signal });
    rows.push(...page.entities.filter(isEntityRow));
    after = page.next;
  } while (after !== undefined && rows.length < most);
  return { table, rows, isComplete: after === undefined };
}

/**
 * The requested tables. By default all, except those that Partita creates for its own rows.
 *
 * @throws CommandError if one does not exist
 */
export async function tablesOf(
  storage: TableStorage,
  asked: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const there = await storage.listTables({ signal });
  if (asked.length === 0) return there.filter((table) => !isInternalTable(table));
  const missing = asked.find((name) => !there.some((table) => table.toLowerCase() === name.toLowerCase()));
  if (missing !== undefined) throw new CommandError(`There is no table ${JSON.stringify(missing)}.`);
  return asked;
}
