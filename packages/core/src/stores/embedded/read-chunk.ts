// `page-reader.ts` calls `readChunk` for each step of a page. It reads rows from a start position on, lets SQLite
// skip rows that the filter excludes, and compares the other rows with their checksums.

import { countRows, countTable, findEnd, through } from "./count-rows.ts";
import type { Position } from "../sql/page-query.ts";
import { rangeBack, rangeFrom, rangesBetween, type Start } from "./key-ranges.ts";
import type { PagePlan } from "./page-plan.ts";
import type { SqlCondition } from "../../values/filter/filter-sql.ts";
import type { CheckedRows } from "./checked-rows.ts";
import type { RowLengths } from "./row-lengths.ts";
import { lengthOf } from "./row-body.ts";
import { bareColumns, checkColumns, checkRow, type Row, rowColumns, storedColumns } from "./stored-row.ts";
import type { Statements } from "./table-statements.ts";

/** The source of rows. */
export interface ChunkSource {
  readonly statements: Statements;
  readonly tableId: number;
  /** The checksum of the table. */
  readonly checksum: number;
  /** The rows that SQLite may skip although rows can be damaged; undefined in memory. */
  readonly checkedRows: CheckedRows | undefined;
  readonly lengths: RowLengths;
  readonly wanted: WantedPart;
}

/**
 * The requested form of rows: objects, parsed from text (which is faster); results of a reader of bytes; or only keys
 * and version.
 */
type WantedPart = "objects" | "bytes" | "keys";

/** Maximum number of rows that a chunk may scan, and return. */
export interface ChunkSize {
  readonly looked: number;
  readonly read: number;
}

/** The remaining capacity of a page: nothing after it needs to be read. */
export interface PageRoom {
  readonly rows: number;
  readonly bytes: number;
}

/** The start of a chunk, and its limits. */
export interface ChunkStart {
  readonly start: Start | undefined;
  /** The number of the table's rows that are known to precede this position. */
  readonly passed: number;
  readonly size: ChunkSize;
  readonly room: PageRoom;
}

/** The result of one step. */
export interface Chunk {
  /** Complete rows that may match. */
  readonly rows: readonly FoundRow[];
  /**
   * The number of rows read, and the approximate length of their bodies: UTF-16 units if there are few rows, else
   * bytes.
   */
  readonly read: number;
  readonly bytes: number;
  /** The number of rows scanned. */
  readonly passed: number;
  /** The last scanned row; undefined at the end of the bounds. */
  readonly end: Position | undefined;
}

/**
 * Reads the rows after a position. SQLite skips rows that the filter excludes, unless a damaged value could hide
 * them: that is possible on a disk, for rows that were not checked yet.
 */
export function readChunk(source: ChunkSource, plan: PagePlan, from: ChunkStart): Chunk {
  if (plan.condition === undefined || plan.isBackwards) return readAll(source, plan, from);
  const { start, passed, size } = from;
  const isLast = countTable(source) - passed < size.looked;
  const end = isLast ? undefined : findEnd(source, rangesBetween(plan.bounds, start, undefined), size.looked);
  const checked = plan.readsBodies ? source.checkedRows : undefined;
  const rows = { ...source, bounds: plan.bounds };
  if (checked === undefined || checked.has(rows, end)) return readWanted(source, plan, from, end);
  const chunk = readAll(source, plan, from);
  checked.add(rows, start, chunk.end);
  return chunk;
}

function readAll(source: ChunkSource, plan: PagePlan, { start, size, room }: ChunkStart): Chunk {
  const limit = Math.min(size.looked, size.read);
  const ranges = plan.isBackwards ? rangeBack(plan.bounds, start) : rangeFrom(plan.bounds, start);
  const { found, isMore } = readRows(source, plan, ranges, { limit, room });
  return chunkOf(found, { passed: found.length, end: isMore ? found.at(-1) : undefined });
}

/** Reads the rows up to a position that may match the filter. */
function readWanted(
  source: ChunkSource,
  plan: PagePlan,
  { start, size, room }: ChunkStart,
  end: Position | undefined,
): Chunk {
  const ranges = rangesBetween(plan.bounds, start, end);
  const limits = { possible: plan.condition?.possible, limit: size.read, room };
  const { found, isMore } = readRows(source, plan, ranges, limits);
  if (!isMore) return chunkOf(found, { passed: size.looked, end });
  const last = found.at(-1) as FoundRow;
  const count = countRows(source, rangesBetween(plan.bounds, start, [last[0], last[1]]));
  return chunkOf(found, { passed: count, end: last });
}

/**
 * A row, and whether it matches the filter: null if that has to be evaluated here. Without a filter, all rows match.
 */
export type FoundRow = readonly [...row: Row, isWanted?: 0 | 1 | null];

const isPossible = ([, , , , , , isWanted]: FoundRow): boolean => isWanted !== 0;

/** Whether SQLite has decided that the row matches. */
export const isCertain = ([, , , , , , isWanted = 1]: FoundRow): boolean => isWanted === 1;

function chunkOf(
  found: readonly FoundRow[],
  { passed, end }: { readonly passed: number; readonly end: FoundRow | Position | undefined },
): Chunk {
  return {
    rows: found.filter(isPossible),
    read: found.length,
    bytes: found.reduce((sum, row) => sum + lengthOf(row[3]), 0),
    passed,
    end: end && [end[0], end[1]],
  };
}

interface ReadLimits {
  /** Undefined if all rows are read. */
  readonly possible?: string | undefined;
  readonly limit: number;
  readonly room: PageRoom;
}

/** Up to this many rows, reading bodies as text is faster than creating an array for each. */
const fewRows = 64;

/** The SQL order of rows. */
export const orderOf = (isBackwards: boolean): string => (isBackwards ? "pk DESC, rk DESC" : "pk, rk");

/** Reads and checks the rows of all ranges that may match; `isMore` if others may follow. */
function readRows(
  { statements, tableId, checksum, lengths, wanted }: ChunkSource,
  { condition, isBackwards }: PagePlan,
  ranges: readonly SqlCondition[],
  { possible, limit, room }: ReadLimits,
): { readonly found: FoundRow[]; readonly isMore: boolean } {
  const isBare = wanted === "keys" && condition === undefined;
  const asBytes = limit > fewRows && wanted !== "objects";
  const columns = isBare ? bareColumns : asBytes ? storedColumns : rowColumns;
  const isWanted = condition === undefined ? "" : `, ${condition.certain}`;
  const and = possible === undefined ? "" : ` AND ${possible}`;
  const ofFilter = condition?.values ?? [];
  const found: FoundRow[] = [];
  let { rows: rowsLeft, bytes: bytesLeft } = room;
  let longest = 0;
  for (const { sql, values } of ranges) {
    // For a bare "LIMIT ?", SQLite prepares the statement again for each value, which takes longer than running it.
    const statement = statements.get(
      `SELECT ${columns}${isWanted} FROM ${through(tableId)} WHERE ${sql}${and} ORDER BY ${orderOf(isBackwards)} LIMIT +?`,
    );
    const bound = [...ofFilter, ...values, ...(and === "" ? [] : ofFilter), limit - found.length];
    const rows = (lengths.areShort(tableId)
      ? statement.all(...bound)
      : statement.iterate(...bound)) as unknown as Iterable<FoundRow>;
    for (const row of rows) {
      if (isBare) checkColumns(row);
      else checkRow(row, checksum);
      found.push(row);
      const length = lengthOf(row[3]);
      if (length > longest && !isBare) lengths.note(tableId, (longest = length));
      if (isCertain(row)) {
        rowsLeft--;
        bytesLeft -= length;
      }
      if (found.length === limit || rowsLeft === 0 || bytesLeft < 0) return { found, isMore: true };
    }
  }
  return { found, isMore: false };
}
