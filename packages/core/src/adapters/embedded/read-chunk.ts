import { countRows, countTable, findEnd, through } from "./count-rows.ts";
import { type Position, rangeFrom, rangesBetween, type Start } from "./key-ranges.ts";
import type { PagePlan } from "./page-plan.ts";
import type { SqlCondition } from "./print-row-test.ts";
import type { RowLengths } from "./row-lengths.ts";
import { lengthOf } from "./row-body.ts";
import { checkRow, type Row, rowColumns, storedColumns } from "./stored-row.ts";
import type { Statements } from "./table-statements.ts";

/** Where rows are read. */
export interface ChunkSource {
  readonly statements: Statements;
  readonly tableId: number;
  /** That of the table. */
  readonly checksum: number;
  /** Whether rows may be damaged, so that those that are passed over are checked too. */
  readonly isOnDisk: boolean;
  readonly lengths: RowLengths;
}

/** How many rows a chunk may look at, and read. */
export interface ChunkSize {
  readonly looked: number;
  readonly read: number;
}

/** What a page takes yet: nothing behind it needs to be read. */
export interface PageRoom {
  readonly rows: number;
  readonly bytes: number;
}

/** Where a chunk begins, and how far it may go. */
export interface ChunkStart {
  readonly start: Start | undefined;
  /** Rows of the table that are known to be before this position. */
  readonly passed: number;
  readonly size: ChunkSize;
  readonly room: PageRoom;
}

/** The rows of one step. */
export interface Chunk {
  /** Whole rows that may be wanted. */
  readonly rows: readonly FoundRow[];
  /** How many were read, and how long their bodies are, about: units of a text of a few rows, and bytes of many. */
  readonly read: number;
  readonly bytes: number;
  /** Whether it ended since they seemed to be all that the page takes. */
  readonly isCut: boolean;
  /** How many were passed. */
  readonly passed: number;
  /** The last of them; undefined at the end of the bounds. */
  readonly end: Position | undefined;
}

/**
 * Looks at the rows behind a position. Where the index decides on rows, only those that it lets through are read; in
 * memory, SQLite tests their text too, so that rows that cannot be wanted are not parsed. What is read from a disk is
 * compared with its checksum in any case: a damaged byte could be the one that hides a row from the test of its text.
 */
export function readChunk(source: ChunkSource, plan: PagePlan, start: ChunkStart): Chunk {
  const condition = source.isOnDisk ? plan.indexTest : bothOf(plan.indexTest, plan.test);
  return condition === undefined ? readAll(source, plan, start) : readTested(source, plan, condition, start);
}

function bothOf(a: SqlCondition | undefined, b: SqlCondition | undefined): SqlCondition | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { sql: `${a.sql} AND ${b.sql}`, values: [...a.values, ...b.values] };
}

/** Reads each row. */
function readAll(source: ChunkSource, plan: PagePlan, { start, size, room }: ChunkStart): Chunk {
  const limit = Math.min(size.looked, size.read);
  const { found, isMore } = readRows(source, plan, rangeFrom(plan.bounds, start), { limit, room });
  const isCut = isMore && found.length < limit;
  return chunkOf(found, { isCut, passed: found.length, end: isMore ? found.at(-1) : undefined });
}

/** Finds where the chunk ends, then only the rows that satisfy the condition. */
function readTested(
  source: ChunkSource,
  plan: PagePlan,
  condition: SqlCondition,
  { start, passed, size, room }: ChunkStart,
): Chunk {
  const isLast = countTable(source) - passed < size.looked;
  const end = isLast ? undefined : findEnd(source, rangesBetween(plan.bounds, start, undefined), size.looked);
  const ranges = rangesBetween(plan.bounds, start, end);
  const { found, isMore } = readRows(source, plan, ranges, { condition, limit: size.read, room });
  if (!isMore) return chunkOf(found, { isCut: false, passed: size.looked, end });
  const last = found.at(-1) as FoundRow;
  const count = countRows(source, rangesBetween(plan.bounds, start, [last[0], last[1]]));
  return chunkOf(found, { isCut: found.length < size.read, passed: count, end: last });
}

/** A row, and whether its text may be that of a row that is wanted: it may where nobody asked. */
export type FoundRow = readonly [...row: Row, isHit?: 0 | 1];

const isHit = (row: FoundRow): boolean => row[6] !== 0;

function chunkOf(
  found: readonly FoundRow[],
  { isCut, passed, end }: Pick<Chunk, "isCut" | "passed"> & { readonly end: FoundRow | Position | undefined },
): Chunk {
  return {
    rows: found.filter(isHit),
    read: found.length,
    bytes: found.reduce((sum, row) => sum + lengthOf(row[3]), 0),
    isCut,
    passed,
    end: end && [end[0], end[1]],
  };
}

/** Which rows are read at most. */
interface ReadLimits {
  readonly condition?: SqlCondition;
  readonly limit: number;
  readonly room: PageRoom;
}

/** Up to so many rows, an array for each body costs more than the text that it is sooner or later made of. */
const fewRows = 64;

/** Reads and checks the rows of all ranges that satisfy the condition; `isMore` where there may be others behind them. */
function readRows(
  { statements, tableId, checksum, isOnDisk, lengths }: ChunkSource,
  { test }: PagePlan,
  ranges: readonly SqlCondition[],
  { condition, limit, room }: ReadLimits,
): { readonly found: FoundRow[]; readonly isMore: boolean } {
  const text = isOnDisk ? test : undefined; // In memory it is part of the condition, which stops at what decides.
  const hit = text === undefined ? "" : `, CASE WHEN ${text.sql} THEN 1 ELSE 0 END`;
  const found: FoundRow[] = [];
  let { rows: rowsLeft, bytes: bytesLeft } = room;
  let longest = 0;
  for (const range of ranges) {
    const { sql, values } = bothOf(range, condition) as SqlCondition;
    // A bare "LIMIT ?" would have SQLite prepare the statement anew for each value, which takes longer than to run it.
    const statement = statements.get(
      `SELECT ${limit > fewRows ? storedColumns : rowColumns}${hit} FROM ${through(tableId)} WHERE ${sql} ORDER BY pk, rk LIMIT +?`,
    );
    const bound = [...(text?.values ?? []), ...values, limit - found.length];
    const rows = (lengths.areShort(tableId)
      ? statement.all(...bound)
      : statement.iterate(...bound)) as unknown as Iterable<FoundRow>;
    for (const row of rows) {
      checkRow(row, checksum);
      found.push(row);
      const length = lengthOf(row[3]);
      if (length > longest) lengths.note(tableId, (longest = length));
      if (isHit(row)) {
        rowsLeft--;
        bytesLeft -= length;
      }
      if (found.length === limit || rowsLeft === 0 || bytesLeft < 0) return { found, isMore: true };
    }
  }
  return { found, isMore: false };
}
