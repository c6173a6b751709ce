// `embedded-storage.ts` calls this file for each page of a query. It reads rows in chunks (`read-chunk.ts`) until the
// page is full, evaluates the part of the filter that SQLite cannot, and returns the position of the next page.

import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { cancelled } from "../../values/errors/storage-error.ts";
import type { ReadRow, RowReader } from "../../storage/row-reader.ts";
import type { RowPage } from "../../storage/store-engine.ts";
import { findEnd } from "./count-rows.ts";
import { rangeBack, rangesBetween, type Start, startAfter } from "./key-ranges.ts";
import { type Position, printPosition, project } from "../sql/page-query.ts";
import type { PagePlan } from "./page-plan.ts";
import {
  type Chunk,
  type ChunkSize,
  type ChunkSource,
  type FoundRow,
  isCertain,
  orderOf,
  type PageRoom,
  readChunk,
} from "./read-chunk.ts";
import { byteLengthOf } from "./row-body.ts";
import { parseRow, StoredBody } from "./stored-row.ts";

/** Maximum stored text in a page, in bytes; the same as in the service. */
const maxPageBytes = 4 * 1024 * 1024;
/**
 * Maximum number of rows that a page scans. The service ends a page after 5 seconds; a row limit is the same on every
 * machine.
 */
const maxPassedRows = 100_000;

/** Rows read by the first statement. */
export const firstChunk = 16;
const maxLooked = 20_000; // Maximum number of rows that a statement scans and returns.
const maxReturned = 2000;
/** The approximate amount of text that a statement returns, to limit memory. */
const chunkBytes = 1024 * 1024;
/** The approximate duration of a statement. It controls yielding to the event loop, never the end of a page. */
const chunkMs = 2;

/** The source and form of a page. */
export interface PageSource extends ChunkSource {
  /** Receives the rows as bytes if all of them match and no property is removed. */
  readonly reader: RowReader | undefined;
}

/** Reads a page that fits one chunk, which needs no transaction; undefined if it needs more. */
export function readShortPage(source: PageSource, plan: PagePlan): RowPage | undefined {
  const builder = new PageBuilder(plan, source);
  const size = builder.withinPage(firstSizeOf(plan));
  if (plan.condition !== undefined && plan.top > size.read && !plan.isBackwards) {
    // Leave out the end: so few rows cannot complete the page, so reading them again would be waste.
    const ranges = rangesBetween(plan.bounds, plan.start, undefined);
    if (findEnd(source, ranges, size.looked) !== undefined) return undefined;
  }
  return builder.add(readChunk(source, plan, { start: plan.start, passed: 0, size, room: builder.room }));
}

/**
 * Reads a page of at most 1000 rows that are all wanted, in one step. Call it where all chunks see one state: in
 * memory, or in a transaction.
 */
export function readSeek(source: PageSource, plan: PagePlan): RowPage {
  const steps = readSteps(source, plan);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Reads a page of filtered rows. It yields to the event loop between chunks, so the source must show one state for as
 * long as this takes.
 */
export async function scanPage(
  source: PageSource,
  plan: PagePlan,
  signal: AbortSignal | undefined,
): Promise<RowPage> {
  const steps = readSteps(source, plan);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) throw cancelled(signal);
  }
}

/** Each step reads one chunk. */
function* readSteps(source: PageSource, plan: PagePlan): Generator<void, RowPage> {
  const builder = new PageBuilder(plan, source);
  let start: Start | undefined = plan.start;
  let size = firstSizeOf(plan);
  if (plan.condition !== undefined) size = { ...size, looked: nextLooked };
  for (;;) {
    const started = performance.now();
    const { passed, room } = builder;
    const chunk = readChunk(source, plan, { start, passed, size: builder.withinPage(size), room });
    const page = builder.add(chunk);
    if (page !== undefined) return page;
    start = chunk.end && startAfter(chunk.end);
    size = nextSize(size, chunk, performance.now() - started);
    yield;
  }
}

/** Rows that the first statement with a filter scans, which takes SQLite a fraction of a millisecond. */
const firstLooked = 1024;
/** The next chunk, if the first did not fill the page. */
const nextLooked = 2 * firstLooked;

const firstSizeOf = ({ condition }: PagePlan): ChunkSize => ({
  looked: condition === undefined ? firstChunk : firstLooked,
  read: firstChunk,
});

function nextSize({ read }: ChunkSize, chunk: Chunk, ms: number): ChunkSize {
  const byTime = chunk.passed * Math.min(4, Math.max(0.25, chunkMs / ms));
  const byBytes = (chunkBytes * chunk.read) / Math.max(chunk.bytes, 1);
  return {
    looked: Math.floor(Math.max(1, Math.min(maxLooked, byTime))),
    read: chunk.read === 0 ? read : Math.floor(Math.max(1, Math.min(maxReturned, 4 * read, byBytes))),
  };
}

/** Collects a page. It ends after a number of rows returned, bytes returned or rows scanned. */
class PageBuilder {
  readonly #plan: PagePlan;
  readonly #source: PageSource;
  readonly #reader: RowReader | undefined;
  readonly #items: (ReadRow | StoredEntity)[] = [];
  #bytes = 0;
  #passed = 0;

  constructor(plan: PagePlan, source: PageSource) {
    this.#plan = plan;
    this.#source = source;
    const { reader } = source;
    this.#reader = plan.select === undefined || reader?.projects === true ? reader : undefined;
  }

  /** Rows that were scanned for the page. */
  get passed(): number {
    return this.#passed;
  }

  get room(): PageRoom {
    return { rows: this.#plan.top - this.#items.length, bytes: maxPageBytes - this.#bytes };
  }

  /** Limits the next chunk to the rows that the page may still scan. */
  withinPage({ looked, read }: ChunkSize): ChunkSize {
    const { condition, top } = this.#plan;
    const left = condition === undefined ? top - this.#items.length : maxPassedRows - this.#passed;
    return { looked: Math.min(looked, left), read };
  }

  /** Adds a chunk. Returns the page once it is complete. */
  add({ rows, passed, end }: Chunk): RowPage | undefined {
    for (const row of rows) {
      const item = this.#read(row);
      if (item === undefined) continue;
      this.#bytes += byteLengthOf(row[3]);
      if (this.#items.length > 0 && this.#bytes > maxPageBytes) return this.#page([row[0], row[1]]);
      this.#items.push(item);
      if (this.#items.length === this.#plan.top) return this.#page(this.#rowAfter([row[0], row[1]]));
    }
    if (end === undefined) return this.#page(undefined);
    this.#passed += passed;
    return this.#passed >= maxPassedRows ? this.#page(this.#rowAfter(end)) : undefined;
  }

  /**
   * The next row within the bounds, with or without a match of the filter. Like the service, a page looks ahead: it
   * names the row that the next page begins with, or reports that there is none. Only its key is read, so damage to
   * it does not matter yet.
   */
  #rowAfter(end: Position): Position | undefined {
    const { bounds, isBackwards } = this.#plan;
    const start = startAfter(end);
    const ranges = isBackwards ? rangeBack(bounds, start) : rangesBetween(bounds, start, undefined);
    return findEnd(this.#source, ranges, 1, orderOf(isBackwards));
  }

  /** Reads a row in the page's form; undefined if it does not match. */
  #read(row: FoundRow): ReadRow | StoredEntity | undefined {
    if (this.#reader !== undefined && isCertain(row))
      return this.#reader.readBody(new StoredBody(row)) ?? this.#projected(parseRow(row));
    const entity = parseRow(row);
    return isCertain(row) || this.#plan.isWanted(entity) ? this.#projected(entity) : undefined;
  }

  #projected(entity: StoredEntity): StoredEntity {
    const { select } = this.#plan;
    return select === undefined ? entity : project(entity, select);
  }

  #page(nextRow: Position | undefined): RowPage {
    return { rows: this.#items, ...(nextRow !== undefined && { next: printPosition(nextRow) }) };
  }
}
